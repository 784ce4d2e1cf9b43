"""The ball of the Euclidean norm."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from torchopt.prox.vectors import direction, length
from torchopt.pytree.typing import Numeric
from torchopt.sets.ball import Ball


@dataclass(frozen=True, eq=False)
class L2Ball(Ball):
    r"""Vectors whose Euclidean norm is at most a radius.

    .. math::
        C = \{x : \lVert x - c \rVert_2 \leq r\}, \qquad
        P(x) = c + d \min\!\left(1, \frac{r}{\lVert d \rVert_2}\right), \quad d = x - c

    On the boundary the derivative is the identity, that from within. The linear minimizer is
    :math:`c - r g / \lVert g \rVert_2`, and the centre for :math:`g = 0`.

    Args:
        radius: The radius :math:`r \geq 0`: a number, or a tensor that broadcasts with the shape of a
            leaf without ``dim``; it may require grad.
        center: The centre :math:`c`: a number, or a tensor that broadcasts with each leaf and may
            require grad.
        dim: The axis or axes along which the vectors lie. None: a leaf is one vector; with matrices
            this is the ball of the Frobenius norm.

    Raises:
        ValueError: If ``radius`` is negative or not finite; in use, if a leaf has no such axis, or a
            parameter does not broadcast with it.
        TypeError: If ``radius`` or ``center`` is neither a number nor a floating tensor, or ``dim`` no
            integers.

    Example:
        >>> import torch, torchopt
        >>> torchopt.sets.L2Ball(2.5).project(torch.tensor([3.0, 4.0]))
        tensor([1.5000, 2.0000])

    References:
        Parikh and Boyd, *Proximal Algorithms*, 2014, section 6.5.1.
    """

    def _project_vectors(self, x: torch.Tensor, radius: Numeric) -> torch.Tensor:
        """Return the vectors, shortened to the radius where they are longer."""
        return torch.where(length(x) <= radius, x, radius * direction(x))

    def _linear_minimizer_vectors(self, gradient: torch.Tensor, radius: Numeric) -> torch.Tensor:
        """Return the point of the boundary against the gradient."""
        return -radius * direction(gradient)
