"""Newton's method: solve the linearized problem, and search along its solution."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import torch

from torchopt import checks
from torchopt.autodiff.line_search import LineSearch, backtrack, divide
from torchopt.autodiff.loops import any_true, once
from torchopt.autodiff.tracking import untracked
from torchopt.diff.equations import Root
from torchopt.diff.flat_problem import FlatProblem
from torchopt.diff.kinds import Minimum
from torchopt.linear_solve import Dense
from torchopt.linear_solve.checking import LINEAR_SOLVER
from torchopt.operators.implicit_function import implicit
from torchopt.operators.linear import LinearOperator, normal_operator
from torchopt.pytree.typing import TensorTree
from torchopt.solver._solver import Solver


class NewtonState(NamedTuple):
    """The state of Newton's method.

    Attributes:
        residual: ``F(x)``, ``x - T(x)`` of a fixed point, or the gradient.
        merit: What a step must lower: the objective, or half the squared norm of the residual.
        stuck: Whether no step could lower it.
    """

    residual: torch.Tensor
    merit: torch.Tensor
    stuck: torch.Tensor


@dataclass(frozen=True, kw_only=True, eq=False)
class Newton(Solver[NewtonState]):
    r"""Newton's method with a line search, for minima, roots and fixed points.

    .. math:: J(x_k) \, d_k = -F(x_k), \qquad x_{k+1} = x_k + t_k \, d_k

    with the Jacobian :math:`J` of the residual :math:`F`: the Hessian and the gradient of an
    objective, :math:`I - \partial T` and :math:`x - T(x)` of a fixed point. A step length
    :math:`t_k = 1, \tfrac12, \tfrac14, \dots` is taken that lowers the objective of a minimum, and
    :math:`\lVert F \rVert` otherwise, by enough. Where :math:`d_k` does not lead downhill (an
    indefinite Hessian, a singular Jacobian), steepest descent takes its place.

    Converges quadratically: a few steps from a good start. A step costs one linear solve (with the
    default, as many Jacobian products as there are unknowns, and a factorization) and one or
    two evaluations of the residual. With an iterative linear solver that stops early, this is the
    inexact Newton method.

    Args:
        linear_solve: ``linear_solve(operator, b) -> x``; by default a dense factorization, for up to
            a few thousand unknowns: LU, or Cholesky for minima, which notices where a Hessian is not
            positive definite. Give it a ``ridge`` to damp the steps; for minima, ``CG(
            on_failure="ignore")`` is the truncated Newton method.
        line_search: Whether to shorten steps; without, every step is a full one.
        c1: The constant of sufficient decrease.
        line_search_maxiter: The most halvings of a step.
        **common: Tolerances, on :math:`\lVert F(x) \rVert_2`, and ``maxiter``; see :class:`Solver`.

    Raises:
        ValueError: If a number is out of its range.
        TypeError: If ``linear_solve`` cannot be called.

    Example:
        >>> import torch, torchopt
        >>> solution = torchopt.root(
        ...     lambda x: x**2 - 2, torch.tensor(1.0), solver=torchopt.solver.Newton())
        >>> solution.params, solution.iterations
        (tensor(1.4142), tensor(3))

    References:
        Nocedal and Wright, *Numerical Optimization*, 2006, algorithms 3.1 and 3.2 (minima) and
        11.1 and 11.4 (roots).
    """

    linear_solve: Callable[..., TensorTree] | None = checks.field(None, LINEAR_SOLVER)
    line_search: bool = True
    c1: float = checks.field(1e-4, checks.number(0, 0.5, ends="()"))
    line_search_maxiter: int = checks.field(30, checks.count(1))
    maxiter: int = 100
    kinds = frozenset({Minimum, Root})

    def init(self, problem: FlatProblem, x: torch.Tensor) -> NewtonState:
        """Return the state at the starting point."""
        merit, residual = self._merit(problem, x)
        return NewtonState(residual, merit, torch.zeros_like(merit, dtype=torch.bool))

    def step(
        self, problem: FlatProblem, x: torch.Tensor, state: NewtonState
    ) -> tuple[torch.Tensor, NewtonState]:
        """Return the next point, and the state there."""
        residual, merit, _ = state
        direction, slope = once(lambda: self._direction(problem, x, residual))
        if not self.line_search:
            merit, residual = self._merit(problem, x + direction)
            return x + direction, NewtonState(residual, merit, state.stuck)

        # Near a minimum, its value is the same up to rounding.
        noise = 10 * torch.finfo(x.dtype).eps * merit.detach().abs()
        t, new_merit, new_residual = backtrack(
            lambda t: self._merit(problem, x + t * direction),
            lambda t: merit + self.c1 * t * slope + noise,
            LineSearch(torch.zeros_like(merit), merit, residual),
            self.line_search_maxiter,
        )
        return x + t * direction, NewtonState(new_residual, new_merit, (t == 0) | (slope == 0))

    def _direction(
        self, problem: FlatProblem, x: torch.Tensor, residual: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the direction of a step, with a line search one that goes down, and the slope."""
        direction = solve_for_step(
            self.linear_solve, lambda x: self._operator(problem, x), (x,), residual
        )
        if not self.line_search:
            return direction, torch.zeros_like(residual.sum())
        gradient, curvature = residual, self._operator(problem, x)
        if not _has_objective(problem):
            gradient, curvature = curvature.T(residual), normal_operator(curvature)
        return _downhill(direction, gradient, curvature)

    def _operator(self, problem: FlatProblem, x: torch.Tensor) -> LinearOperator:
        return problem.jacobian(x)

    def _merit(self, problem: FlatProblem, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return what a step has to lower, and the residual."""
        if _has_objective(problem):
            return problem.value_and_gradient(x)
        residual = problem.residual(x)
        return residual @ residual / 2, residual


def solve_for_step(
    linear_solve: Callable[..., TensorTree] | None,
    operator: Callable[..., LinearOperator],
    at: tuple[torch.Tensor, ...],
    residual: torch.Tensor,
) -> torch.Tensor:
    """Return the solution ``d`` of ``A d = -residual``, differentiable whatever the linear solver.

    Args:
        linear_solve: ``linear_solve(A, b) -> x``; None: a dense one, which gives zero if it fails.
        operator: ``operator(*at) -> A``, called again for each derivative.
        at: The arguments of ``operator``, besides what it captures.
        residual: The negative of the right-hand side.
    """

    def system(residual: torch.Tensor, *at: torch.Tensor) -> tuple[LinearOperator, torch.Tensor]:
        A = operator(*at)
        # A problem of a batch that has become NaN is its own: the others go on.
        fine = residual.isfinite().all()
        guarded = LinearOperator(
            lambda v: torch.where(fine, A(v), v),
            None if A.rmatvec is None else lambda u: torch.where(fine, A.T(u), u),
            A.symmetric,
        )
        return guarded, -torch.where(fine, residual, 0.0)

    def equation(d: torch.Tensor, *inputs: torch.Tensor) -> torch.Tensor:
        A, b = system(*inputs)
        return A(d) - b

    A, b = system(residual, *at)
    if linear_solve is None:
        linear_solve = Dense(method="cholesky" if A.symmetric else "lu", on_failure="ignore")
    with untracked():
        d = linear_solve(A, b)
    return implicit(
        equation, d, linear_solve=linear_solve, inputs=(residual, *at), symmetric=A.symmetric
    )


def _has_objective(problem: FlatProblem) -> bool:
    return isinstance(problem.of, Minimum)


def _downhill(
    direction: torch.Tensor, gradient: torch.Tensor, curvature: LinearOperator
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return a direction of descent and the slope along it."""
    slope = gradient @ direction
    # By the terms of the product: their signs do not depend on the units of the unknowns.
    rounding = torch.finfo(slope.dtype).eps * (gradient.abs() @ direction.abs())
    # So are a direction that is NaN, and zero from a solve that failed.
    uphill = ~(slope <= -rounding) | ((slope == 0) & (gradient != 0).any())
    if not any_true(uphill):
        return direction, slope
    # Down the gradient, as far as the curvature there says.
    length = divide(gradient @ gradient, (gradient @ curvature(gradient)).abs())
    length = torch.where((length > 0) & length.isfinite(), length, 1.0)
    direction = torch.where(uphill, -length * gradient, direction)
    return direction, gradient @ direction
