"""A linear equation for each vector."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field

import torch

from torchopt import checks
from torchopt.prox.term import parameter
from torchopt.prox.vectors import DIM, Dim, along, last
from torchopt.pytree.typing import Numeric
from torchopt.sets.base import Set, unless_empty


@dataclass(frozen=True, eq=False)
class LinearSet(Set):
    """Vectors with a condition on their product with a normal vector."""

    normal: Numeric = field(metadata=parameter("element", signed=True))
    offset: Numeric = field(default=0.0, metadata=parameter("vector", signed=True, infinite=True))
    _: KW_ONLY
    dim: Dim = checks.field(-1, DIM)

    def project_leaf(self, x: torch.Tensor) -> torch.Tensor:
        """Return the nearest vectors of the set."""
        return along(self._project, x, self.dim, self.normal)

    def _project(self, x: torch.Tensor, normal: Numeric) -> torch.Tensor:
        normal = torch.as_tensor(normal, dtype=x.dtype, device=x.device).expand_as(x)
        # A constant factor of the equation, so that squares neither overflow nor underflow.
        scale = normal.detach().abs().amax(-1, keepdim=True)
        scale = torch.where(scale == 0, 1.0, scale)
        normal, offset = normal / scale, last(self.offset) / scale
        excess = self._excess((normal * x).sum(-1, keepdim=True) - offset)
        square = normal.square().sum(-1, keepdim=True)
        moved = x - excess / torch.where(square == 0, 1.0, square) * normal
        missed = self._excess(torch.zeros_like(square) - offset.detach())
        return unless_empty(
            moved,
            missed.isfinite() & ((square != 0) | (missed == 0)),
            lambda at: (
                f"`offset` is {(offset * scale).expand_as(missed)[at].item()}"
                f"{' where `normal` is zero' if square[at] == 0 else ''}"
            ),
        )

    def _excess(self, excess: torch.Tensor) -> torch.Tensor:
        """Return by how much a product that is so much larger than the offset has to change."""
        return excess


@dataclass(frozen=True, eq=False)
class Hyperplane(LinearSet):
    r"""Vectors with a given product with a normal vector.

    .. math::
        C = \{x : a^\top x = b\}, \qquad P(x) = x - \frac{a^\top x - b}{a^\top a} \, a

    With a normal vector of zero the projection is ``x``, unless ``offset`` is not zero: then the set is
    empty, which is refused. For several equations for a vector use :class:`AffineSet`.

    Args:
        normal: The vector :math:`a`: a tensor that broadcasts with each leaf, or a number, that of all
            elements; it may require grad.
        offset: The product :math:`b`: a number, or a tensor that broadcasts with the shape of a leaf
            without ``dim``; it may require grad.
        dim: The axis or axes along which the vectors lie. None: a leaf is one vector.

    Raises:
        ValueError: If ``normal`` is not finite, or ``offset`` NaN; in use, if the set is empty, a leaf
            has no such axis, or a parameter does not broadcast with it. Tensors are looked at on the
            CPU outside of transforms and compiled code; elsewhere results are NaN.
        TypeError: If ``normal`` or ``offset`` is neither a number nor a floating tensor, or ``dim`` no
            integers.

    Example:
        >>> import torch, torchopt
        >>> torchopt.sets.Hyperplane(torch.tensor([1.0, 2.0]), 5.0).project(torch.zeros(2))
        tensor([1., 2.])

    References:
        Parikh and Boyd, *Proximal Algorithms*, 2014, section 6.2.
    """
