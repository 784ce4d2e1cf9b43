"""The ball of the sum of absolute values, whose points are sparse."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from torchopt.pytree.typing import Numeric
from torchopt.sets._simplex import project_simplex
from torchopt.sets.ball import Ball


@dataclass(frozen=True, eq=False)
class L1Ball(Ball):
    r"""Vectors whose absolute values have at most a given sum: the constraint of the lasso.

    .. math::
        C = \{x : \lVert x - c \rVert_1 \leq r\}, \qquad
        P(x)_i = c_i + \operatorname{sign}(d_i) \max(|d_i| - \theta(d), 0), \quad d = x - c

    with :math:`\theta = 0` in the ball, and outside of it the threshold for which the sum is :math:`r`,
    found by sorting, :math:`O(n \log n)`. On the boundary the derivative is the identity, that from
    within. The linear minimizer is a vertex, :math:`c - r \operatorname{sign}(g_i) e_i` at the largest
    :math:`|g_i|`.

    Args:
        radius: The sum :math:`r \geq 0`: a number, or a tensor that broadcasts with the shape of a leaf
            without ``dim``; it may require grad.
        center: The centre :math:`c`: a number, or a tensor that broadcasts with each leaf and may
            require grad.
        dim: The axis or axes along which the vectors lie. None: a leaf is one vector.

    Raises:
        ValueError: If ``radius`` is negative or not finite; in use, if a leaf has no such axis, or a
            parameter does not broadcast with it.
        TypeError: If ``radius`` or ``center`` is neither a number nor a floating tensor, or ``dim`` no
            integers.

    Example:
        >>> import torch, torchopt
        >>> torchopt.sets.L1Ball(2.0).project(torch.tensor([3.0, -2.0, 0.25]))
        tensor([ 1.5000, -0.5000,  0.0000])

    References:
        Duchi et al., *Efficient Projections onto the l1-Ball for Learning in High Dimensions*, 2008,
        section 4.
    """

    def _project_vectors(self, x: torch.Tensor, radius: Numeric) -> torch.Tensor:
        """Return the vectors, with elements nearer to zero where their sum is too large."""
        sign = torch.where(x < 0, -1.0, x.new_ones(()))
        size = x * sign
        inside = size.sum(-1, keepdim=True) <= radius
        return torch.where(inside, x, sign * project_simplex(size, radius))

    def _linear_minimizer_vectors(self, gradient: torch.Tensor, radius: Numeric) -> torch.Tensor:
        """Return the vertex against the largest element; zero for a gradient of zero."""
        return radius * vertex(gradient)


def vertex(gradient: torch.Tensor) -> torch.Tensor:
    """Return the unit vectors against the largest elements; zero for zero."""
    largest = gradient.abs().argmax(-1, keepdim=True)
    sign = gradient.gather(-1, largest).sign()
    return torch.zeros_like(gradient).scatter(-1, largest, -sign)
