"""A problem as functions of one flat vector, which is how the solvers see it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, runtime_checkable

import torch

from torchopt.diff.equations import FixedPoint, OwnKind
from torchopt.diff.kinds import Kind, LeastSquares, Minimum
from torchopt.diff.protocols import ProblemKind
from torchopt.linalg import LinearOperator, jacobian_operator
from torchopt.pytree import flattening as pytree

__all__ = ["FlatProblem", "Iterative"]

K = TypeVar("K", bound=Kind)


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

    of: Kind
    args: tuple[Any, ...] = ()
    unravel: Callable[[torch.Tensor], Any] = lambda x: x
    conditions: bool = False

    @classmethod
    def at(
        cls, kind: Kind, params: Any, args: tuple[Any, ...], *, conditions: bool = False
    ) -> tuple[FlatProblem, torch.Tensor]:
        """Return a problem as functions of vectors, and a tree of parameters as such a vector."""
        x, unravel = pytree.ravel(params)
        return cls(kind, args, unravel, conditions), x

    def ravel(self, tree: Any) -> torch.Tensor:
        """Return a tree like the parameters as a vector like ``x``."""
        return pytree.ravel(tree)[0]

    @property
    def kind(self) -> str:
        """``"minimum"``, ``"root"``, ``"fixed_point"``, ``"least_squares"``, or a name of its own."""
        return self.of.name

    @property
    def own_kind(self) -> ProblemKind | None:
        """The kind that was passed to :func:`torchopt.solve`; None for those of the other functions.

        A solver for a kind with a name of its own is run in the user's units, so that it may call
        whatever that kind has, with ``unravel(x)`` and ``args``.
        """
        return self.of.own if isinstance(self.of, OwnKind) else None

    def value(self, x: torch.Tensor) -> torch.Tensor:
        """Return the objective of a minimum; half the squared norm of the residuals."""
        return self._as(Minimum, "objective").value(self.unravel(x), self.args)[0].squeeze()

    def gradient(self, x: torch.Tensor) -> torch.Tensor:
        """Return the gradient of the value."""
        return self.residual(x)

    def value_and_gradient(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return both, from one evaluation."""
        of = self._as(Minimum, "objective")
        value, gradient, _ = of.value_and_residual(self.unravel(x), self.args)
        return value, self._flat(gradient, x)

    def residual(self, x: torch.Tensor) -> torch.Tensor:
        """Return what is zero at a solution: the gradient, ``F(x)`` or ``x - T(x)``."""
        evaluation = self.of.evaluate(self.unravel(x), self.args, conditions=self.conditions)
        return self._flat(evaluation.residual, x)

    def map(self, x: torch.Tensor) -> torch.Tensor:
        """Return ``T(x)`` of a fixed point."""
        of = self._as(FixedPoint, "map")
        return self._flat(of.output(self.unravel(x), self.args)[0], x)

    def residuals(self, x: torch.Tensor) -> torch.Tensor:
        """Return what a least-squares problem squares and sums."""
        of = self._as(LeastSquares, "residuals")
        return torch.cat([r.reshape(-1) for r in of.residuals(self.unravel(x), self.args)])

    def jacobian(self, x: torch.Tensor) -> LinearOperator:
        """Return the Jacobian of the residual; of the residuals for least squares."""
        if isinstance(self.of, LeastSquares):
            return jacobian_operator(self.residuals, x)
        return jacobian_operator(self.residual, x, symmetric=self.of.symmetric)

    def _as(self, kind: type[K], what: str) -> K:
        if isinstance(self.of, kind):
            return self.of
        raise TypeError(
            f"the solver asks for the {what} of a {self.kind}, which has none: use a solver that is "
            f"content with its residual."
        )

    def _flat(self, tree: Any, like: torch.Tensor) -> torch.Tensor:
        return self.ravel(tree).to(like.dtype)


@runtime_checkable
class Iterative(Protocol):
    """A solver that iterates on a flat vector; see :class:`torchopt.solver.Solver`."""

    @property
    def has_stationarity(self) -> bool:
        """Whether its :meth:`stationarity` is not the residual of the problem."""
        ...

    def check_kind(self, problem: FlatProblem) -> None:
        """Raise ``ValueError`` if this solver is not for such a problem."""
        ...

    def init(self, problem: FlatProblem, x: torch.Tensor) -> Any:
        """Return the state at the starting point."""
        ...

    def step(self, problem: FlatProblem, x: torch.Tensor, state: Any) -> tuple[torch.Tensor, Any]:
        """Return the next point, and the state there."""
        ...

    def stationarity(self, problem: FlatProblem, x: torch.Tensor) -> torch.Tensor:
        """Return what is zero at the points that the solver looks for."""
        ...

    def run(self, problem: FlatProblem, x: torch.Tensor) -> Any:
        """Return the last point and what became of it."""
        ...
