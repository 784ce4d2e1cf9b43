"""A problem as functions of one flat vector, which is how the solvers see it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar, runtime_checkable

import torch

from torchopt.autodiff.line_search import divide
from torchopt.autodiff.shards import AS_ONE_VECTOR, refuse_sharded
from torchopt.autodiff.tracking import untracked
from torchopt.diff.constrained import Constrained
from torchopt.diff.kinds import Composite, Kind, Objective, SumOfSquares
from torchopt.diff.protocols import ProblemKind
from torchopt.linalg import LinearOperator, jacobian_operator
from torchopt.prox import ProximalTerm, SeparableSum
from torchopt.prox.term import passed
from torchopt.pytree import flattening as pytree
from torchopt.pytree.typing import Numeric, TensorTree
from torchopt.sets import Product, Set

K = TypeVar("K", bound=Kind)

_GOLDEN_RATIO = (1 + 5**0.5) / 2  # whose multiples, modulo one, have no pattern


@dataclass(frozen=True)
class FlatProblem:
    """A problem as functions of a flat vector, as a :class:`Solver` sees it.

    These members are stable: ``residual``, ``value``, ``gradient``, ``value_and_gradient``,
    ``least_squares_residuals``, ``prox``; ``kind`` and ``args``; ``unravel`` and ``ravel``. All others
    are provisional: they serve the solvers of this package and may change in any release.

    Each function is differentiable and works inside ``torch.func``. A solver that treats each leaf of
    the parameters by itself, as one with a simplex for each does, asks for the tree by ``unravel``.

    Attributes:
        args: Further arguments of the function.
        unravel: Returns a vector like ``x`` as a tree like the parameters.
        of: The problem as a function of trees, as modes see it.
        conditions: Whether the residual is to determine ``x`` rather than only be zero there.
        where: Words for the error where the objective is NaN, for the start; None where that is no
            error: a solver refuses such a point.
    """

    __promised__ = (
        *("args", "kind", "ravel", "unravel"),
        *("gradient", "least_squares_residuals", "prox", "residual", "value", "value_and_gradient"),
    )

    of: Kind
    args: tuple[Any, ...] = ()
    unravel: Callable[[torch.Tensor], Any] = lambda x: x
    conditions: bool = False
    where: str | None = None

    @classmethod
    def at(
        cls,
        kind: Kind,
        params: Any,
        args: tuple[Any, ...],
        *,
        conditions: bool = False,
        where: str | None = None,
    ) -> tuple[FlatProblem, torch.Tensor]:
        """Return a problem as functions of vectors, and a tree of parameters as such a vector."""
        refuse_sharded(pytree.leaves(params), "a solver of `torchopt.solver`", *AS_ONE_VECTOR)
        x, unravel = pytree.ravel(params)
        return cls(kind, args, unravel, conditions, where), x

    def ravel(self, tree: TensorTree) -> torch.Tensor:
        """Return a tree like the parameters as a vector like ``x``."""
        return pytree.ravel(tree)[0]

    @property
    def kind(self) -> ProblemKind:
        """The kind of problem, as it was passed to :func:`torchopt.solver.solve`.

        A solver that lists a class of a program in its ``kinds`` is run in the user's units, so that it
        may call whatever that kind has, with ``unravel(x)`` and ``args``.
        """
        return self.of.posed

    @property
    def is_composite(self) -> bool:
        """Whether the problem has a proximal term."""
        return isinstance(self.of, Composite)

    @property
    def term(self) -> ProximalTerm:
        """The proximal term of a composite problem, a function of the tree."""
        return self._as(Composite, "proximal term").term

    def prox(self, x: torch.Tensor, step_size: Numeric = 1.0) -> torch.Tensor:
        """Return the proximal operator of a composite problem's term; for a set, the projection.

        Without a term it returns its argument.
        """
        if not self.is_composite:
            return x
        return self._flat(self.term.prox(self.unravel(x), step_size), x)

    def term_value(self, x: torch.Tensor) -> torch.Tensor:
        """Return the proximal term's value; zero for a set, and without a term."""
        if not self.is_composite:
            return x.new_zeros(())
        return self.term.value(self.unravel(x)).to(x.dtype)

    def bounds(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the lower and upper bound of each unknown, infinite where it has none.

        For problems without a term, and those whose term has bounds only (``term.is_box``).
        """
        return self.prox(torch.full_like(x, -torch.inf)), self.prox(torch.full_like(x, torch.inf))

    @property
    def _set(self) -> Set:
        """The set of a composite problem, for solvers that need one."""
        term = self.term
        if isinstance(term, Set):
            return term
        if isinstance(term, SeparableSum) and term.is_set:
            return Product(term.parts)
        raise TypeError(
            f"the solver needs a set, but {passed(term)}: use `torchopt.solver.ProximalGradient()`."
        )

    def linear_minimizer(self, gradient: torch.Tensor) -> torch.Tensor:
        """Return the point of the set with the least product with a vector."""
        return self._flat(self._set.linear_minimizer(self.unravel(gradient)), gradient)

    def mirror_step(
        self, x: torch.Tensor, gradient: torch.Tensor, step_size: Numeric
    ) -> torch.Tensor:
        """Return a step of mirror descent in the geometry of the set."""
        trees = self.unravel(x), self.unravel(gradient)
        return self._flat(self._set.mirror_step(*trees, step_size), x)

    @property
    def length(self) -> torch.Tensor | float:
        """The length of the proximal step in a composite problem's residual."""
        length = self._as(Composite, "proximal term").length
        return 1.0 if length is None else length

    def measured_at(self, x: torch.Tensor) -> FlatProblem:
        """Return a composite problem whose residual has a step as long as the curvature asks.

        Any other problem is returned as it is.
        """
        if not isinstance(self.of, Composite):
            return self
        return replace(self, of=self.of.with_length(self.inverse_curvature(x)))

    def step_length(self, x: torch.Tensor) -> Any:
        """Return a length for the first step of descent: that of the residual, if it was measured."""
        measured = isinstance(self.of, Composite) and self.of.length is not None
        return self.length if measured else self.inverse_curvature(x)

    def inverse_curvature(self, x: torch.Tensor) -> torch.Tensor:
        """Return about one over the curvature of the objective's smooth part at a point.

        It is a power of two, so that it is constant between its jumps: derivatives of what is computed
        with it are right. The curvature is that along a fixed direction, by a finite difference.
        """
        with untracked():
            x = x.detach()
            value, gradient = self.value_and_gradient(x)
            size, steepness = largest(x), largest(gradient)
            # Nothing else has the scale of a start at zero: the objective falls to zero within this.
            fall = divide(value.abs(), steepness)
            rough = torch.where(size > 0, size, torch.where(fall > 0, fall, 1.0))
            k = torch.arange(1, x.numel() + 1, device=x.device, dtype=torch.float64)
            signs = torch.where(torch.frac(k * _GOLDEN_RATIO) < 0.5, 1.0, -1.0).to(x.dtype)
            # Relative to each unknown, which stays in the domain of logarithms.
            change = torch.where(size > 0, x.abs(), rough) * signs * torch.finfo(x.dtype).eps ** 0.5
            bend = self.value_and_gradient(x + change)[1] - gradient
            length = largest(change) / largest(bend)
            # Without curvature, the step that changes the point as a whole.
            length = torch.where((length > 0) & length.isfinite(), length, divide(rough, steepness))
            # One that underflows stays short: with a long one, a residual is as small as at a solution.
            length = length.clamp(min=torch.finfo(x.dtype).tiny)
            return power_of_two(torch.where(length.isfinite(), length, 1.0))

    def value(self, x: torch.Tensor) -> torch.Tensor:
        """Return the objective of a minimum; half the squared norm of the residuals.

        Of a composite problem it is the smooth part, to which :meth:`term_value` is added.
        """
        return self._as(Objective, "objective").value(self.unravel(x), self.args)[0].squeeze()

    def gradient(self, x: torch.Tensor) -> torch.Tensor:
        """Return the gradient of the value."""
        if isinstance(self.of, (Composite, Constrained)):
            return self.value_and_gradient(x)[1]
        return self.residual(x)

    def value_and_gradient(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return both, from one evaluation."""
        of = self._as(Objective, "objective")
        value, gradient, _ = of.value_and_residual(
            self.unravel(x), self.args, where=self.where, conditions=self.conditions
        )
        return value, self._flat(gradient, x)

    def optimality(self, x: torch.Tensor, gradient: torch.Tensor) -> torch.Tensor:
        """Return the residual of a composite problem, from the gradient of its smooth part.

        It is the gradient itself where there is no proximal term.
        """
        if not self.is_composite:
            return gradient
        t = self.length
        return (x - self.prox(x - t * gradient, t)) / t

    def residual(self, x: torch.Tensor) -> torch.Tensor:
        """Return what is zero at a solution: the gradient, ``F(x)`` or ``x - T(x)``.

        Of a composite problem it is ``(x - prox(x - t gradient, t)) / t`` with :attr:`length` t; with
        nonlinear constraints, a step projected onto their linearization.
        """
        if isinstance(self.of, Composite):
            return self.optimality(x, self.gradient(x))
        conditions = self.conditions or isinstance(self.of, Constrained)
        evaluation = self.of.evaluate(
            self.unravel(x), self.args, where=self.where, conditions=conditions
        )
        return self._flat(evaluation.residual, x)

    def least_squares_residuals(self, x: torch.Tensor) -> torch.Tensor:
        """Return what a least-squares problem squares and sums."""
        of = self._as(SumOfSquares, "residuals")
        return torch.cat([r.reshape(-1) for r in of.residuals(self.unravel(x), self.args)])

    def jacobian(self, x: torch.Tensor) -> LinearOperator:
        """Return the Jacobian of the residual: of an objective, its Hessian."""
        return jacobian_operator(self.residual, x, symmetric=self.of.symmetric)

    def _as(self, kind: type[K], what: str) -> K:
        if isinstance(self.of, kind):
            return self.of
        raise TypeError(
            f"the solver asks for the {what} of a problem of kind `{self.of.title}`, which has none: "
            f"use a solver that is content with its residual."
        )

    def _flat(self, tree: Any, like: torch.Tensor) -> torch.Tensor:
        return self.ravel(tree).to(like.dtype)


def largest(x: torch.Tensor) -> torch.Tensor:
    """Return the largest magnitude of a vector: unlike squares, it neither under- nor overflows."""
    return x.abs().amax() if x.numel() else x.sum()


def power_of_two(size: torch.Tensor) -> torch.Tensor:
    """Return the power of two below a positive number."""
    return size / torch.frexp(size).mantissa / 2


@runtime_checkable
class External(Protocol):
    """A solver that is a function once it knows the problem."""

    def function_for(self, kind: Kind) -> Callable[..., Any]:
        """Return ``solve(params, *args) -> params`` for a kind of problem."""
        ...


class Iterative:
    """A solver that iterates on a flat vector: the base of :class:`torchopt.solver.Solver`."""
