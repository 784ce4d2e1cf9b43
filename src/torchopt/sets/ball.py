"""What balls and spheres share: a radius, a centre, and the axes of their vectors."""

from __future__ import annotations

import abc
from dataclasses import KW_ONLY, dataclass, field

import torch

from torchopt import checks
from torchopt.prox.term import parameter
from torchopt.prox.vectors import DIM, Dim, along, last
from torchopt.pytree.typing import Numeric
from torchopt.sets.base import Set


@dataclass(frozen=True, eq=False)
class Ball(Set):
    """Vectors whose distance from a centre is at most a radius, or is the radius.

    A subclass writes two functions of vectors along the last axis, for the centre zero; the radius that
    they take broadcasts with the vectors.
    """

    radius: Numeric = field(default=1.0, metadata=parameter("vector"))
    center: Numeric = field(default=0.0, metadata=parameter("element", signed=True))
    _: KW_ONLY
    dim: Dim = checks.field(-1, DIM)

    def project_leaf(self, x: torch.Tensor) -> torch.Tensor:
        """Return the nearest vectors of the set."""
        return along(self._project, x, self.dim, self.center)

    def linear_minimizer_leaf(self, gradient: torch.Tensor) -> torch.Tensor:
        """Return the vectors of the set with the least product with others."""
        return along(self._minimize_linear, gradient, self.dim, self.center)

    def _project(self, x: torch.Tensor, center: Numeric) -> torch.Tensor:
        return center + self._project_vectors(x - center, last(self.radius))

    def _minimize_linear(self, gradient: torch.Tensor, center: Numeric) -> torch.Tensor:
        return center + self._linear_minimizer_vectors(gradient, last(self.radius))

    @abc.abstractmethod
    def _project_vectors(self, x: torch.Tensor, radius: Numeric) -> torch.Tensor:
        """Return the nearest vectors of the set round zero."""

    @abc.abstractmethod
    def _linear_minimizer_vectors(self, gradient: torch.Tensor, radius: Numeric) -> torch.Tensor:
        """Return the vectors of the set round zero with the least product with others."""
