"""Whether a solver that says it converged is near a minimum, on Moré, Garbow and Hillstrom's set."""

from __future__ import annotations

import dataclasses
import functools
import warnings
from collections.abc import Iterable
from typing import Any

import pytest
import torch

import _public
import torchopt
from solver._more_garbow_hillstrom import CASES, Case
from torchopt import solver

METHODS = {
    f"{name}-{kind}": (cls(on_failure="ignore"), kind)
    for name, cls in _public.exported(solver, solver.Solver).items()
    for kind in ("minimum", "root", "least_squares")
    if kind in _public.solved_by(cls)
    if kind != "least_squares" or "minimum" not in _public.solved_by(cls)
}
HARD = ["brown_badly_scaled", "powell_badly_scaled", "meyer", "osborne_1"]
#: Where float32 cannot tell a direction from rounding errors, or the step there is hidden by them.
HARD_IN_SINGLE = [*HARD[:3], "penalty_2", "wood", "rosenbrock_1000"]
CASES = {
    **CASES,
    "rosenbrock_1000": Case(
        lambda x: torch.stack([1000 * (x[1] - x[0] ** 2), 1 - x[0]]), [-1.2, 1.0]
    ),
}
ROOTS = [
    title
    for title, case in CASES.items()
    if len(case.residuals(torch.tensor(case.start, dtype=torch.float64))) == len(case.start)
]
#: Those that converge on nearly all problems: what each of them solves at least, of the 35 or 17,
#: on any processor (BFGS and L-BFGS solve 30 or 31), and in how many steps.
SOLVED = {
    "BFGS-minimum": (29, 250),
    "LBFGS-minimum": (29, 160),
    "Newton-minimum": (26, 100),
    "Newton-root": (12, 100),
    "LevenbergMarquardt-least_squares": (30, 100),
    "GaussNewton-least_squares": (25, 60),
}


BADLY_SCALED = [
    *((title, torch.float64) for title in HARD),
    *((title, torch.float32) for title in HARD_IN_SINGLE),
]


def fitting(title: str, names: Iterable[str] = SOLVED) -> list[str]:
    """Return the solvers that can solve a problem."""
    return [name for name in sorted(names) if METHODS[name][1] != "root" or title in ROOTS]


def squares(case: Case, x: torch.Tensor) -> torch.Tensor:
    return case.residuals(x).square().sum()


def solve(
    case: Case,
    method: solver.Solver[Any],
    kind: str,
    dtype: torch.dtype = torch.float64,
    far: float = 1.0,
) -> Any:
    start = far * torch.tensor(case.start, dtype=dtype)
    if kind == "root":
        return torchopt.root(case.residuals, start, solver=method)
    if kind == "least_squares":
        return torchopt.least_squares(case.residuals, start, solver=method)
    return torchopt.minimize(functools.partial(squares, case), start, solver=method)


def is_near(case: Case, x: torch.Tensor, far: float = 1.0) -> bool:
    """Whether the sum of squares is published, to six digits or a small part of that at the start.

    It is computed in float64. In float32 a sum that is zero cannot be as small, but no unknown is off.
    """
    start = far * torch.tensor(case.start, dtype=torch.float64)
    value, first = (float(squares(case, x)) for x in (x.double(), start))
    small = 1e-12 if x.dtype == torch.float64 else 1e-10
    if any(abs(value - m) <= 1e-5 * m + small * first for m in case.minima):
        return True
    exact = torch.linalg.lstsq(*linearized(case, x.double()), driver="gelsd").solution[:, 0]
    sizes = x.double().abs()
    sizes = sizes.clamp_min(
        torch.finfo(x.dtype).eps * float(sizes.amax())
    )  # some minima are at zero
    return bool((exact.abs() <= 20 * rtol(x) * sizes).all())


def rtol(x: torch.Tensor) -> float:
    return torch.finfo(x.dtype).eps ** 0.5 / 10


