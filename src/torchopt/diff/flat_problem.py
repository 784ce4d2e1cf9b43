"""A problem as functions of one flat vector, which is how the solvers see it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from torchopt.diff.kinds import FixedPoint, LeastSquares, Minimum, ProblemKind
from torchopt.linalg import LinearOperator, jacobian_operator
from torchopt.pytree import flattening as pytree

__all__ = ["FlatProblem"]


@dataclass(frozen=True)
class FlatProblem:
    """A problem as functions of a flat vector.

    Each function is differentiable and works inside ``torch.func``. A solver that treats each leaf of
    the parameters by itself, as one with a simplex for each does, asks for the tree by ``unravel``.

    Attributes:
        of: The problem as a function of trees.
        args: Further arguments of the function.
        unravel: Returns a vector like ``x`` as a tree like the parameters.
        conditions: Whether the residual is to determine ``x`` rather than only be zero there.
    """

    of: ProblemKind
    args: tuple[Any, ...] = ()
    unravel: Callable[[torch.Tensor], Any] = lambda x: x
    conditions: bool = False

    @classmethod
    def at(
        cls, kind: ProblemKind, params: Any, args: tuple[Any, ...], *, conditions: bool = False
    ) -> tuple[FlatProblem, torch.Tensor]:
        """Return a problem as functions of vectors, and a tree of parameters as such a vector."""
        x, unravel = pytree.ravel(params)
        return cls(kind, args, unravel, conditions), x

    def ravel(self, tree: Any) -> torch.Tensor:
        """Return a tree like the parameters as a vector like ``x``."""
        return pytree.ravel(tree)[0]

    @property
    def kind(self) -> str:
        """``"minimum"``, ``"root"``, ``"fixed_point"`` or ``"least_squares"``."""
        return self.of.name

    def value(self, x: torch.Tensor) -> torch.Tensor:
        """Return the objective of a minimum; half the squared norm of the residuals."""
        assert isinstance(self.of, Minimum)
        return self.of.value(self.unravel(x), self.args)[0].squeeze()

    def gradient(self, x: torch.Tensor) -> torch.Tensor:
        """Return the gradient of the value."""
        return self.residual(x)

    def value_and_gradient(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return both, from one evaluation."""
        assert isinstance(self.of, Minimum)
        value, gradient, _ = self.of.value_and_residual(self.unravel(x), self.args)
        return value, self._flat(gradient, x)

    def residual(self, x: torch.Tensor) -> torch.Tensor:
        """Return what is zero at a solution: the gradient, ``F(x)`` or ``x - T(x)``."""
        return self._flat(
            self.of.residual(self.unravel(x), self.args, conditions=self.conditions)[0], x
        )

    def map(self, x: torch.Tensor) -> torch.Tensor:
        """Return ``T(x)`` of a fixed point."""
        assert isinstance(self.of, FixedPoint)
        return self._flat(self.of.output(self.unravel(x), self.args)[0], x)

    def residuals(self, x: torch.Tensor) -> torch.Tensor:
        """Return what a least-squares problem squares and sums."""
        assert isinstance(self.of, LeastSquares)
        return torch.cat([r.reshape(-1) for r in self.of.residuals(self.unravel(x), self.args)])

    def jacobian(self, x: torch.Tensor) -> LinearOperator:
        """Return the Jacobian of the residual; of the residuals for least squares."""
        if isinstance(self.of, LeastSquares):
            return jacobian_operator(self.residuals, x)
        return jacobian_operator(self.residual, x, symmetric=self.of.symmetric)

    def _flat(self, tree: Any, like: torch.Tensor) -> torch.Tensor:
        return self.ravel(tree).to(like.dtype)
