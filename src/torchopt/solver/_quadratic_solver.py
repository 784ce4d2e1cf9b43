"""What solves quadratic programs: the base of these solvers."""

from __future__ import annotations

import abc
from dataclasses import dataclass

from torchopt import checks
from torchopt.io.calls import CallRepr
from torchopt.linear_solve.failure import ON_FAILURE, OnFailure
from torchopt.quadratic import Point, Program


@dataclass(frozen=True, kw_only=True, eq=False)
class QuadraticSolver(checks.Checked, CallRepr, abc.ABC):
    r"""The base of the solvers of quadratic programs: a subclass writes :meth:`solve`.

    It is for ``solver=`` of :func:`torchopt.quadratic_program`.

    The solver only finds the solution. The derivative belongs to the problem: the constraints that are
    active at the solver's point are found, the equations of the solution on these are solved to
    rounding errors from there, and differentiated. So a solver of moderate accuracy is enough.

    Args:
        rtol: How far optimality conditions may be violated, each relative to the terms that it is a
            sum of.
        on_failure: What is done when a problem is not solved, as for :class:`torchopt.solver.Solver`.

    Raises:
        ValueError: If ``rtol`` or ``on_failure`` is out of its range.

    Example:
        A solver of one's own, for programs with equalities only:

        >>> import torch, torchopt
        >>> class Direct(torchopt.solver.QuadraticSolver):
        ...     def solve(self, program):
        ...         Q, c, A, b = program.Q, program.c, program.A, program.b
        ...         zero = A.new_zeros(len(A), A.shape[-2], A.shape[-2])
        ...         matrix = torch.cat([torch.cat([Q, A.mT], -1), torch.cat([A, zero], -1)], -2)
        ...         both = torch.linalg.solve(matrix, torch.cat([-c, b], -1))
        ...         x, y = both.split([c.shape[-1], b.shape[-1]], -1)
        ...         return torchopt.quadratic.Point(x, program.h, y)
        >>> A, b = torch.ones(1, 2), torch.ones(1, requires_grad=True)
        >>> x = torchopt.quadratic_program(
        ...     torch.eye(2), torch.zeros(2), A=A, b=b, solver=Direct()).params
        >>> x.detach(), torch.autograd.grad(x[0], b)
        (tensor([0.5000, 0.5000]), (tensor([0.5000]),))
    """

    rtol: float = checks.field(1e-12, checks.POSITIVE)
    on_failure: OnFailure = checks.field("warn", ON_FAILURE)

    @abc.abstractmethod
    def solve(self, program: Program) -> Point:
        """Return solutions and multipliers for a batch of programs.

        Args:
            program: All six blocks with one leading axis of the same size, in float64, without graphs;
                of constraints that are missing there are zero rows.
        """