def linearized(case: Case, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the Hessian of the sum of squares, and the gradient."""
    function = functools.partial(squares, case)
    return torch.func.hessian(function)(x), torch.func.grad(function)(x)[:, None]


@pytest.mark.parametrize(
    ("name", "title", "dtype"),
    # Each problem by one solver; the test below has the rest of what it runs.
    [(fitting(t)[k % len(fitting(t))], t, dtype) for k, (t, dtype) in enumerate(BADLY_SCALED)]
    + [
        pytest.param(name, title, torch.float32, marks=pytest.mark.slow)
        for k, title in enumerate(HARD_IN_SINGLE)
        for name in fitting(title, METHODS.keys() - SOLVED.keys())[k % 2 :: 2]
    ],
)
def test_a_badly_scaled_problem_is_not_said_to_be_solved_half_way(
    name: str, title: str, dtype: torch.dtype
) -> None:
    method, kind = METHODS[name]
    case = CASES[title]
    most = 60 if dtype == torch.float64 else 100
    solution = solve(case, dataclasses.replace(method, maxiter=most), kind, dtype)
    assert not solution.converged or is_near(case, solution.params.detach())


@pytest.mark.filterwarnings("ignore::torchopt.errors.NotConvergedWarning")
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "dtype", "far"),
    [
        *((name, torch.float64, 1.0) for name in METHODS),
        *((name, torch.float32, 10.0) for name in METHODS),
    ],
)
def test_a_solver_that_says_it_converged_is_at_a_published_minimum(
    name: str, dtype: torch.dtype, far: float
) -> None:
    """All problems by those that are counted; else a part near and another far, by turns."""
    method, kind = METHODS[name]
    fewest, most = SOLVED.get(name, (0, 60)) if far == 1 else (0, 60)
    method = dataclasses.replace(method, maxiter=most)
    titles = ROOTS if kind == "root" else [*CASES]
    if not fewest:
        part = 3 if kind == "root" else 6
        titles = titles[([*METHODS].index(name) + (far == 1) * part // 2) % part :: part]
    solutions = {title: solve(CASES[title], method, kind, dtype, far) for title in titles}
    claimed = {title: s.params.detach() for title, s in solutions.items() if s.converged}
    assert not {title for title, x in claimed.items() if not is_near(CASES[title], x, far)}
    assert len(claimed) >= fewest


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=str)
@pytest.mark.parametrize("n", [5, 50, 150])
def test_what_decides_convergence_takes_few_evaluations(n: int, dtype: torch.dtype) -> None:
    """Each step takes one, and the start and the line search of the first step two or three."""
    generator = torch.Generator().manual_seed(0)
    L = torch.randn(n, n, generator=generator, dtype=torch.float64) / n**0.5
    Q, c = L @ L.mT + torch.eye(n), torch.randn(n, generator=generator, dtype=torch.float64)
    Q, c = Q.to(dtype), c.to(dtype)
    calls = 0

    def objective(x: torch.Tensor) -> torch.Tensor:
        nonlocal calls
        calls += 1
        return x @ (Q @ x) / 2 + c @ x

    solution = torchopt.minimize(objective, torch.ones(n, dtype=dtype), solver=solver.LBFGS())
    assert solution.converged
    assert calls <= solution.iterations + 10


def test_a_saddle_is_no_minimum() -> None:
    for cls in (solver.LBFGS, solver.Newton, solver.BFGS):
        with pytest.warns(torchopt.errors.NotConvergedWarning):
            torchopt.minimize(
                lambda x: x[0] ** 2 - x[1] ** 2 + x[1] ** 4 / 4,
                torch.zeros(2),
                solver=cls(maxiter=5),
            )


@pytest.mark.parametrize("title", HARD[:3])
def test_the_implicit_mode_looks_at_the_same_step(title: str) -> None:
    """Of the points where the residual has become small beside that at the start, half way."""
    case = CASES[title]
    start = torch.tensor(case.start, dtype=torch.float64)
    half_way = solver.Newton(maxiter=2, on_failure="ignore")
    x = solve(case, half_way, "minimum").params.detach()
    at_end = solve(case, solver.BFGS(on_failure="ignore"), "minimum").params.detach()
    scale = torch.ones((), dtype=torch.float64, requires_grad=True)

    def run(point: torch.Tensor) -> Any:
        return torchopt.minimize(
            lambda x, s: squares(case, s * x), start, (scale,), solver=lambda x, s: point
        )

    with pytest.warns(torchopt.errors.NotConvergedWarning, match="is no solution") as caught:
        run(x)
    assert caught[0].message.derivative_error > 0.1  # type: ignore[union-attr]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run(at_end)
