"""The probability simplex with few elements that are not zero."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace

import torch

from torchopt import checks
from torchopt.prox.vectors import along, last
from torchopt.pytree.typing import Numeric
from torchopt.sets._simplex import Simplex, project_simplex
from torchopt.sets.base import Set


@dataclass(frozen=True, eq=False)
class SparseSimplex(Simplex):
    r"""Vectors of the simplex with at most ``k`` elements that are not zero.

    .. math::
        C = \{x \geq 0, \; \textstyle\sum_i x_i = r, \; \lVert x \rVert_0 \leq k\}

    The nearest point is the projection of the ``k`` largest elements onto their simplex. The set is not
    convex: where elements are equal several points are nearest, of which this is one, and solvers find
    local solutions.

    Args:
        radius: The sum :math:`r > 0`, as of :class:`Simplex`.
        dim: The axis or axes along which the vectors lie. None: a leaf is one vector.
        k: The most elements that are not zero (≥ 1).

    Raises:
        ValueError: As :class:`Simplex`, and if ``k`` is less than 1.
        TypeError: As :class:`Simplex`, and if ``k`` is no integer.

    Example:
        >>> import torch, torchopt
        >>> torchopt.sets.SparseSimplex(k=2).project(torch.tensor([0.5, 0.25, 0.375]))
        tensor([0.5625, 0.0000, 0.4375])

    References:
        Kyrillidis et al., *Sparse Projections onto the Simplex*, 2013, theorem 1.
    """

    _: KW_ONLY
    k: int = checks.field(1, replace(checks.count(1), types=int))

    def project_leaf(self, x: torch.Tensor) -> torch.Tensor:
        """Return the nearest vectors of the set."""
        return along(lambda v: project_simplex(self._keep(v), last(self.radius)), x, self.dim)

    def _keep(self, x: torch.Tensor) -> torch.Tensor:
        largest = x.detach().topk(min(self.k, x.shape[-1]), -1).indices
        kept = torch.zeros_like(x, dtype=torch.bool).scatter(-1, largest, True)
        return torch.where(kept, x, -torch.inf)

    def mirror_step_leaf(
        self, x: torch.Tensor, gradient: torch.Tensor, step_size: Numeric
    ) -> torch.Tensor:
        """Refuse: the set is not convex."""
        return Set.mirror_step_leaf(self, x, gradient, step_size)
