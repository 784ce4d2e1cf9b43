r"""What a zero-order estimator is: directions, where to evaluate along them, and a formula.

With directions :math:`\varepsilon_i` and the values :math:`f(\theta + o_s \sigma \varepsilon_i)` for
each of its offsets :math:`o_s`, an estimator returns a gradient. It is a formula in one short file;
the rest (trees, seeds, evaluation, batches, derivatives of higher order) is written once.
"""

from __future__ import annotations

import abc
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeAlias

import torch

from torchopt import checks
from torchopt.autodiff import transforms
from torchopt.autodiff.conversion import as_tensor
from torchopt.autodiff.generators import seeded
from torchopt.autodiff.transforms import value_of
from torchopt.errors import NonFiniteError, NonFiniteWarning
from torchopt.io.calls import CallRepr
from torchopt.pytree.typing import Samplable

Baseline: TypeAlias = Literal["mean", "leave_one_out"]
"""What is subtracted from the values; only the mean also changes the estimate's mean, by 1/n of it."""

Shaping: TypeAlias = Literal["rank", "z_score"]
"""What the values are replaced by: then the estimate is no longer on the scale of the gradient."""

NonFinite: TypeAlias = Literal["raise", "drop"]
"""What is done about directions in which a value is NaN or infinite."""


def preset(value: Any) -> Any:
    """Return a field that an estimator sets itself."""
    return field(init=False, default=value, repr=False)


