"""Solvers with bounds: solutions and iterations of SciPy, derivatives by finite differences, edges."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from _bounded import CLASSICS, FITS, Bounded

import torchopt
from _differences import assert_derivatives_are_differences
from torchopt import diff, prox, sets, solver

DTYPE = torch.float64
STORED = json.loads(Path(__file__).with_name("bounded.json").read_text())
#: Where the objective is so flat that points of the same value are far apart.
FLAT = ("rosenbrock_25", "hs25", "obstacle_100", "powell_20")
#: Where luck on the way to the solution decides, for us as for SciPy.
LONGER = {"hs38": 3.5, "beale": 1.5}
#: Those that take long.
LONG = ("obstacle_100", "rosenbrock_100")
INF = float("inf")


def vector(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=DTYPE)


def box(problem: Bounded) -> sets.Box:
    return sets.Box(vector(*problem.lower), vector(*problem.upper))


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow if name in LONG else ()) for name in CLASSICS],
)
def test_lbfgsb_finds_the_solutions_of_scipy_in_as_many_iterations(name: str) -> None:
    problem, expected = CLASSICS[name], STORED["lbfgsb"][name]
    found = torchopt.minimize(
        problem.function,
        vector(*problem.start),
        subject_to=box(problem),
        solver=solver.LBFGSB(rtol=0.0, atol=1e-6),
    )
    assert found.converged
    assert found.value is not None
    assert float(found.value) == pytest.approx(expected["value"], rel=1e-10, abs=1e-10)
    assert ((found.params >= box(problem).lower) & (found.params <= box(problem).upper)).all()
    if name not in FLAT:
        solution = vector(*expected["solution"])
        torch.testing.assert_close(found.params, solution, rtol=1e-6, atol=1e-6)
    # One more may be rounding.
    assert found.iterations <= LONGER.get(name, 1.2) * expected["iterations"] + 1


@pytest.mark.parametrize("name", FITS)
@pytest.mark.parametrize(
    "method",
    [
        solver.LevenbergMarquardt(),
        pytest.param(solver.LevenbergMarquardt(scaling="identity"), marks=pytest.mark.slow),
        solver.LBFGSB(),
    ],
    ids=["marquardt", "identity", "lbfgsb"],
)
def test_bounded_fits_are_those_of_scipy(method: solver.Solver[Any], name: str) -> None:
    problem, expected = FITS[name], STORED["fits"][name]
    assert expected["apart"] < 1e-7  # SciPy's two methods agree
    found = torchopt.least_squares(
        problem.function, vector(*problem.start), subject_to=box(problem), solver=method
    )
    assert found.converged
    torch.testing.assert_close(found.params, vector(*expected["solution"]), rtol=1e-6, atol=1e-6)
    if isinstance(method, solver.LevenbergMarquardt):
        assert found.iterations <= max(expected["evaluations"]) + 2


def curved(x: torch.Tensor, data: torch.Tensor) -> torch.Tensor:
    return torch.cat([x + 0.3 * torch.sin(x.flip(0)) - data, 0.2 * x[:1] * x[1:]])


METHODS = {
    "lbfgsb": solver.LBFGSB(rtol=0.0, atol=1e-11),
    "levenberg_marquardt": solver.LevenbergMarquardt(rtol=0.0, atol=1e-11),
    "block_coordinate_descent": solver.BlockCoordinateDescent(rtol=0.0, atol=1e-11),
}
methods = pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
DATA = vector(0.9, -0.6, 0.8, 2.0)
LOWER, UPPER = vector(-2, -0.5, -1, -1), vector(3, 4, 5, 1.1)  # two are active


def solve(
    method: solver.Solver[Any], data: torch.Tensor, lower: torch.Tensor, upper: torch.Tensor
) -> torch.Tensor:
    return torchopt.least_squares(
        lambda x: curved(x, data),
        torch.zeros(4, dtype=DTYPE),
        subject_to=sets.Box(lower, upper),
        solver=method,
        diff=diff.Implicit(torchopt.linear_solve.GMRES(rtol=1e-12)),
    ).params


@pytest.mark.parametrize(
    "method",
    # `test_properties.py` has both orders of the others, and tests below first ones in bounds.
    [
        pytest.param(method, id=name, marks=() if name == "lbfgsb" else pytest.mark.slow)
        for name, method in METHODS.items()
    ],
)
def test_derivatives_in_data_and_bounds_are_those_of_finite_differences(
    method: solver.Solver[Any],
) -> None:
    x = solve(method, DATA, LOWER, UPPER)
    assert x[1] == LOWER[1]
    assert x[3] == UPPER[3]
    assert ((x > LOWER) & (x < UPPER)).sum() == 2
    assert_derivatives_are_differences(lambda *inputs: solve(method, *inputs), (DATA, LOWER, UPPER))


@methods
def test_at_an_active_bound_the_derivative_in_the_bound_is_one(method: solver.Solver[Any]) -> None:
    lower, upper = LOWER.clone().requires_grad_(), UPPER.clone().requires_grad_()
    x = solve(method, DATA, lower, upper)
    assert torch.autograd.grad(x[1], (lower, upper), retain_graph=True)[0].tolist() == [0, 1, 0, 0]
    assert torch.autograd.grad(x[3], (lower, upper))[1].tolist() == [0, 0, 0, 1]


@methods
def test_a_batch_of_bounds_is_its_problems(method: solver.Solver[Any]) -> None:
    uppers = torch.stack([UPPER, UPPER - 0.7, UPPER + 5])

    def value(upper: torch.Tensor) -> torch.Tensor:
        return solve(method, DATA, LOWER, upper)

    way, h = vector(0.3, -1, 0.5, 0.8), 1e-5

    def both(upper: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.func.jvp(value, (upper,), (way,))

    xs, changes = torch.func.vmap(both)(uppers)
    for upper, x in zip(uppers, xs, strict=True):
        torch.testing.assert_close(x, value(upper), rtol=0, atol=1e-9)
    moved = torch.cat([uppers + h * way, uppers - h * way])
    ahead, behind = torch.func.vmap(value)(moved).chunk(2)
    torch.testing.assert_close(changes, (ahead - behind) / (2 * h), rtol=0, atol=1e-6)


@pytest.mark.parametrize("method", [solver.LBFGSB(), solver.LevenbergMarquardt()])
@pytest.mark.parametrize("start", [vector(50, -80, 3, 9), vector(-2, 4, 5, -1)])
@pytest.mark.parametrize("dtype", [torch.float32, DTYPE])
def test_starts_that_are_far_or_in_a_corner_or_outside_lead_to_the_solution(
    method: solver.Solver[Any], start: torch.Tensor, dtype: torch.dtype
) -> None:
    found = torchopt.least_squares(
        lambda x: curved(x, DATA.to(dtype)),
        start.to(dtype),
        subject_to=sets.Box(LOWER.to(dtype), UPPER.to(dtype)),
        solver=method,
    )
    assert found.converged
    expected = solve(METHODS["lbfgsb"], DATA, LOWER, UPPER)
    tol = 1e-7 if dtype == DTYPE else 1e-3
    torch.testing.assert_close(found.params.to(DTYPE), expected, rtol=0, atol=tol)


@methods
def test_a_solution_in_the_corner_and_unknowns_that_are_fixed(method: solver.Solver[Any]) -> None:
    at = vector(0.1, -0.3, 0.2, 0.5)
    assert torch.equal(solve(method, DATA, at, at), at)
    corner = solve(method, DATA + 40, LOWER, UPPER)
    assert torch.equal(corner, UPPER)
    free = solve(method, DATA, torch.full_like(LOWER, -INF), torch.full_like(UPPER, INF))
    gradient = torch.func.grad(lambda x: curved(x, DATA).square().sum())(free.detach())
    assert gradient.norm() < 1e-9


def test_bounds_of_parts_of_a_tree() -> None:
    start = {"a": vector(1, 1), "b": vector(1.0)}
    found = torchopt.minimize(
        lambda p: (p["a"] + 1).square().sum() + (p["b"] + p["a"].sum() + 2).square().sum(),
        start,
        subject_to={"a": sets.NonNegative(), "b": None},
        solver=solver.LBFGSB(),
    )
    torch.testing.assert_close(found.params, {"a": vector(0, 0), "b": vector(-2.0)})


@pytest.mark.parametrize(
    "options",
    [{"prox": prox.L1(0.1)}, {"subject_to": sets.Simplex()}, {"subject_to": {"a": sets.Simplex()}}],
)
@pytest.mark.parametrize("method", [solver.LBFGSB(), solver.LevenbergMarquardt()])
def test_other_terms_are_refused(method: solver.Solver[Any], options: Any) -> None:
    with pytest.raises(ValueError, match=r"takes bounds only: use `torchopt.sets.Box`"):
        torchopt.least_squares(lambda p: p["a"], {"a": vector(1, 2)}, solver=method, **options)
