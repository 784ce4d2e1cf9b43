"""Solve a quadratic program and differentiate its solution."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias

import torch

from torchopt import checks
from torchopt.autodiff.compiling import uncompiled
from torchopt.autodiff.loops import any_true
from torchopt.autodiff.tracking import tracking
from torchopt.autodiff.transforms import requires_grad, value_of, values_of
from torchopt.diff import CentralPath, Implicit, Solution
from torchopt.diff.quadratic_problem import QuadraticProblem
from torchopt.errors import DegenerateWarning, NotConvergedError, NotConvergedWarning
from torchopt.io.calls import explained
from torchopt.linear_solve.failure import OnFailure, fail
from torchopt.quadratic import Point, Program
from torchopt.quadratic.program import one_sided, program_of, two_sided
from torchopt.solver._interior_point import InteriorPoint
from torchopt.solver._quadratic_solver import QuadraticSolver

ProgramSolver: TypeAlias = QuadraticSolver | Callable[[Program], Point]
"""A solver of quadratic programs, or a function of a batch of them that returns solutions and duals."""

_SOLVER = checks.Word(
    "pass a solver such as `torchopt.solver.InteriorPoint()`, or a function of a "
    "`torchopt.quadratic.Program`",
    (QuadraticSolver, Callable),
    lambda solver: not isinstance(solver, type),
    TypeError,
)
_CONDITIONS = checks.Word(
    "pass `Implicit()`, without options since no other derivative is used, or `CentralPath(mu)`",
    (Implicit, CentralPath),
    lambda diff: isinstance(diff, CentralPath) or diff == Implicit(),
    none=True,
)
_OUTCOME = (NotConvergedError, NotConvergedWarning)

#: The estimated relative error of a derivative above which it is no derivative.
_MOST = 1e-3


@uncompiled
@explained
def quadratic_program(
    Q: torch.Tensor,
    c: torch.Tensor,
    *,
    G: torch.Tensor | None = None,
    h: torch.Tensor | None = None,
    A: torch.Tensor | None = None,
    b: torch.Tensor | None = None,
    h_lower: torch.Tensor | None = None,
    solver: ProgramSolver | None = None,
    diff: Implicit | CentralPath | None = None,
) -> Solution[torch.Tensor, None]:
    r"""Solve a batch of convex quadratic programs, with derivatives of every order for autograd.

    .. math:: x^* = \arg\min_x \; \tfrac12 x^\top Q x + c^\top x
        \quad\text{s.t.}\quad G x \le h, \; A x = b

    The solution is a differentiable function of all blocks, in reverse and in forward mode, also
    under ``torch.func.vmap``, by the equations of the active rows, whichever solver found it. Leading
    axes broadcast; each problem stops separately. The solution is computed in float64, and returned in
    the dtype of the blocks.

    Args:
        Q: Positive semi-definite matrices, of shape ``(..., n, n)``; zero for a linear program. Only
            the symmetric part of a matrix counts.
        c: The linear terms, ``(..., n)``.
        G: The rows of the inequalities, ``(..., m, n)``, or None.
        h: Their right-hand sides, ``(..., m)``; infinite ones are no bounds.
        A: The rows of the equalities, ``(..., p, n)``, or None.
        b: Their right-hand sides, ``(..., p)``.
        h_lower: Lower sides of the rows of ``G``, likewise: :math:`h_\text{lower} \le G x \le h`. If
            given, ``h`` may be None.
        solver: By default :class:`torchopt.solver.InteriorPoint`; another
            :class:`~torchopt.solver.QuadraticSolver`; or a function of a
            :class:`torchopt.quadratic.Program` that returns a :class:`torchopt.quadratic.Point`.
        diff: None or ``diff.Implicit()`` (without options) for the derivative above;
            :class:`torchopt.diff.CentralPath` for a smooth approximation, also where complementarity is
            not strict.

    Returns:
        The solution; ``params`` is :math:`x`, and ``stats`` a :class:`torchopt.diff.QuadraticStats`
        with the multipliers, which are differentiable (negative for rows at their lower side), and
        certificates. A problem without a solution gets NaN.

    Raises:
        TypeError: If a block is not a floating tensor, or another argument has the wrong type.
        ValueError: If the shapes do not fit.
        NotConvergedError: If a problem is not solved by a solver with ``on_failure="raise"``.

    Warns:
        NotConvergedWarning: If a problem is infeasible, unbounded or not solved.
        DegenerateWarning: If a block requires grad and the derivative seems undefined.

    Example:
        The projection of a point onto the simplex:

        >>> import torch, torchopt
        >>> point = torch.tensor([0.5, 1.0, -1.0], requires_grad=True)
        >>> solution = torchopt.quadratic_program(
        ...     torch.eye(3), -point, G=-torch.eye(3), h=torch.full((3,), -0.1),  # x >= 0.1
        ...     A=torch.ones(1, 3), b=torch.ones(1))  # the sum is 1
        >>> solution.params.detach()
        tensor([0.2000, 0.7000, 0.1000])
        >>> torch.autograd.grad(solution.params[0], point)[0][:2]
        tensor([ 0.5000, -0.5000])

    References:
        Amos and Kolter, *OptNet: Differentiable Optimization as a Layer in Neural Networks*, 2017.
    """
    solver = InteriorPoint() if solver is None else solver
    checks.check("solver", solver, _SOLVER)
    checks.check("`diff` of a quadratic program", diff, _CONDITIONS)
    problem = _problem(program_of(Q, c, *two_sided(G, h, h_lower), A, b), solver)
    solution = diff.differentiate(problem) if isinstance(diff, CentralPath) else problem.solve()
    if h_lower is not None:
        solution = replace(solution, stats=_one_sided(solution.stats))
    on_failure: OnFailure = solver.on_failure if isinstance(solver, QuadraticSolver) else "warn"
    blocks = [t for t in (Q, c, G, h, A, b, h_lower) if t is not None]
    _report(solver, solution.stats, blocks, on_failure)
    return solution


def _problem(program: Program, solver: ProgramSolver) -> QuadraticProblem:
    if isinstance(solver, InteriorPoint):
        return QuadraticProblem(program, None, solver.rtol, solver.maxiter)
    if isinstance(solver, QuadraticSolver):
        return QuadraticProblem(program, solver.solve, solver.rtol, InteriorPoint.maxiter)
    return QuadraticProblem(program, solver, QuadraticSolver.rtol, InteriorPoint.maxiter)


def _one_sided(stats: Any) -> Any:
    proof = replace(stats.certificate, z=one_sided(stats.certificate.z))
    duals = one_sided(stats.inequality_duals)
    return replace(stats, inequality_duals=duals, certificate=proof)


def _report(
    solver: ProgramSolver, stats: Any, blocks: list[torch.Tensor], on_failure: OnFailure
) -> None:
    """Raise or warn where a problem is not solved, or its derivative is not defined."""
    if on_failure == "ignore" or not stats.converged.numel():
        return
    if any_true(~stats.converged):
        who = type(solver).__name__ if isinstance(solver, QuadraticSolver) else "the solver"
        proof, left = stats.certificate, "not solved to the tolerance"
        places = {
            "infeasible": _places(proof.infeasible),
            "unbounded": _places(proof.unbounded),
            left: _places(~(stats.converged | proof.infeasible | proof.unbounded)),
        }
        named = on_failure == "raise"  # a warning's text does not differ from call to call
        reasons = ", ".join(_reason(word, at, named) for word, at in places.items() if at)
        advice = "`stats.certificate` has the proof"
        if places[left]:
            advice = (
                "raise `maxiter`, or look for NaN and for a `Q` that is not positive semi-definite"
            )
        fail(
            f"{who} found no solution",
            f"{reasons}; {advice}",
            ~stats.converged,
            on_failure=on_failure,
            outcome=_OUTCOME,
            error=float(value_of(torch.where(stats.converged, 0, stats.error)).max()),
            iterations=int(value_of(stats.iterations).max()),
            infeasible=places["infeasible"],
            unbounded=places["unbounded"],
        )
    undefined = stats.converged & (stats.derivative_error > _MOST)
    wanted = tracking() and any(map(_moves, blocks))
    if wanted and on_failure == "warn" and any_true(undefined):
        checks.warn(
            "the derivative of a quadratic program is not defined, by `stats.derivative_error`: "
            "complementarity is not strict, or the solution is not unique; use "
            "`diff=torchopt.diff.CentralPath(mu)`, or a solver with `on_failure='ignore'`.",
            DegenerateWarning,
            failed=int(value_of(undefined).sum()),
        )


def _places(which: torch.Tensor) -> list[Any]:
    """Return the indices of problems in their batch; of a single problem, an empty one."""
    indices = values_of(which).nonzero().tolist()
    return [index[0] if len(index) == 1 else tuple(index) for index in indices]


def _reason(word: str, places: list[Any], named: bool) -> str:
    if places == [()]:
        return f"the problem is {word}"
    which = f" ({', '.join(map(str, places[:5]))}{', ...' if len(places) > 5 else ''})"
    return f"problems{which if named else ''} are {word}"


def _moves(block: torch.Tensor) -> bool:
    if checks.transforms_active():
        return requires_grad(block)
    return requires_grad(block) or torch.autograd.forward_ad.unpack_dual(block).tangent is not None
