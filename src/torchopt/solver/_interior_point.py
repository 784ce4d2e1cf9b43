"""The interior point method for quadratic programs."""

from __future__ import annotations

from dataclasses import dataclass

from torchopt import checks
from torchopt.quadratic import Point, Program
from torchopt.quadratic.solving import solve_program
from torchopt.solver._quadratic_solver import QuadraticSolver


@dataclass(frozen=True, kw_only=True, eq=False)
class InteriorPoint(QuadraticSolver):
    r"""A primal-dual interior point method for batches of dense quadratic programs.

    Mehrotra's predictor-corrector method runs on all problems of a batch at once, in float64, with one
    Cholesky factorization of an :math:`n \times n` matrix for each step. As soon as the active
    constraints seem to be known, the equations of the solution on these are solved to rounding errors;
    a point that satisfies all optimality conditions ends the run of its problem. Equalities and
    semi-definite matrices :math:`Q` are treated by the proximal method of multipliers, so that neither
    needs full rank.

    It is for problems of up to some hundreds of unknowns; it does not use sparsity.

    Args:
        maxiter: The most steps to do.
        **common: ``rtol`` and ``on_failure`` of :class:`QuadraticSolver`.

    Raises:
        ValueError: If a number is out of its range.

    Example:
        >>> import torch, torchopt
        >>> solver = torchopt.solver.InteriorPoint(on_failure="raise")
        >>> G, h = -torch.eye(2), torch.tensor([-1.0, 2.0])
        >>> torchopt.quadratic_program(torch.eye(2), torch.ones(2), G=G, h=h, solver=solver).params
        tensor([ 1., -1.])

    References:
        Mehrotra, *On the Implementation of a Primal-Dual Interior Point Method*, 1992. Pougkakiotis and
        Gondzio, *An Interior Point-Proximal Method of Multipliers for Convex Quadratic Programming*,
        2021.
    """

    maxiter: int = checks.field(50, checks.count(1))

    def solve(self, program: Program) -> Point:
        """Return solutions and multipliers for a batch of programs."""
        solution = solve_program(program, rtol=self.rtol, maxiter=self.maxiter)
        return Point(solution.x, solution.z, solution.y)
