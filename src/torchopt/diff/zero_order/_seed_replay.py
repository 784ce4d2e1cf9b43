"""Seed replay (MeZO): directions that are seeds, for models whose gradient would not fit in memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import nn

from torchopt import checks
from torchopt.autodiff.environment import Environment
from torchopt.autodiff.generators import generator_of
from torchopt.diff.zero_order._estimator import NonFinite, check_resolution, check_sigma, finite
from torchopt.diff.zero_order._evaluation import evaluating
from torchopt.diff.zero_order._perturbed import Perturbed
from torchopt.io.calls import CallRepr
from torchopt.pytree import flattening as pytree
from torchopt.pytree.typing import TensorTree

# To make the seed of a tensor's direction of that of all.
_MIX, _SEEDS = 0x9E3779B97F4A7C15, 1 << 63


@dataclass(frozen=True)
class SeedReplayGradient:
    """A gradient in a few numbers: derivatives along directions, and the seeds that make these.

    Fields but ``loss`` may change with any release: the methods make the gradient of them.

    Attributes:
        loss: The mean of the values from which it was estimated.
        seeds: The seed of each direction.
        projections: The derivative along each direction.
        shapes: The shapes of the tensors that were moved.

    Example:
        >>> import torch
        >>> w = torch.zeros(2)
        >>> gradient = SeedReplay()(lambda: (w - 1).square().sum(), [w], generator=0)
        >>> round(gradient.loss, 3)
        2.0
        >>> gradient.step_([w], lr=0.01)
        >>> bool((w - 1).square().sum() < 2)
        True
    """

    __promised__: ClassVar[tuple[str, ...]] = ("gradients", "loss", "step_")
    loss: float
    seeds: tuple[int, ...]
    projections: tuple[float, ...]
    shapes: tuple[tuple[int, ...], ...]

    def step_(self, params: TensorTree, lr: float, *, weight_decay: float = 0.0) -> None:
        """Do a step of gradient descent in place, one direction of one tensor at a time.

        The same release and device draw the same numbers from a seed: there, a log is a checkpoint.

        Args:
            params: A module (its trainable parameters), or a tree of tensors.
            lr: The learning rate.
            weight_decay: The decoupled weight decay.

        Raises:
            ValueError: If these are not the parameters that were moved.
        """
        tensors = self._checked(params)
        with torch.no_grad():
            for index, p in enumerate(tensors):
                if weight_decay:
                    p.mul_(1 - lr * weight_decay)
                for seed, projection in zip(self.seeds, self.projections, strict=True):
                    p.add_(_direction(seed, index, p), alpha=-lr * projection / len(self.seeds))

    def gradients(self, params: TensorTree) -> list[torch.Tensor]:
        """Return the estimate itself, for each of the parameters, for use with any optimizer.

        Args:
            params: As in :meth:`step_`.

        Raises:
            ValueError: If these are not the parameters that were moved.
        """
        gradients = []
        for index, p in enumerate(self._checked(params)):
            total = torch.zeros_like(p, requires_grad=False)
            for seed, projection in zip(self.seeds, self.projections, strict=True):
                total += _direction(seed, index, p) * (projection / len(self.seeds))
            gradients.append(total)
        return gradients

    def _checked(self, params: Any) -> list[torch.Tensor]:
        tensors = _tensors(params)
        shapes = tuple(tuple(t.shape) for t in tensors)
        if shapes != self.shapes:
            raise ValueError(
                f"`params` has trainable tensors of shapes {list(shapes)}, but those that were moved "
                f"have {list(self.shapes)}: directions belong to a tensor by its place, so freeze or "
                f"add parameters before the estimate."
            )
        return tensors


@dataclass(frozen=True, kw_only=True)
class SeedReplay(CallRepr):
    r"""The antithetic estimator in the memory of inference (MeZO).

    .. math::
        \frac{1}{n} \sum_i \varepsilon_i \,
        \frac{f(\theta + \sigma \varepsilon_i) - f(\theta - \sigma \varepsilon_i)}{2 \sigma}

    with normal directions, of which only the seeds are kept: each is drawn again where it is needed,
    one tensor at a time. The parameters are never written to: an operation that reads one sees it
    moved, and what it saw is dropped after it. They are therefore the same bit for bit afterwards,
    also when the function raises, and the memory beyond that of an evaluation is the largest tensor
    twice. In exchange, a tensor that is read several times in an evaluation is moved as often.

    The function must read the parameters by PyTorch's operations, not in a scripted region; compiled
    functions run eagerly. All evaluations see the same random numbers (of dropout), and buffers
    advance as for one.

    The total variance for linear and quadratic functions with gradient :math:`g` is
    :math:`(d + 1) \lVert g \rVert^2 / n`.

    Args:
        num_samples: The number of directions; two evaluations each.
        sigma: The scale of the perturbation.
        nonfinite: What to do about directions with values that are NaN or infinite: ``"raise"``,
            or ``"drop"`` to leave them out with a :class:`~torchopt.errors.NonFiniteWarning`.

    Raises:
        ValueError: If a value is out of its range.

    Example:
        >>> import torch
        >>> _ = torch.manual_seed(0)
        >>> model = torch.nn.Linear(3, 1)
        >>> x, y = torch.randn(32, 3), torch.randn(32, 1)
        >>> estimator = SeedReplay(num_samples=4, sigma=1e-2)
        >>> losses = []
        >>> for _ in range(50):
        ...     projected = estimator(lambda: ((model(x) - y) ** 2).mean(), model)
        ...     projected.step_(model, lr=0.05)
        ...     losses.append(projected.loss)
        >>> losses[-1] < losses[0]
        True

    References:
        Malladi et al., *Fine-Tuning Language Models with Just Forward Passes*, 2023, algorithm 1.
    """

    num_samples: int = 1
    sigma: float = 1e-3
    nonfinite: NonFinite = "raise"

    def __post_init__(self) -> None:
        checks.check_count("num_samples", self.num_samples, 1, of="directions")
        check_sigma(self.sigma)
        checks.check_choice("nonfinite", self.nonfinite, NonFinite)

    def __call__(
        self,
        closure: Callable[[], Any],
        /,
        params: TensorTree,
        *,
        generator: torch.Generator | int | None = None,
    ) -> SeedReplayGradient:
        """Estimate the gradient of a closure's value.

        Args:
            closure: Returns a scalar, a tensor or a number; reads the parameters.
            params: A module, whose trainable parameters are moved; or a tree of tensors.
            generator: Where the seeds come from: a ``torch.Generator``, a number, or None for
                PyTorch's default generator.

        Raises:
            ValueError: If the closure's value is no scalar, it reads none of the parameters, or
                writes to one.
            NonFiniteError: If its values are NaN or infinite; with ``nonfinite="drop"``, if all are.
            TypeError: If the closure's value is not a number, or there are no floating parameters.
        """
        tensors = _tensors(params)
        check_resolution(self.sigma, tensors)
        source = generator_of(generator)
        drawn = torch.randint(1 << 62, (self.num_samples,), generator=source, device=source.device)
        seeds: list[int] = drawn.tolist()
        environment = Environment()
        seen: set[int] = set()

        def value(seed: int, scale: float) -> float:
            table = {id(p): _Moved(seed, index, scale) for index, p in enumerate(tensors)}
            with evaluating(), Perturbed(table) as mode, environment.evaluation(trace=True):
                loss = closure()
            loss = mode.result(loss)
            if mode.transforms:
                raise ValueError(
                    "the closure uses a transform of `torch.func`, which hides the parameters from "
                    "their perturbation: use `ZeroOrder`, and pass them as arguments."
                )
            seen.update(mode.seen)
            return _number(loss)

        pairs = [[value(seed, s) for seed in seeds] for s in (self.sigma, -self.sigma)]
        if not seen:
            raise ValueError(
                "the closure reads none of `params` by an operation of PyTorch: check that it uses the "
                "same tensors, and not in a scripted region."
            )
        values = torch.tensor(pairs, dtype=torch.float64, device="cpu")
        good = finite(values, self.nonfinite)
        values = values[:, good]
        projections = (values[0] - values[1]) / (2 * self.sigma)
        for index, p in enumerate(tensors):
            if id(p) not in seen:
                checks.warn(
                    f"the closure does not read tensor {index} of `params`, of shape "
                    f"{tuple(p.shape)}, by an operation of PyTorch: its gradient is noise around zero."
                )
                break
        kept = tuple(seed for seed, g in zip(seeds, good.tolist(), strict=True) if g)
        shapes = tuple(tuple(t.shape) for t in tensors)
        return SeedReplayGradient(float(values.mean()), kept, tuple(projections.tolist()), shapes)


@dataclass(frozen=True)
class _Moved:
    """A tensor moved along the direction of a seed; see :class:`Perturbation`."""

    seed: int
    index: int
    scale: float

    def moved(self, tensor: torch.Tensor) -> torch.Tensor:
        """Return the moved tensor."""
        return _direction(self.seed, self.index, tensor).mul_(self.scale).add_(tensor.detach())

    def product(self, func: Any, args: Any, kwargs: Any, tensor: torch.Tensor) -> Any:
        """Return None: the moved tensor has to be made."""
        return None


def _direction(seed: int, index: int, like: torch.Tensor) -> torch.Tensor:
    generator = torch.Generator(like.device).manual_seed((seed + (index + 1) * _MIX) % _SEEDS)
    return torch.randn(like.shape, dtype=like.dtype, device=like.device, generator=generator)


def _tensors(params: Any) -> list[torch.Tensor]:
    """Return the tensors that are moved, each once."""
    if isinstance(params, nn.Module):
        leaves: list[Any] = [p for p in params.parameters() if p.requires_grad]
    else:
        leaves = pytree.leaves(params)
    tensors = {id(t): t for t in leaves if isinstance(t, torch.Tensor) and t.is_floating_point()}
    if not tensors:
        raise TypeError(
            "`params` has no floating tensors: pass a module with trainable parameters."
        )
    return list(tensors.values())


def _number(loss: Any) -> float:
    if isinstance(loss, torch.Tensor):
        loss = loss.detach()
        if loss.numel() != 1:
            raise ValueError(
                f"the closure's value has shape {tuple(loss.shape)}, but it must be a scalar: reduce "
                f"it, for example with `.mean()` or `.sum()`."
            )
    try:
        return float(loss)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"the closure's value is an object of type {type(loss).__name__}: return a scalar."
        ) from error
