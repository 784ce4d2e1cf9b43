"""Whether a solver that says it converged is near a minimum, on Moré, Garbow and Hillstrom's set."""

from __future__ import annotations

import dataclasses
import functools
import warnings
from typing import Any

import pytest
import torch

import _public
import torchopt
from solver._more_garbow_hillstrom import CASES, Case
from torchopt import solver

METHODS = {
    f"{name}-{kind}": (cls(maxiter=300, on_failure="ignore"), kind)
    for name, cls in _public.exported(solver, solver.Solver).items()
    for kind in ("minimum", "root", "least_squares")
    if kind in cls.kinds and not (kind == "least_squares" and "minimum" in cls.kinds)
}
HARD = ["brown_badly_scaled", "powell_badly_scaled", "meyer", "osborne_1"]
ROOTS = [
    title
    for title, case in CASES.items()
    if len(case.residuals(torch.tensor(case.start, dtype=torch.float64))) == len(case.start)
]
#: Those that converge on nearly all problems: what each of them solves at least, of the 35 or 17.
SOLVED = {
    "BFGS-minimum": 31,
    "LBFGS-minimum": 31,
    "Newton-minimum": 26,
    "Newton-root": 12,
    "LevenbergMarquardt-least_squares": 30,
    "GaussNewton-least_squares": 25,
}


def squares(case: Case, x: torch.Tensor) -> torch.Tensor:
    return case.residuals(x).square().sum()


def solve(case: Case, method: solver.Solver[Any], kind: str) -> Any:
    start = torch.tensor(case.start, dtype=torch.float64)
    if kind == "root":
        return torchopt.root(case.residuals, start, solver=method)
    if kind == "least_squares":
        return torchopt.least_squares(case.residuals, start, solver=method)
    return torchopt.minimize(functools.partial(squares, case), start, solver=method)


def is_near(case: Case, x: torch.Tensor) -> bool:
    """Whether the sum of squares is published, to six digits or a small part of that at the start."""
    value, rest = (
        float(squares(case, x)),
        1e-12 * float(squares(case, torch.tensor(case.start).to(x))),
    )
    return any(abs(value - m) <= 1e-5 * m + rest for m in case.minima)


@pytest.mark.parametrize(
    ("name", "title"),
    [
        (name, t)
        for name, (_, kind) in METHODS.items()
        for t in HARD
        if kind != "root" or t in ROOTS
    ],
)
def test_a_badly_scaled_problem_is_not_said_to_be_solved_half_way(name: str, title: str) -> None:
    method, kind = METHODS[name]
    case = CASES[title]
    solution = solve(case, dataclasses.replace(method, maxiter=60), kind)
    assert not solution.converged or is_near(case, solution.params.detach())


@pytest.mark.slow
@pytest.mark.parametrize("name", METHODS)
def test_a_solver_that_says_it_converged_is_at_a_published_minimum(name: str) -> None:
    method, kind = METHODS[name]
    solutions = {
        title: solve(case, method, kind)
        for title, case in CASES.items()
        if kind != "root" or title in ROOTS
    }
    claimed = {title: s.params.detach() for title, s in solutions.items() if s.converged}
    assert not {title for title, x in claimed.items() if not is_near(CASES[title], x)}
    assert len(claimed) >= SOLVED.get(name, 0)


def test_a_saddle_is_no_minimum() -> None:
    for method in (solver.LBFGS(), solver.Newton(), solver.BFGS()):
        with pytest.warns(torchopt.errors.NotConvergedWarning):
            torchopt.minimize(
                lambda x: x[0] ** 2 - x[1] ** 2 + x[1] ** 4 / 4, torch.zeros(2), solver=method
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
    assert caught[0].message.relative_error > 0.1  # type: ignore[union-attr]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run(at_end)