@dataclass(frozen=True, kw_only=True, eq=False)
class Estimator(checks.ByValue, CallRepr, abc.ABC):
    """Base of the estimators; a subclass has :attr:`offsets` and :meth:`gradient`.

    Args:
        num_samples: The number of directions, 16 by default.
        sigma: The scale of the perturbation; the estimate is that of the function smoothed by it.
        distribution: The source of the directions: a function of a shape, or an object with
            ``sample(shape)``, of zero mean and unit variance. By default standard normal.
        baseline: The value to subtract from the values: ``"mean"``, ``"leave_one_out"``, or None.
        shaping: How to transform the values: ``"rank"``, ``"z_score"``, or None. The estimate is
            then no longer on the scale of the gradient.
        nonfinite: What to do about directions with values that are NaN or infinite: ``"raise"``,
            or ``"drop"`` to leave them out with a :class:`~torchopt.errors.NonFiniteWarning`.

    Raises:
        ValueError: If a value is out of its range, or a sampler is not of zero mean and unit
            variance.
        TypeError: If a subclass has no :attr:`offsets`.
    """

    num_samples: int = 16
    sigma: float = 0.01
    distribution: Samplable | Callable[..., Any] | None = None
    baseline: Baseline | None = None
    shaping: Shaping | None = None
    nonfinite: NonFinite = "raise"

    __promised__: ClassVar[tuple[str, ...]] = (
        *("__init__", "num_samples", "sigma", "distribution", "baseline", "shaping", "nonfinite"),
        *("offsets", "tangents", "directions", "gradient"),
    )

    offsets: ClassVar[tuple[float, ...]] = ()
    """Where the function is evaluated along each direction, in units of sigma; 0 is evaluated once."""

    tangents: ClassVar[bool] = False
    """Whether the values are derivatives along the directions instead, by one jvp each."""

    def __post_init__(self) -> None:
        if not self.offsets and not self.tangents:
            raise TypeError(
                f"`{type(self).__name__}` has no `offsets`: say where to evaluate along each "
                f"direction, such as `offsets = (1.0, -1.0)`."
            )
        checks.check_count("num_samples", self.num_samples, 1, of="directions")
        check_sigma(self.sigma)
        for name, kind in (("baseline", Baseline), ("shaping", Shaping), ("nonfinite", NonFinite)):
            checks.check_choice(name, getattr(self, name), kind, optional=name != "nonfinite")
        if self.baseline == "leave_one_out" and self.num_samples < 2:
            raise ValueError("a leave-one-out baseline needs `num_samples` of at least 2.")
        if self.distribution is not None:
            _check_moments(self.distribution)

    @abc.abstractmethod
    def gradient(self, noise: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        """Return the estimate.

        Args:
            noise: The directions, of shape ``(n, d)``.
            values: The values at each of the offsets, of shape ``(len(offsets), n)``.

        Returns:
            A vector of size ``d``: a differentiable formula, linear in ``noise``.
        """

    def directions(self, like: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
        """Return the directions, of shape ``(n, d)``, for a vector of size ``d``."""
        shape = (self.num_samples, like.numel())
        if self.distribution is None:
            return torch.randn(
                shape, dtype=like.dtype, generator=generator, device=generator.device
            )
        return _sample(self.distribution, torch.Size(shape), generator).to(like.dtype)

    def noise(self, like: Sequence[torch.Tensor], generator: torch.Generator) -> Any:
        """Return the directions for tensors, whose shapes only few estimators look at.

        What is returned is used as a matrix of shape ``(n, d)`` is.
        """
        double = any(t.dtype == torch.float64 for t in like)
        size = sum(t.numel() for t in like)
        vector = torch.empty(size, dtype=torch.float64 if double else torch.float32, device="cpu")
        if not size:
            return vector.new_zeros(self.num_samples, 0)
        directions = self.directions(vector, generator)
        if directions.dim() != 2 or directions.shape[1] != size:
            raise ValueError(
                f"`{type(self).__name__}.directions` returned shape {tuple(directions.shape)}, but "
                f"there are {size} unknowns: return directions of shape (n, {size})."
            )
        return directions

    def estimate(self, noise: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        """Return :meth:`gradient` of the values after dropping, baseline and shaping."""
        plain = value_of(values.detach())
        batch = plain.dim() > 2  # each of its problems would leave out others
        good = finite(plain.flatten(1) if batch else plain, "raise" if batch else self.nonfinite)
        if not batch and not bool(good.all()):
            noise, values = noise[good.to(noise.device)], values[:, good]
        gradient = self.gradient(noise, shaped(self._centered(values), self.shaping))
        if not isinstance(gradient, torch.Tensor) or gradient.dim() != 1:
            found = getattr(gradient, "shape", type(gradient).__name__)
            raise TypeError(
                f"`{type(self).__name__}.gradient` returned {found}: return a vector with an entry for "
                f"each column of `noise`."
            )
        return gradient

    def _centered(self, values: torch.Tensor) -> torch.Tensor:
        n = values.shape[1]
        if self.baseline is None or n < 2:
            return values
        mean = values.mean()
        if self.baseline == "mean":
            return values - mean
        # The mean of the other directions.
        return values - (mean * n - values.mean(0)) / (n - 1)


def check_resolution(sigma: float, tensors: Sequence[torch.Tensor]) -> None:
    """Warn if a perturbation is smaller than the rounding of the tensors that it is added to.

    The warning has the root mean square of a tensor as ``size``, and the distance between numbers of
    that size as ``spacing``.
    """
    for t in tensors:
        size = float(t.detach().double().square().mean().sqrt()) if t.numel() else 0.0
        spacing = torch.finfo(t.dtype).eps * size
        if sigma < 4 * spacing:
            checks.warn(
                f"sigma is {sigma:g}, which is lost in rounding: tensors of {t.dtype} as large as "
                f"these are further apart; use a larger `sigma`, or more precision.",
                size=size,
                spacing=spacing,
            )
            return


def finite(values: torch.Tensor, nonfinite: NonFinite) -> torch.Tensor:
    """Return which columns are finite; raise or warn of those that are not."""
    good = torch.isfinite(values).all(0)
    bad = int((~good).sum())
    if not bad:
        return good
    what = f"{bad} of {good.numel()} directions have values that are NaN or infinite"
    if bad == good.numel():
        raise NonFiniteError(f"{what}: lower `sigma`, or look at the function.")
    if nonfinite == "raise":
        raise NonFiniteError(f'{what}: lower `sigma`, or leave them out by `nonfinite="drop"`.')
    checks.warn(
        "directions whose values are NaN or infinite were left out (this warning has their number).",
        NonFiniteWarning,
        dropped=bad,
        directions=good.numel(),
    )
    return good


def shaped(values: torch.Tensor, shaping: Shaping | None) -> torch.Tensor:
    """Return the shaped values."""
    if shaping is None:
        return values
    if shaping == "z_score":
        deviation = values.std(correction=0)
        return (values - values.mean()) / deviation.clamp(min=torch.finfo(values.dtype).tiny)
    # Centered ranks in [-1/2, 1/2] (Salimans et al., 2017), the same for equal values; constants.
    flat = values.detach().reshape(-1).contiguous()
    order = flat.sort().values
    last = flat.numel() - 1
    ranks = torch.searchsorted(order, flat) + torch.searchsorted(order, flat, right=True) - 1 - last
    return (ranks.to(values.dtype) / 2 / max(last, 1)).reshape(values.shape)


def check_sigma(sigma: Any, name: str = "sigma") -> None:
    """Raise ``ValueError`` unless a scale is a positive number."""
    good = isinstance(sigma, (int, float)) and not isinstance(sigma, bool)
    if not good or not 0 < sigma < math.inf:
        raise ValueError(f"`{name}` is {sigma!r}: use a positive number.")


def _sample(distribution: Any, shape: torch.Size, generator: torch.Generator) -> torch.Tensor:
    """Draw from a sampler, which reads PyTorch's default generator."""
    sample = getattr(distribution, "sample", distribution)
    with seeded(generator.initial_seed()), transforms.outside():
        noise = as_tensor(sample(shape))
    if noise.shape != shape:
        raise ValueError(
            f"`distribution` returned a sample of shape {tuple(noise.shape)} when asked for "
            f"{tuple(shape)}: it must draw independent numbers of any shape."
        )
    return noise


_DISTRIBUTION = checks.Word(
    "pass a function of a shape, or an object with `sample(shape)`, such as "
    "`torch.distributions.Normal(0.0, 1.0)`",
    holds=lambda d: callable(getattr(d, "sample", d)) and not isinstance(d, type),
    error=TypeError,
)


def _check_moments(distribution: Any) -> None:
    """Raise ``ValueError`` unless a sampler has zero mean and unit variance."""
    checks.check("distribution", distribution, _DISTRIBUTION)
    if isinstance(distribution, torch.distributions.Distribution):
        mean, variance = distribution.mean, distribution.variance
        good = torch.allclose(mean, torch.zeros_like(mean), atol=1e-3)
        good = good and torch.allclose(variance, torch.ones_like(variance), rtol=1e-3)
    else:  # of a sample, within six standard errors
        generator = torch.Generator("cpu").manual_seed(0)
        draws = _sample(distribution, torch.Size((1 << 12,)), generator).double()
        root = draws.numel() ** 0.5
        square = draws.square()
        good = abs(draws.mean()) <= 6 * draws.std() / root + 1e-3
        good = good and abs(square.mean() - 1) <= 6 * square.std() / root + 1e-3
    if not good:
        raise ValueError(
            "`distribution` does not have zero mean and unit variance: the scale of the perturbation "
            "is `sigma`."
        )
