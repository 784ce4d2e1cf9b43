"""The face `torchopt.least_squares`."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import torchopt
from torchopt import diff, solver

DOUBLE = torch.float64


def line() -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    X = torch.randn(7, 3, dtype=DOUBLE, generator=generator)
    y = torch.randn(7, dtype=DOUBLE, generator=generator)
    return X.requires_grad_(), y.requires_grad_()


@pytest.mark.parametrize("hvp", ["reverse", "gauss_newton", "finite_difference"])
@pytest.mark.parametrize(
    "problem_solver",
    [
        solver.LevenbergMarquardt(rtol=0.0, atol=1e-12),
        solver.GaussNewton(rtol=0.0, atol=1e-12),
        solver.LBFGS(rtol=0.0, atol=1e-11),
        lambda w, X, y: torch.linalg.lstsq(X, y[:, None]).solution[:, 0],
    ],
    ids=["levenberg_marquardt", "gauss_newton", "lbfgs", "lstsq"],
)
def test_linear_least_squares_equal_the_pseudoinverse(problem_solver: Any, hvp: Any) -> None:
    X, y = line()
    tight = torchopt.linear_solve.solve_cg(rtol=1e-7)
    w = torchopt.least_squares(
        lambda w, X, y: X @ w - y,
        torch.zeros(3, dtype=DOUBLE),
        (X, y),
        solver=problem_solver,
        diff=diff.Implicit(hvp=hvp, linear_solve=tight if hvp == "finite_difference" else None),
    ).params
    expected = torch.linalg.solve(X.T @ X, X.T @ y)
    torch.testing.assert_close(w, expected)
    found = torch.autograd.grad((w**2).sum(), y)
    tolerance = 1e-6 if hvp == "finite_difference" else 1e-8
    torch.testing.assert_close(
        found, torch.autograd.grad((expected**2).sum(), y), rtol=tolerance, atol=tolerance
    )


def decay(problem_solver: Any, hvp: Any) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """A fit that leaves residuals: exp(-rate t) + level against data of another shape."""
    t = torch.linspace(0, 2, 6, dtype=DOUBLE)
    y = (1.5 / (1 + t) + 0.1 * torch.sin(5 * t)).requires_grad_()

    def residuals(p: dict[str, torch.Tensor], y: torch.Tensor) -> dict[str, torch.Tensor]:
        return {"fit": torch.exp(-p["rate"] * t) + p["level"] - y, "small": 0.1 * p["level"]}

    start = {"level": torch.zeros((), dtype=DOUBLE), "rate": torch.ones((), dtype=DOUBLE)}
    p = torchopt.least_squares(
        residuals, start, (y,), solver=problem_solver, diff=diff.Implicit(hvp=hvp)
    ).params
    return torch.stack([p["level"], p["rate"]]), y, t


@pytest.mark.parametrize(
    "problem_solver",
    [solver.LevenbergMarquardt(rtol=0.0, atol=1e-12), solver.LBFGS(rtol=0.0, atol=1e-12)],
    ids=["levenberg_marquardt", "lbfgs"],
)
@pytest.mark.parametrize("hvp", ["reverse", "gauss_newton"])
def test_full_and_gauss_newton_curvature_of_a_fit(problem_solver: Any, hvp: Any) -> None:
    p, y, t = decay(problem_solver, hvp)
    found = torch.stack([torch.autograd.grad(q, y, retain_graph=True)[0] for q in p])
    level, rate = p.detach()
    zero = torch.zeros(1, dtype=DOUBLE)
    J = torch.stack(
        [
            torch.cat([torch.ones(6, dtype=DOUBLE), zero + 0.1]),
            torch.cat([-t * torch.exp(-rate * t), zero]),
        ],
        dim=1,
    )
    r = torch.exp(-rate * t) + level - y.detach()
    curvature = torch.zeros(2, 2, dtype=DOUBLE)
    if hvp == "reverse":
        curvature[1, 1] = (r * t * t * torch.exp(-rate * t)).sum()
    expected = torch.linalg.solve(J.T @ J + curvature, J[:6].T)
    torch.testing.assert_close(found, expected, rtol=1e-7, atol=1e-9)


def test_unrolled_descent_reaches_the_same_derivative() -> None:
    X, y = line()
    w = torchopt.least_squares(
        lambda w, X, y: X @ w - y,
        torch.zeros(3, dtype=DOUBLE),
        (X, y),
        solver=torchopt.sgd(0.05),
        steps=300,
        diff=diff.Explicit(),
    ).params
    (found,) = torch.autograd.grad(w.sum(), y)
    torch.testing.assert_close(found, torch.linalg.pinv(X.detach()).sum(0), rtol=1e-5, atol=1e-6)


def test_auxiliary_output_is_passed_through() -> None:
    solution = torchopt.least_squares(
        lambda w: (w - 2, "aux"), torch.zeros(2, dtype=DOUBLE), has_aux=True
    )
    assert solution.aux == "aux"
    assert bool(solution.converged)
