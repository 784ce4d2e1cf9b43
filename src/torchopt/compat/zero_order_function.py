"""The published decorator of black boxes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias, TypeVar

from torchopt import checks
from torchopt.diff import ZeroOrder
from torchopt.diff.zero_order import Antithetic, Estimator, ForwardDifference, Naive
from torchopt.pytree.typing import Samplable

__all__ = ["Method", "estimator_of", "zero_order"]

Method: TypeAlias = Literal["naive", "forward", "antithetic"]
_METHODS: dict[str, type[Estimator]] = {
    "naive": Naive,
    "forward": ForwardDifference,
    "antithetic": Antithetic,
}
_Function = TypeVar("_Function", bound=Callable[..., Any])


def zero_order(
    distribution: Samplable | Callable[..., Any],
    method: Method = "naive",
    argnums: int | tuple[int, ...] = (0,),
    num_samples: int = 1,
    sigma: float = 1.0,
) -> Callable[[_Function], _Function]:
    r"""Return a decorator that gives a function an estimated derivative.

    :class:`torchopt.diff.ZeroOrder` has more estimators and options.

    Args:
        distribution: The source of perturbations: a function of a shape, or an object with
            ``sample(shape)``, of zero mean and unit variance.
        method: ``"naive"``, ``"forward"`` or ``"antithetic"``: the estimators ``Naive``,
            ``ForwardDifference`` and ``Antithetic`` of ``torchopt.diff.zero_order``.
        argnums: The positions of the arguments that are differentiated; trees of tensors.
        num_samples: The number of directions.
        sigma: The scale of the perturbation.

    Returns:
        The decorator.

    Raises:
        TypeError: If ``distribution`` cannot be sampled.
        ValueError: If ``method`` is unknown, or a number is out of its range.

    Example:
        >>> import torch, torchopt
        >>> normal = torch.distributions.Normal(0.0, 1.0)
        >>> @torchopt.compat.zero_order(normal, method="antithetic", num_samples=100, sigma=0.1)
        ... def steps(x):
        ...     return (10 * x).round().sum()
        >>> x = torch.zeros(3, requires_grad=True)
        >>> steps(x).backward()
        >>> x.grad.shape
        torch.Size([3])

    References:
        Ren et al., *TorchOpt*, JMLR 2023, listing 3.
    """
    estimator = estimator_of(method, distribution, num_samples, sigma)

    def decorate(fn: _Function) -> _Function:
        return ZeroOrder(estimator)(fn, argnums)  # type: ignore[return-value]

    return decorate


def estimator_of(method: Any, distribution: Any, num_samples: int, sigma: float) -> Estimator:
    """Return the estimator of a method's name."""
    checks.check_choice("method", method, Method)
    return _METHODS[method](num_samples=num_samples, sigma=sigma, distribution=distribution)
