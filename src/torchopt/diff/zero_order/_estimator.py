r"""What a zero-order estimator is: directions, where to evaluate along them, and a formula.

With directions :math:`\varepsilon_i` and values :math:`f(\theta + o_s \sigma \varepsilon_i)` for each of its
offsets :math:`o_s`, an estimator returns a gradient. It is a formula in one short file; the rest
(trees, seeds, evaluation, batches, derivatives of higher order) is written once.
"""

from __future__ import annotations

import abc
import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias, get_args

import torch

from torchopt import errors
from torchopt.typing import Samplable

__all__ = ["Baseline", "Estimator", "NonFinite", "NonFiniteWarning", "Shaping"]

Baseline: TypeAlias = Literal["mean", "leave_one_out"]
"""What is subtracted from the values: it changes the variance, and the mean does so by 1/n of the gradient."""

Shaping: TypeAlias = Literal["rank", "z_score"]
"""What the values are replaced by: then the estimate is no longer on the scale of the gradient."""

NonFinite: TypeAlias = Literal["raise", "drop"]
"""What is done about directions in which a value is NaN or infinite."""


class NonFiniteWarning(UserWarning):
    """Directions with values that are NaN or infinite were left out of an estimate."""


@dataclass(frozen=True, kw_only=True)
class Estimator(abc.ABC):
    """Base of the estimators; a subclass has :attr:`offsets` and :meth:`gradient`.

    Args:
        num_samples: The number of directions.
        sigma: The scale of the perturbation; the estimate is that of the function smoothed by it.
        distribution: Where the directions come from: a function of a shape, or an object with
            ``sample(shape)``, of zero mean and unit variance. By default standard normal.
        baseline: What is subtracted from the values, or None.
        shaping: What the values are replaced by, or None.
        nonfinite: ``"raise"``, or ``"drop"`` to leave out directions with such values, with a
            :class:`NonFiniteWarning`.

    Raises:
        ValueError: If a value is out of its range.
    """

    num_samples: int = 1
    sigma: float = 1.0
    distribution: Samplable | Callable[..., Any] | None = None
    baseline: Baseline | None = None
    shaping: Shaping | None = None
    nonfinite: NonFinite = "raise"

    offsets: ClassVar[tuple[float, ...]]
    """Where the function is evaluated along each direction, in units of sigma; 0 is evaluated once."""

    def __post_init__(self) -> None:
        n, sigma = self.num_samples, self.sigma
        if not isinstance(n, int) or isinstance(n, bool) or n < 1:
            raise ValueError(f"`num_samples` is {n!r}: use a number of directions, at least 1.")
        if not isinstance(sigma, (int, float)) or not 0 < sigma < math.inf:
            raise ValueError(f"`sigma` is {sigma!r}: use a positive number.")
        for name, kind in (("baseline", Baseline), ("shaping", Shaping), ("nonfinite", NonFinite)):
            value = getattr(self, name)
            if value not in get_args(kind) and not (value is None and name != "nonfinite"):
                known = ", ".join(map(repr, get_args(kind)))
                raise ValueError(f"`{name}` is {value!r}: use one of {known}.")
        if self.baseline == "leave_one_out" and n < 2:
            raise ValueError("a leave-one-out baseline needs `num_samples` of at least 2.")

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
            return torch.randn(shape, dtype=like.dtype, generator=generator)
        return _sample(self.distribution, torch.Size(shape), generator).to(like.dtype)

    def estimate(self, noise: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        """Return :meth:`gradient` of what the values are replaced by."""
        noise, values = self._finite(noise, values)
        return self.gradient(noise, self._shaped(self._centered(values)))

    def _finite(
        self, noise: torch.Tensor, values: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        if errors.transforms_active():
            return noise, values
        good = torch.isfinite(values.detach()).all(0)
        bad = int((~good).sum())
        if not bad:
            return noise, values
        what = f"{bad} of {good.numel()} directions have values that are NaN or infinite"
        if self.nonfinite == "raise" or bad == good.numel():
            raise ValueError(
                f'{what}: lower `sigma`, or leave them out by `nonfinite="drop"`.'
                if bad < good.numel()
                else f"{what}: lower `sigma`, or look at the function."
            )
        warnings.warn(f"{what}; they were left out.", NonFiniteWarning, stacklevel=2)
        return noise[good.to(noise.device)], values[:, good]

    def _centered(self, values: torch.Tensor) -> torch.Tensor:
        n = values.shape[1]
        if self.baseline is None:
            return values
        mean = values.mean()
        if self.baseline == "mean":
            return values - mean
        # The mean of the other directions.
        return values - (mean * n - values.mean(0)) / (n - 1)

    def _shaped(self, values: torch.Tensor) -> torch.Tensor:
        if self.shaping is None:
            return values
        if self.shaping == "z_score":
            return (values - values.mean()) / values.std(correction=0).clamp(
                min=torch.finfo(values.dtype).tiny
            )
        # Centered ranks in [-1/2, 1/2] (Salimans et al., 2017); constants for autograd.
        flat = values.detach().reshape(-1)
        ranks = flat.argsort().argsort().to(values.dtype)
        return (ranks / max(flat.numel() - 1, 1) - 0.5).reshape(values.shape)


def _sample(distribution: Any, shape: torch.Size, generator: torch.Generator) -> torch.Tensor:
    """Draw from a sampler, which reads PyTorch's default generator."""
    sample = getattr(distribution, "sample", distribution)
    with torch.random.fork_rng(devices=()):
        torch.manual_seed(generator.initial_seed())
        noise = torch.as_tensor(sample(shape))
    if noise.shape != shape:
        raise ValueError(
            f"`distribution` returned a sample of shape {tuple(noise.shape)} when asked for "
            f"{tuple(shape)}: it must draw independent numbers of any shape."
        )
    variance = getattr(distribution, "variance", None)
    if isinstance(variance, torch.Tensor):
        wrong = not torch.allclose(variance, torch.ones_like(variance))
    else:  # within five standard errors of the variance of a normal
        wrong = (
            abs(float(noise.double().square().mean()) - 1) > 5 * (2 / max(noise.numel(), 1)) ** 0.5
        )
    if wrong:
        raise ValueError(
            "`distribution` does not have zero mean and unit variance: the scale of the perturbation is "
            "`sigma`."
        )
    return noise
