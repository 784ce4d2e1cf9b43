"""The quadratic program as a problem that a mode is given, and what its solution says besides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from torchopt.diff.constrained import ConstrainedStats
from torchopt.diff.solution import Solution
from torchopt.pytree.dataclass import register_dataclass
from torchopt.quadratic import Certificate, Program
from torchopt.quadratic.solving import ProgramSolver, solve_program


@register_dataclass
@dataclass(frozen=True, kw_only=True, eq=False)
class QuadraticStats(ConstrainedStats):
    r"""Statistics of a quadratic program: those of any constrained problem, and a certificate.

    Attributes:
        inequality_duals: The multipliers :math:`z \ge 0` of :math:`G x \le h`, differentiable. Of
            rows with two sides, negative at the lower one.
        equality_duals: The multipliers :math:`y` of :math:`A x = b`; differentiable.
        certificate: Why a problem has no solution.

    Example:
        >>> import torch, torchopt
        >>> one = torch.ones(1, 1)
        >>> torchopt.quadratic_program(  # the least x * x / 2 for x >= 1
        ...     one, torch.zeros(1), G=-one, h=torch.tensor([-1.0])).stats.inequality_duals
        tensor([1.])
    """

    certificate: Certificate | None = None


@dataclass(frozen=True)
class QuadraticProblem:
    """A quadratic program and what solves it.

    Attributes:
        program: The blocks.
        solver: What solves it; None for the interior point method.
        rtol: The tolerance on the optimality conditions.
        maxiter: The most steps of the interior point method.
    """

    program: Program
    solver: ProgramSolver | None
    rtol: float
    maxiter: int

    def solve(self, mu: Any = None) -> Solution:
        """Return the solution, or the point of the central path, differentiable in all blocks."""
        program = self.program
        x, z, y, iterations, error, derivative_error, converged, certificate = solve_program(
            program, solver=self.solver, mu=mu, rtol=self.rtol, maxiter=self.maxiter
        )
        with torch.no_grad():
            curvature = (program.Q @ x.unsqueeze(-1)).squeeze(-1)
            value = (x * (curvature / 2 + program.c)).sum(-1)
        stats = QuadraticStats(
            iterations=iterations,
            error=error,
            converged=converged,
            derivative_error=derivative_error,
            inequality_duals=z,
            equality_duals=y,
            certificate=certificate,
        )
        return Solution(x, None, value=value.detach(), stats=stats)
