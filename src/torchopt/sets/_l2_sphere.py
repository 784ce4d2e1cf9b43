"""The sphere of the Euclidean norm."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from torchopt.prox.vectors import direction
from torchopt.pytree.typing import Numeric
from torchopt.sets._l1_sphere import nonzero
from torchopt.sets.ball import Ball


@dataclass(frozen=True, eq=False)
class L2Sphere(Ball):
    r"""Vectors whose Euclidean norm is a radius: directions, for radius 1.

    .. math::
        C = \{x : \lVert x - c \rVert_2 = r\}, \qquad
        P(x) = c + r \frac{d}{\lVert d \rVert_2}, \quad d = x - c

    The set is not convex: solvers find local solutions. From the centre all points are equally near;
    the projection is then that in the direction of the first axis, and does not depend on ``x``. The
    linear minimizer is :math:`c - r g / \lVert g \rVert_2`.

    Args:
        radius: The radius :math:`r \geq 0`: a number, or a tensor that broadcasts with the shape of a
            leaf without ``dim``; it may require grad.
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
        >>> torchopt.sets.L2Sphere().project(torch.tensor([[3.0, 4.0], [0.0, 0.5]]))
        tensor([[0.6000, 0.8000],
                [0.0000, 1.0000]])

    References:
        Absil, Mahony and Sepulchre, *Optimization Algorithms on Matrix Manifolds*, 2008, section 4.1.1.
    """

    def _project_vectors(self, x: torch.Tensor, radius: Numeric) -> torch.Tensor:
        """Return the vectors with this length, of the same direction."""
        return radius * direction(nonzero(x))

    def _linear_minimizer_vectors(self, gradient: torch.Tensor, radius: Numeric) -> torch.Tensor:
        """Return the point against the gradient."""
        return self._project_vectors(-gradient, radius)
