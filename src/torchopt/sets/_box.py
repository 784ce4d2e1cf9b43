"""Bounds for each element."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import torch

from torchopt.autodiff.conversion import as_tensor
from torchopt.autodiff.loops import is_readable
from torchopt.prox.term import parameter
from torchopt.pytree.typing import Numeric
from torchopt.sets.base import Set


@dataclass(frozen=True, eq=False)
class Box(Set):
    r"""Tensors whose elements lie between bounds, :math:`l \leq x \leq u`.

    .. math:: P(x) = \min(\max(x, l), u)

    Args:
        lower: The lower bounds :math:`l`: a number, or a tensor that broadcasts with each leaf and may
            require grad; infinite ones bound nothing.
        upper: The upper bounds :math:`u`, not less than ``lower``, of the same kinds.

    Raises:
        ValueError: If ``lower`` is more than ``upper``; in use, too, since tensors change. Tensors are
            looked at on the CPU outside of transforms and compiled code; elsewhere results are NaN.
        TypeError: If a bound is neither a number nor a floating tensor.

    Example:
        >>> import torch, torchopt
        >>> torchopt.sets.Box(-1.0, torch.tensor([1.0, 5.0])).project(torch.tensor([3.0, 3.0]))
        tensor([1., 3.])
    """

    is_box: ClassVar[bool] = True

    lower: Numeric = field(default=0.0, metadata=parameter("element", signed=True, infinite=True))
    upper: Numeric = field(default=1.0, metadata=parameter("element", signed=True, infinite=True))

    def __post_init__(self) -> None:
        super().__post_init__()
        check_bounds(self.lower, self.upper)

    def project_leaf(self, x: torch.Tensor) -> torch.Tensor:
        """Return the elements, moved to the nearer bound where they are out of bounds."""
        check_bounds(self.lower, self.upper)
        return clip(x, self.lower, self.upper)

    def linear_minimizer_leaf(self, gradient: torch.Tensor) -> torch.Tensor:
        """Return the corner against the gradient; the lower bound where it is zero."""
        check_bounds(self.lower, self.upper)
        lower = torch.where(gradient < 0, gradient, self.lower)  # of the gradient's dtype, too
        return clip(torch.where(gradient < 0, self.upper, lower), self.lower, self.upper)


def clip(x: torch.Tensor, lower: Numeric, upper: Numeric) -> torch.Tensor:
    """Return the elements, moved to the nearer bound where they are out of bounds; NaN between none.

    The derivative at a bound is that of the element; `clamp` would divide it between the two.
    """
    inside = torch.where(x > upper, upper, torch.where(x < lower, lower, x))
    return torch.where((x == x) & (lower <= upper), inside, torch.nan)


def check_bounds(lower: Numeric, upper: Numeric) -> None:
    """Raise ``ValueError`` where a lower bound that can be read is more than the upper one."""
    bounds = [as_tensor(bound).detach() for bound in (lower, upper)]
    if not all(map(is_readable, bounds)):
        return
    shapes = [tuple(bound.shape) for bound in bounds]
    try:
        low, high = torch.broadcast_tensors(*map(torch.Tensor.double, bounds))
    except RuntimeError as error:
        raise ValueError(
            f"`lower` has shape {shapes[0]} and `upper` {shapes[1]}, which do not broadcast: pass one "
            f"number, or one for each element."
        ) from error
    crossed = (low > high).nonzero()
    if crossed.shape[0]:
        at = tuple(crossed[0].tolist())
        where = f" at {at}" if at else ""
        raise ValueError(
            f"the set is empty: `lower` is {low[at].item()} and `upper` is {high[at].item()}{where}."
        )
