"""The sphere of the sum of absolute values."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from torchopt.pytree.typing import Numeric
from torchopt.sets._l1_ball import vertex
from torchopt.sets._simplex import project_simplex
from torchopt.sets.ball import Ball


@dataclass(frozen=True, eq=False)
class L1Sphere(Ball):
    r"""Vectors whose absolute values have a given sum.

    .. math::
        C = \{x : \lVert x - c \rVert_1 = r\}, \qquad
        P(x) = c + \operatorname{sign}(d) \, P_{\Delta_r}(|d|), \quad d = x - c

    with the projection :math:`P_{\Delta_r}` onto the simplex of radius :math:`r`. The set is not
    convex: several points may be nearest, of which this is one (an element of zero counts as positive),
    and solvers find local solutions.

    Args:
        radius: The sum :math:`r \geq 0`, as of :class:`L1Ball`.
        center: The centre :math:`c`, as of :class:`L1Ball`.
        dim: The axis or axes along which the vectors lie. None: a leaf is one vector.

    Raises:
        ValueError: As :class:`L1Ball`.
        TypeError: As :class:`L1Ball`.

    Example:
        >>> import torch, torchopt
        >>> torchopt.sets.L1Sphere(2.0).project(torch.tensor([0.5, -0.25]))
        tensor([ 1.1250, -0.8750])

    References:
        Duchi et al., *Efficient Projections onto the l1-Ball for Learning in High Dimensions*, 2008,
        section 4.
    """

    def _project_vectors(self, x: torch.Tensor, radius: Numeric) -> torch.Tensor:
        """Return the nearest vectors with this sum, of the same signs."""
        sign = torch.where(x < 0, -1.0, x.new_ones(()))
        return sign * project_simplex(x * sign, radius)

    def _linear_minimizer_vectors(self, gradient: torch.Tensor, radius: Numeric) -> torch.Tensor:
        """Return the vertex against the largest element; the first one for a gradient of zero."""
        return radius * vertex(nonzero(gradient))


def nonzero(x: torch.Tensor) -> torch.Tensor:
    """Return the vectors, the first unit vector in the place of zero."""
    first = torch.arange(x.shape[-1], device=x.device) == 0
    return torch.where((x == 0).all(-1, keepdim=True), first.to(x.dtype), x)
