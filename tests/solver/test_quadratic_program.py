"""The public face of quadratic programs: what it returns, refuses and says."""

from __future__ import annotations

import warnings

import pytest
import torch

import torchopt
from torchopt.errors import DegenerateWarning, NotConvergedError, NotConvergedWarning

G = -torch.eye(2, dtype=torch.float64)
ZERO, ONE = torch.zeros(2, dtype=torch.float64), torch.ones(2, dtype=torch.float64)
EYE = torch.eye(2, dtype=torch.float64)
#: Of three programs, the second is infeasible: x >= 0 and x_1 + x_2 <= -1.
ROWS = torch.cat([G, ONE[None]])
SIDES = torch.tensor([[0.0, 0.0, 1.0], [0.0, 0.0, -1.0], [0.0, 0.0, 2.0]], dtype=torch.float64)


def test_a_solution_has_point_value_multipliers_and_statistics() -> None:
    c = torch.tensor([-2.0, 1.0], dtype=torch.float64, requires_grad=True)
    A, b = ONE[None], torch.ones(1, dtype=torch.float64)
    solution = torchopt.quadratic_program(EYE, c, G=G, h=ZERO, A=A, b=b)
    stats = solution.stats
    assert isinstance(stats, torchopt.diff.QuadraticStats)
    torch.testing.assert_close(solution.params.detach(), torch.tensor([1.0, 0.0], dtype=c.dtype))
    assert solution.value is not None
    assert not solution.value.requires_grad
    torch.testing.assert_close(solution.value, torch.tensor(-1.5, dtype=c.dtype))
    # Stationarity: x + c - z + y = 0.
    torch.testing.assert_close(stats.equality_duals.detach(), torch.ones(1, dtype=c.dtype))
    torch.testing.assert_close(
        stats.inequality_duals.detach(), torch.tensor([0.0, 2.0], dtype=c.dtype)
    )
    assert solution.converged
    assert stats.derivative_error < 1e-9
    # The multiplier y = -x_1 - c_1 at x_1 = 1.
    (slope,) = torch.autograd.grad(stats.equality_duals.sum(), c)
    torch.testing.assert_close(slope, torch.tensor([-1.0, 0.0], dtype=c.dtype))


def test_nothing_that_requires_grad_gives_a_solution_without_a_graph() -> None:
    solution = torchopt.quadratic_program(EYE, ONE, G=G, h=ZERO)
    assert not solution.params.requires_grad


@pytest.mark.parametrize("batched", [False, True])
def test_programs_without_a_solution_warn_or_raise_by_their_indices(batched: bool) -> None:
    def solve(h: torch.Tensor, on_failure: str) -> torch.Tensor:
        solver = torchopt.solver.InteriorPoint(on_failure=on_failure)
        return torchopt.quadratic_program(EYE, ONE, G=ROWS, h=h, solver=solver).params

    def run(on_failure: str) -> torch.Tensor:
        if batched:
            return torch.func.vmap(lambda h: solve(h, on_failure))(SIDES)
        return solve(SIDES, on_failure)

    with pytest.warns(NotConvergedWarning, match="infeasible") as caught:
        x = run("warn")
    assert caught[0].message.infeasible == [1]
    assert caught[0].message.failed == 1
    assert x.isnan().all(-1).tolist() == [False, True, False]
    with pytest.raises(NotConvergedError, match=r"problems \(1\) are infeasible"):
        run("raise")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run("ignore")
    with pytest.raises(NotConvergedError, match="the problem is unbounded"):
        torchopt.quadratic_program(
            0 * EYE, ONE, solver=torchopt.solver.InteriorPoint(on_failure="raise")
        )


def test_a_kink_warns_if_it_is_differentiated_and_the_central_path_does_not() -> None:
    one = torch.ones(1, 1, dtype=torch.float64)
    c = torch.tensor([-1.0], dtype=torch.float64)
    torchopt.quadratic_program(one, c, G=one, h=one[0])
    c.requires_grad_()
    with pytest.warns(DegenerateWarning, match="CentralPath"):
        torchopt.quadratic_program(one, c, G=one, h=one[0])
    mu = 0.01
    x = torchopt.quadratic_program(
        one, c, G=one, h=one[0], diff=torchopt.diff.CentralPath(mu)
    ).params
    # (x - 1) (1 - x) = -mu there, and the derivative is minus one half.
    torch.testing.assert_close(x.detach(), torch.tensor([1 - mu**0.5], dtype=c.dtype))
    torch.testing.assert_close(torch.autograd.grad(x, c)[0], torch.tensor([-0.5], dtype=c.dtype))


@pytest.mark.parametrize("cost", [-1.0, 0.0])
def test_an_unbounded_program_has_no_central_path(cost: float) -> None:
    # cost * x - mu log x has no minimum; the ridge of the factorization must not make one.
    one = torch.ones(1, 1, dtype=torch.float64)
    with pytest.warns(NotConvergedWarning):
        solution = torchopt.quadratic_program(
            0 * one, cost * one[0], G=-one, h=0 * one[0], diff=torchopt.diff.CentralPath(0.1)
        )
    assert not solution.converged
    assert bool(solution.stats.certificate.unbounded) == (cost < 0)


def test_a_function_and_an_engine_find_the_solution() -> None:
    c = torch.tensor([-2.0, 1.0], dtype=torch.float64, requires_grad=True)
    wanted = torchopt.quadratic_program(EYE, c, G=G, h=ZERO)

    def engine(program: torchopt.quadratic.Program) -> torchopt.quadratic.Point:
        x = (-program.c).clamp(min=0)
        return torchopt.quadratic.Point(x, program.c.clamp(min=0), program.b)

    class Engine(torchopt.solver.QuadraticSolver):
        def solve(self, program: torchopt.quadratic.Program) -> torchopt.quadratic.Point:
            return engine(program)

    for solver in (engine, Engine()):
        for diff in (None, torchopt.diff.CentralPath(0.1)):
            exact = torchopt.quadratic_program(EYE, c, G=G, h=ZERO, diff=diff).params
            ours = torchopt.quadratic_program(EYE, c, G=G, h=ZERO, solver=solver, diff=diff).params
            torch.testing.assert_close(ours, exact)
            torch.testing.assert_close(
                torch.autograd.grad(ours.sum(), c), torch.autograd.grad(exact.sum(), c)
            )
    assert wanted.converged
