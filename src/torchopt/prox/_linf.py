"""The largest absolute value of vectors, which makes large elements equal."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field

import torch

from torchopt import checks
from torchopt.prox.term import ProximalTerm, parameter
from torchopt.prox.vectors import DIM, Dim, along, last, vectors
from torchopt.pytree.typing import Numeric


@dataclass(frozen=True, eq=False)
class Linf(ProximalTerm):
    r"""The largest absolute value of vectors, times a penalty.

    .. math::
        g(x) = \sum_v \lambda_v \lVert x_v \rVert_\infty, \qquad
        \operatorname{prox}_{t g}(x)_i = \operatorname{sign}(x_i) \min(|x_i|, \theta(x))

    with the level :math:`\theta` above which the absolute values have the sum :math:`t \lambda`, found
    by sorting, :math:`O(n \log n)`; it is zero for :math:`t \lambda \geq \lVert x \rVert_1`. The sum is
    over the vectors along ``dim``.

    Args:
        penalty: The penalty :math:`\lambda \geq 0`: a number, or a tensor that broadcasts with the
            shape of a leaf without ``dim``; it may require grad.
        dim: The axis or axes along which the vectors lie. None: a leaf is one vector.

    Raises:
        ValueError: If ``penalty`` is negative or not finite; in use, if a leaf has no such axis.
        TypeError: If ``penalty`` is neither a number nor a floating tensor, or ``dim`` no integers.

    Example:
        >>> import torch, torchopt
        >>> torchopt.prox.Linf(2.0).prox(torch.tensor([5.0, -4.0, 1.0]))
        tensor([ 3.5000, -3.5000,  1.0000])

    References:
        Parikh and Boyd, *Proximal Algorithms*, 2014, section 6.5.2.
    """

    penalty: Numeric = field(metadata=parameter("vector"))
    _: KW_ONLY
    dim: Dim = checks.field(-1, DIM)

    def prox_leaf(self, x: torch.Tensor, step_size: Numeric) -> torch.Tensor:
        """Return the vectors, with large elements at one level."""
        by = step_size * last(self.penalty)
        return along(lambda v: _level(v, by), x, self.dim)

    def value_leaf(self, x: torch.Tensor) -> torch.Tensor:
        """Return the weighted sum of the largest absolute values."""
        return (self.penalty * vectors(x, self.dim).abs().amax(-1)).sum()


def _level(x: torch.Tensor, by: Numeric) -> torch.Tensor:
    """Return vectors whose absolute values are lowered to one level, by a sum."""
    with torch.no_grad():
        descending = x.detach().abs().sort(-1, descending=True).values
        excess = descending.cumsum(-1) - by
        count = torch.arange(1, x.shape[-1] + 1, device=x.device)
        size = (count * descending > excess).sum(-1, keepdim=True).clamp(min=1)
        level = excess.gather(-1, size - 1) / size
        zero, high = level <= 0, x.abs() > level
        size = high.sum(-1, keepdim=True).clamp(
            min=1
        )  # rounding decides of an element at the level
    # Of the elements that are lowered, so that each derivative is that of this piece.
    level = (torch.where(high, x.abs(), 0.0).sum(-1, keepdim=True) - by) / size
    return torch.where(zero, 0.0, torch.where(high, x.sign() * level, x))
