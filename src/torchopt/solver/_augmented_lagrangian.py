"""The augmented Lagrangian method for nonlinear constraints."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import torch

from torchopt import checks
from torchopt.autodiff.half import narrow, wide
from torchopt.autodiff.line_search import divide
from torchopt.autodiff.loops import select
from torchopt.autodiff.tracking import untracked
from torchopt.diff.constrained import Constrained, vector_of
from torchopt.diff.flat_problem import FlatProblem
from torchopt.diff.kinds import Minimum
from torchopt.solver._lbfgs import LBFGS
from torchopt.solver._solver import FOR_MINIMA, Gauge, Solver


class AugmentedLagrangianState(NamedTuple):
    """The state of the augmented Lagrangian method.

    Attributes:
        residual: What is zero where the conditions of Karush, Kuhn and Tucker hold.
        equality: The multipliers of equality constraints.
        inequality: Those of inequality constraints.
        penalty: The factor of the squared violation.
        limit: The factor beyond which the objective is less than rounding errors of the squares.
        violation: The largest violation of a constraint, or of complementarity.
    """

    residual: torch.Tensor
    equality: torch.Tensor
    inequality: torch.Tensor
    penalty: torch.Tensor
    limit: torch.Tensor
    violation: torch.Tensor


@dataclass(frozen=True, kw_only=True, eq=False)
class AugmentedLagrangian(Solver[AugmentedLagrangianState]):
    r"""Minimize with nonlinear constraints, by a sequence of problems without.

    Each step minimizes

    .. math::
        f(x) + \frac{\rho}{2} \left\lVert c(x) + \frac{\nu}{\rho} \right\rVert^2
            + \frac{\rho}{2} \left\lVert \Big(g(x) + \frac{\lambda}{\rho}\Big)_+ \right\rVert^2

    over :math:`x`, from the last point, and then replaces :math:`\nu` by :math:`\nu + \rho \, c(x)` and
    :math:`\lambda` by :math:`(\lambda + \rho \, g(x))_+`. If the violation did not shrink enough, the
    penalty :math:`\rho` grows. Near the solution a step of Newton's method on the conditions of Karush,
    Kuhn and Tucker follows, with the constraints that are active. Where constraints contradict one
    another, the run ends when the objective is less than the rounding errors of the squares.

    For ``minimize(..., subject_to=torchopt.Constraints(...))``, from a few unknowns to many. Sets
    that have a projection are cheaper as sets. The objective must be bounded below near the
    constraints; like every local method, it finds a local minimum. A step costs a run of the inner
    solver, and for its stopping rule the Jacobian of the constraints and a small dense solve.

    Args:
        inner: The solver of the inner problems, one for minima. Its failures are not reported.
        penalty: The first :math:`\rho`. By default, ten times the length of the objective's gradient
            over that of half the squared violation's, so that units do not matter.
        growth: The factor by which :math:`\rho` grows.
        decrease: The share of the last violation that a step is to leave at most.
        newton: Whether steps of Newton's method follow; one is accepted if it decreases the residual as
            much. Each takes a dense matrix: turn it off for more than about a thousand unknowns.
        **common: Tolerances, on the norm of the residual :math:`x - P(x - t \nabla f(x))`, where
            :math:`P` projects onto the linearized constraints; and ``maxiter``; see :class:`Solver`.

    Raises:
        ValueError: If a number is out of its range.
        TypeError: If ``inner`` is no solver for minima.

    Example:
        The largest product of two numbers whose squares sum to one:

        >>> import torch, torchopt
        >>> solution = torchopt.minimize(
        ...     lambda x: -x[0] * x[1], torch.tensor([1.0, 2.0], dtype=torch.float64),
        ...     subject_to=torchopt.Constraints(equality=lambda x: x.square().sum() - 1),
        ...     solver=torchopt.solver.AugmentedLagrangian())
        >>> solution.params, solution.stats.equality_duals
        (tensor([0.7071, 0.7071], dtype=torch.float64), tensor(0.5000, dtype=torch.float64))

    References:
        Nocedal and Wright, *Numerical Optimization*, 2006, algorithm 17.4. Birgin and Martínez,
        *Practical Augmented Lagrangian Methods for Constrained Optimization*, 2014, algorithm 4.1.
    """

    inner: Solver[Any] = checks.field(LBFGS(), FOR_MINIMA)
    penalty: float | None = checks.field(None, checks.or_none(checks.POSITIVE))
    growth: float = checks.field(10.0, checks.number(1, ends="()"))
    decrease: float = checks.field(0.1, checks.number(0, 1, ends="()"))
    newton: bool = True
    maxiter: int = 50
    kinds = frozenset({Constrained})
    _advice_where_stuck: ClassVar[str] = (
        "no penalty makes the constraints hold near the last point, so that more steps would not help: "
        "look for constraints that contradict one another, or start elsewhere"
    )

    def init(self, problem: FlatProblem, x: torch.Tensor) -> AugmentedLagrangianState:
        """Return the state at the starting point."""
        c, g = constraints(problem, x)
        penalty = self._first_penalty(problem, x)
        return AugmentedLagrangianState(
            problem.residual(x),
            torch.zeros_like(c),
            torch.zeros_like(g),
            penalty,
            penalty / torch.finfo(penalty.dtype).eps,
            torch.full_like(x.sum(), float("inf")),
        )

    def step(
        self, problem: FlatProblem, x: torch.Tensor, state: AugmentedLagrangianState
    ) -> tuple[torch.Tensor, AugmentedLagrangianState]:
        """Return the next point, and the state there."""
        _, nu, lam, rho, limit, violation = state

        def lagrangian(x: torch.Tensor) -> torch.Tensor:
            c, g = constraints(problem, x)
            squares = (c + nu / rho).square().sum() + (g + lam / rho).relu().square().sum()
            return problem.value(x) + rho / 2 * squares

        inner = replace(self.inner, on_failure="ignore")
        x = inner.run(FlatProblem(Minimum(lagrangian)), x).x
        residual = problem.residual(x)
        c, g = constraints(problem, x)
        with untracked():
            off = torch.cat([c, torch.maximum(g, -lam / rho)]).detach().abs()
            largest = off.amax() if len(off) else off.sum()
            grows = largest > self.decrease * violation
        nu, lam = nu + rho * c, (lam + rho * g).relu()
        if self.newton:
            better = x - _newton_step(problem, x, residual)
            there = problem.residual(better)
            accepted = there.detach().norm() < self.decrease * residual.detach().norm()
            x, residual = select(accepted, (better, there), (x, residual))
            nu, lam = select(accepted, _duals(problem, x), (nu, lam))
            grows = grows & ~accepted
        rho = torch.where(grows, self.growth * rho, rho)
        return x, AugmentedLagrangianState(residual, nu, lam, rho, limit, largest)

    def stuck(self, state: AugmentedLagrangianState) -> torch.Tensor:
        """Return whether no penalty makes the constraints hold."""
        return state.penalty > state.limit

    def _judged(self, gauge: Gauge, unit: torch.Tensor | float) -> Gauge:
        """Return the gauge with the decision whether the point is a solution."""
        gauge = super()._judged(gauge, unit)
        # The residual has the unit of x; its slope is no measure where constraints have no gradient.
        share = max(self.rtol or 0.0, torch.finfo(gauge.error.dtype).eps ** 0.5)
        limit = share * torch.maximum(gauge.size, gauge.largest.norm())
        small = (gauge.error <= limit) | (gauge.error <= self.atol)
        return gauge._replace(converged=gauge.converged & small)

    def _first_penalty(self, problem: FlatProblem, x: torch.Tensor) -> torch.Tensor:
        """Return a penalty as large as the objective, whatever the units."""
        if self.penalty is not None:
            return torch.full_like(x.sum(), self.penalty)

        def violation(x: torch.Tensor) -> torch.Tensor:
            c, g = constraints(problem, x)
            # Of all inequalities, as one that holds at the start need not do so later.
            return (c.square().sum() + g.square().sum()) / 2 + 0 * x.sum()

        with untracked():
            wanted = problem.gradient(x).norm()
            there = FlatProblem(Minimum(violation)).gradient(x).norm()
            ratio = 10 * divide(wanted, there)
        usable = (ratio > 0) & ratio.isfinite()
        return torch.where(usable, ratio, 10.0).detach()


def constraints(problem: FlatProblem, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the values of equality and of inequality constraints, two vectors."""
    assert isinstance(problem.of, Constrained)
    return problem.of.constraints(problem.unravel(x), problem.args)


def _duals(problem: FlatProblem, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the multipliers of both kinds of constraints at a point, two vectors."""
    assert isinstance(problem.of, Constrained)
    duals, _ = problem.of.duals(problem.unravel(x), problem.args)
    equality, inequality = (vector_of(d, x) for d in duals)
    return equality, inequality


def _newton_step(problem: FlatProblem, x: torch.Tensor, residual: torch.Tensor) -> torch.Tensor:
    """Return the step of Newton's method on the residual; of a singular Jacobian, the residual."""
    jacobian = wide(torch.func.jacrev(problem.residual)(x))
    with untracked():
        singular = torch.linalg.lu_factor_ex(jacobian.detach())[2] != 0
        usable = jacobian.detach().isfinite().all() & ~singular
    unit = torch.eye(len(x), dtype=jacobian.dtype, device=x.device)
    step = torch.linalg.solve_ex(torch.where(usable, jacobian, unit), wide(residual))[0]
    return narrow(step, x.dtype)
