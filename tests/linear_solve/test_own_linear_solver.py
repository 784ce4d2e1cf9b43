"""Linear solvers of one's own, with public names only: one that iterates, and a direct one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest
import torch
from torch import Tensor

import torchopt
from linear_solve._systems import F64, ConjugateResiduals, spd, vector
from torchopt.errors import LinearSolveError, LinearSolveWarning
from torchopt.linear_solve import IterativeLinearSolver, KrylovSolver, LinearSolver, LinearSystem


@dataclass(frozen=True, kw_only=True, eq=False)
class Diagonal(LinearSolver):
    """The solution of a diagonal system, by one product."""

    advice = "take another solver: the matrix is not diagonal"

    def solve_flat(self, system: LinearSystem) -> tuple[Tensor, Tensor | None, Tensor]:
        x = system.b / system.A(torch.ones_like(system.b))
        return x, None, torch.zeros((), dtype=torch.int64)


@dataclass(frozen=True, kw_only=True, eq=False)
class Jacobi(IterativeLinearSolver):
    """Jacobi's method; fifty steps, by default, and any that has lowered the residual is one."""

    diagonal: Any

    def iteration_limit(self, unknowns: int) -> int:
        return 50 if self.maxiter is None else self.maxiter

    def failed(self, system: LinearSystem, residual: Tensor) -> Tensor:
        return residual > torch.linalg.vector_norm(system.b)

    def solve_flat(self, system: LinearSystem) -> tuple[Tensor, Tensor | None, Tensor]:
        (x, r), iterations = torchopt.solver.iterate(
            lambda c: (c[0] + c[1] / self.diagonal, system.residual(c[0] + c[1] / self.diagonal)),
            (system.x0, system.r0),
            lambda c: torch.linalg.vector_norm(c[1]) > system.tolerance,
            maxiter=system.maxiter,
        )
        return x, r, iterations


def test_it_is_the_linear_solver_of_a_mode() -> None:
    A, phi = spd(4), vector(4).requires_grad_()
    solution = torchopt.minimize(
        lambda x, phi: x @ A @ x / 2 - phi @ x,
        torch.zeros(4, dtype=F64),
        (phi,),
        solver=torchopt.solver.Newton(linear_solve=ConjugateResiduals()),
        diff=torchopt.diff.Implicit(linear_solve=ConjugateResiduals()),
    )
    weight = vector(4, 3)
    (found,) = torch.autograd.grad(weight @ solution.params, phi)
    torch.testing.assert_close(found, torch.linalg.solve(A, weight), rtol=1e-8, atol=1e-9)


def test_a_direct_solver_has_trees_and_an_advice_of_its_own() -> None:
    b = {"u": vector(3), "v": vector(2, 7)}
    x = Diagonal(ridge=1.0)(lambda v: {"u": 2 * v["u"], "v": 4 * v["v"]}, b)
    torch.testing.assert_close(x, {"u": b["u"] / 3, "v": b["v"] / 5})
    A, c = spd(3), vector(3)
    with pytest.warns(LinearSolveWarning, match="Diagonal did not converge: .*; take another sol"):
        Diagonal()(lambda v: A @ v, c)
    with pytest.raises(LinearSolveError, match="the matrix is not diagonal") as told:
        Diagonal(on_failure="raise")(lambda v: A @ v, c)
    residual = c - A @ (c / A.sum(1))
    assert told.value.error == pytest.approx(float(residual.norm()), rel=1e-12)
    assert told.value.tolerance == pytest.approx(1e-10 * float(c.norm()), rel=1e-12)
    assert (told.value.iterations, told.value.failed) == (0, 1)


def test_what_is_a_failure_and_the_limit_of_iterations_are_the_solvers_own() -> None:
    A, b = torch.eye(4, dtype=F64) * 5 + spd(4) / 10, vector(4)
    rough = Jacobi(diagonal=A.diagonal(), rtol=0.0)
    solution = rough.solve(lambda v: A @ v, b)  # not converged, and no warning
    x, stats = solution.x, solution.stats
    assert stats.iterations == 50
    assert not stats.converged
    torch.testing.assert_close(x, torch.linalg.solve(A, b))
    assert replace(rough, maxiter=3).solve(lambda v: A @ v, b).stats.iterations == 3
    with pytest.warns(LinearSolveWarning, match="Jacobi did not converge"):
        replace(rough, diagonal=0.1 * A.diagonal())(lambda v: A @ v, b)


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        (
            lambda x: x,
            r"returned a tensor of shape \({n},\): return a tuple `{form}`, the first a tensor",
        ),
        (lambda x: [x, None, 1], "returned an object of type list: return a tuple"),
        (lambda x: (x,), "returned an object of type tuple with 1 entries: return a tuple"),
    ],
)
def test_what_is_no_tuple_of_the_protocol_is_refused(returned: Any, words: str) -> None:
    """A vector of as many entries would be unpacked, too."""

    class Iterates(KrylovSolver):
        def iterate(self, system: LinearSystem) -> Any:
            return returned(system.b)

    class Direct(LinearSolver):
        def solve_flat(self, system: LinearSystem) -> Any:
            return returned(system.b)

    for solver, n, method, form in (
        (Iterates(), 2, "iterate", r"\(x, iterations\)"),
        (Direct(), 3, "solve_flat", r"\(x, residual, iterations\)"),
    ):
        found = f"^`{type(solver).__name__}.{method}` {words.format(n=n, form=form)}"
        with pytest.raises(TypeError, match=found):
            solver(lambda v: 2 * v, vector(n))
