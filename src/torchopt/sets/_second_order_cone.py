"""The cone of vectors that are no longer than a bound."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

import torch

from torchopt import checks
from torchopt.prox.vectors import DIM, Dim, along, direction, length
from torchopt.sets.base import Set


@dataclass(frozen=True, eq=False)
class SecondOrderCone(Set):
    r"""Vectors whose first element is at least the Euclidean norm of the others.

    .. math::
        C = \{(t, z) : \lVert z \rVert_2 \leq t\}, \qquad
        P(t, z) = \begin{cases}
            (t, z) & \lVert z \rVert_2 \leq t \\
            (0, 0) & \lVert z \rVert_2 \leq -t \\
            \frac{\lVert z \rVert_2 + t}{2} \left(1, \frac{z}{\lVert z \rVert_2}\right)
            & \text{else}
        \end{cases}

    It is also called the Lorentz cone, or ice-cream cone. On the boundary the derivative is the
    identity, that from within.

    Args:
        dim: The axis or axes along which the vectors lie, the bound first, as in SCS and Clarabel.
            None: a leaf is one vector.

    Raises:
        ValueError: In use, if a leaf has no such axis.
        TypeError: If ``dim`` is no integers.

    Example:
        >>> import torch, torchopt
        >>> torchopt.sets.SecondOrderCone().project(torch.tensor([0.0, 3.0, 4.0]))
        tensor([2.5000, 1.5000, 2.0000])

    References:
        Parikh and Boyd, *Proximal Algorithms*, 2014, section 6.3.2.
    """

    _: KW_ONLY
    dim: Dim = checks.field(-1, DIM)

    def project_leaf(self, x: torch.Tensor) -> torch.Tensor:
        """Return the nearest vectors of the cone."""
        return along(_project, x, self.dim)


def _project(x: torch.Tensor) -> torch.Tensor:
    bound, rest = x[..., :1], x[..., 1:]
    norm = length(rest)
    inside, polar = norm <= bound, norm <= -bound
    half = (norm + bound) / 2
    nearest = torch.where(polar, 0.0, torch.cat([half, half * direction(rest)], -1))
    return torch.where(inside, x, nearest)
