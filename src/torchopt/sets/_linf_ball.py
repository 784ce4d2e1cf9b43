"""The ball of the largest absolute value."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from torchopt.pytree.typing import Numeric
from torchopt.sets._box import clip
from torchopt.sets.ball import Ball


@dataclass(frozen=True, eq=False)
class LinfBall(Ball):
    r"""Vectors whose elements are at most a radius in absolute value.

    .. math::
        C = \{x : \lVert x - c \rVert_\infty \leq r\}, \qquad
        P(x)_i = c_i + \min(\max(d_i, -r), r), \quad d = x - c

    It is the box from :math:`c - r` to :math:`c + r`; a radius for each element is that of a
    :class:`Box`. The linear minimizer is :math:`c - r \operatorname{sign}(g)`.

    Args:
        radius: The radius :math:`r \geq 0`: a number, or a tensor that broadcasts with the shape of a
            leaf without ``dim``; it may require grad.
        center: The centre :math:`c`: a number, or a tensor that broadcasts with each leaf and may
            require grad.
        dim: The axis or axes along which the vectors lie, each with a radius. None: a leaf is one
            vector.

    Raises:
        ValueError: If ``radius`` is negative or not finite; in use, if a leaf has no such axis, or a
            parameter does not broadcast with it.
        TypeError: If ``radius`` or ``center`` is neither a number nor a floating tensor, or ``dim`` no
            integers.

    Example:
        >>> import torch, torchopt
        >>> torchopt.sets.LinfBall(1.0).project(torch.tensor([3.0, -0.5]))
        tensor([ 1.0000, -0.5000])

    References:
        Parikh and Boyd, *Proximal Algorithms*, 2014, section 6.5.1.
    """

    def _project_vectors(self, x: torch.Tensor, radius: Numeric) -> torch.Tensor:
        """Return the elements, moved to the nearer bound."""
        return clip(x, -radius, radius)

    def _linear_minimizer_vectors(self, gradient: torch.Tensor, radius: Numeric) -> torch.Tensor:
        """Return the corner against the gradient; the middle where it is zero."""
        return -radius * gradient.sign()
