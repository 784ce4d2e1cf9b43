"""The probability simplex."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass, field

import torch

from torchopt import checks
from torchopt.prox.term import parameter
from torchopt.prox.vectors import DIM, Dim, along, last, snap
from torchopt.pytree.typing import Numeric
from torchopt.sets.base import Set


@dataclass(frozen=True, eq=False)
class Simplex(Set):
    r"""Vectors of non-negative elements with a given sum: distributions, for radius 1.

    .. math::
        C = \{x \geq 0, \; \textstyle\sum_i x_i = r\}, \qquad P(x)_i = \max(x_i - \theta(x), 0)

    with the threshold :math:`\theta` for which the sum is :math:`r`, found by sorting,
    :math:`O(n \log n)`. The derivative is that of the piece: the projection onto the sum of the
    elements that stay positive. The mirror map is the negative entropy; its step is a softmax.

    Args:
        radius: The sum :math:`r > 0`: a number, or a tensor that broadcasts with the shape of a leaf
            without ``dim``; it may require grad.
        dim: The axis or axes along which the vectors lie, as for ``torch.softmax``. None: a leaf is one
            vector.

    Raises:
        ValueError: If ``radius`` is a number that is not positive; in use, if a leaf has no such axis.
        TypeError: If ``radius`` is neither a number nor a floating tensor, or ``dim`` no integers.

    Example:
        >>> import torch, torchopt
        >>> torchopt.sets.Simplex().project(torch.tensor([[0.5, 1.0], [3.0, 1.0]]))
        tensor([[0.2500, 0.7500],
                [1.0000, 0.0000]])

    References:
        Duchi et al., *Efficient Projections onto the l1-Ball for Learning in High Dimensions*, 2008,
        figure 1. Martins and Astudillo, *From Softmax to Sparsemax*, 2016 (the derivative).
    """

    radius: Numeric = field(default=1.0, metadata=parameter("vector", positive=True))
    _: KW_ONLY
    dim: Dim = checks.field(-1, DIM)

    def project_leaf(self, x: torch.Tensor) -> torch.Tensor:
        """Return the nearest vectors of the simplex."""
        return along(lambda v: project_simplex(v, last(self.radius)), x, self.dim)

    def linear_minimizer_leaf(self, gradient: torch.Tensor) -> torch.Tensor:
        """Return the vertex of the least element."""
        return along(self._vertex, gradient, self.dim)

    def _vertex(self, g: torch.Tensor) -> torch.Tensor:
        one = torch.zeros_like(g).scatter(-1, g.argmin(-1, keepdim=True), 1.0)
        return one * last(self.radius)

    def mirror_step_leaf(
        self, x: torch.Tensor, gradient: torch.Tensor, step_size: Numeric
    ) -> torch.Tensor:
        """Return a step of exponentiated gradient descent, divided by its sum."""
        return along(self._descend, x, self.dim, step_size * gradient)

    def _descend(self, x: torch.Tensor, move: torch.Tensor) -> torch.Tensor:
        # Not the softmax of a logarithm, which has no derivative where an element is zero.
        largest = (x.detach().log() - move.detach()).amax(-1, keepdim=True)
        most = math.log(torch.finfo(x.dtype).max) - 1
        weights = x * (-move - largest).clamp(max=most).exp()
        return weights / weights.sum(-1, keepdim=True) * last(self.radius)


def project_simplex(x: torch.Tensor, radius: Numeric) -> torch.Tensor:
    """Return the nearest vectors with non-negative elements of a given sum, along the last axis.

    The sum broadcasts with the vectors. Elements of minus infinity become zero. Where there is no
    nearest point, as for NaN and for infinite elements, the result is NaN.
    """
    with torch.no_grad():
        descending = x.detach().sort(-1, descending=True).values
        largest = descending[..., :1]
        count = torch.arange(1, x.shape[-1] + 1, device=x.device)
        excess = (descending - largest).cumsum(-1) - radius
        size = (count * (descending - largest) > excess).sum(-1, keepdim=True).clamp(min=1)
        positive = x - largest > excess.gather(-1, size - 1) / size
        size = positive.sum(-1, keepdim=True).clamp(min=1)
    # Of the elements that stay positive, so that each derivative is that of this piece. A constant
    # that is subtracted from all changes nothing but the rounding errors.
    x = torch.where(positive, x - largest, 0.0)
    y = torch.where(positive, x - (x.sum(-1, keepdim=True) - radius) / size, 0.0)
    return torch.where(largest.isfinite(), snap(y, y.relu()), torch.nan)
