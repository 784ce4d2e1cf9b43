"""A linear inequality for each vector."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from torchopt.sets._hyperplane import LinearSet


@dataclass(frozen=True, eq=False)
class HalfSpace(LinearSet):
    r"""Vectors whose product with a normal vector is at most a number.

    .. math::
        C = \{x : a^\top x \leq b\}, \qquad
        P(x) = x - \frac{\max(a^\top x - b, 0)}{a^\top a} \, a

    On the boundary the derivative is the identity, that from within. With a normal vector of zero the
    projection is ``x``, unless ``offset`` is negative: then the set is empty, which is refused.

    Args:
        normal: The vector :math:`a`, which points out of the set: a tensor that broadcasts with each
            leaf, or a number, that of all elements; it may require grad.
        offset: The bound :math:`b`: a number, or a tensor that broadcasts with the shape of a leaf
            without ``dim``; it may require grad.
        dim: The axis or axes along which the vectors lie. None: a leaf is one vector.

    Raises:
        ValueError: As :class:`Hyperplane`.
        TypeError: If ``normal`` or ``offset`` is neither a number nor a floating tensor, or ``dim`` no
            integers.

    Example:
        A budget: the sum is at most 1.

        >>> import torch, torchopt
        >>> torchopt.sets.HalfSpace(1.0, 1.0).project(torch.tensor([2.0, 1.0]))
        tensor([1., 0.])

    References:
        Parikh and Boyd, *Proximal Algorithms*, 2014, section 6.2.
    """

    def _excess(self, excess: torch.Tensor) -> torch.Tensor:
        return excess.relu()
