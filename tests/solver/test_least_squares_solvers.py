"""Gauss-Newton and Levenberg-Marquardt on fits whose answers are known."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
import torch
from _problems import least_squares

import torchopt
from torchopt.linear_solve import CG
from torchopt.solver import GaussNewton, LevenbergMarquardt

DTYPE = torch.float64


@pytest.fixture(autouse=True)
def _without_graphs() -> Iterator[None]:
    with torch.no_grad():
        yield


T = torch.linspace(0.0, 3.0, 25, dtype=DTYPE)
TRUTH = torch.tensor([2.5, 1.3, 0.5], dtype=DTYPE)

FITS = {
    "gauss_newton": GaussNewton(rtol=0.0, atol=1e-12),
    "marquardt": LevenbergMarquardt(rtol=0.0, atol=1e-12),
    "identity": LevenbergMarquardt(rtol=0.0, atol=1e-12, scaling="identity"),
    "matrix_free": LevenbergMarquardt(rtol=0.0, atol=1e-12, scaling="identity", linear_solve=CG()),
    "marquardt_cg": LevenbergMarquardt(rtol=0.0, atol=1e-12, linear_solve=CG()),
}

fits = pytest.mark.parametrize("solver", FITS.values(), ids=FITS)


def exponential(p: torch.Tensor) -> torch.Tensor:
    return p[0] * torch.exp(-p[1] * T) + p[2]


def exponential_fit(noise: float) -> Callable[[torch.Tensor], torch.Tensor]:
    gen = torch.Generator().manual_seed(0)
    y = exponential(TRUTH) + noise * torch.randn(len(T), dtype=DTYPE, generator=gen)
    return lambda p: exponential(p) - y


@pytest.mark.parametrize(
    "solver",
    [
        pytest.param(fit, id=name, marks=pytest.mark.slow if name == "marquardt_cg" else ())
        for name, fit in FITS.items()
    ],
)
def test_no_linear_fit_stalls_at_the_rounding_of_its_objective(
    solver: GaussNewton | LevenbergMarquardt,
) -> None:
    """A step that changes the sum of squares by rounding errors only must be taken, too."""
    gen = torch.Generator().manual_seed(0)
    times = T + 0.1 * (torch.rand(20, len(T), dtype=DTYPE, generator=gen) - 0.5)
    designs = torch.stack([torch.ones_like(times), times, times**2], dim=2)

    def fit(design: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        run = solver.run(least_squares(lambda p: design @ p - y), torch.ones(3, dtype=DTYPE))
        return run.x, run.stats.converged

    found, converged = torch.func.vmap(fit)(designs, torch.sin(times))
    assert converged.all()
    expected = torch.linalg.lstsq(designs, torch.sin(times)[..., None]).solution[..., 0]
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-10)


@fits
def test_noisy_fit_is_that_of_the_linear_parameters_at_the_best_rate(
    solver: GaussNewton | LevenbergMarquardt,
) -> None:
    """For a given rate the fit is linear: its closed form, minimized over the rate by bisection."""
    residuals = exponential_fit(0.05)
    y = exponential(torch.zeros(3, dtype=DTYPE)) - residuals(torch.zeros(3, dtype=DTYPE))

    def linear(rate: torch.Tensor) -> torch.Tensor:
        design = torch.stack([torch.exp(-rate * T), torch.ones_like(T)], dim=1)
        return torch.linalg.solve(design.T @ design, design.T @ y)

    def slope(rate: torch.Tensor) -> torch.Tensor:
        def loss(rate: torch.Tensor) -> torch.Tensor:
            a, c = linear(rate)
            return (a * torch.exp(-rate * T) + c - y).square().sum()

        return torch.func.grad(loss)(rate)

    low, high = torch.tensor(0.7, dtype=DTYPE), torch.tensor(2.0, dtype=DTYPE)
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if slope(middle) > 0 else (middle, high)
    a, c = linear(low)
    run = solver.run(least_squares(residuals), torch.ones(3, dtype=DTYPE))
    assert run.stats.converged
    torch.testing.assert_close(run.x, torch.stack([a, low, c]), rtol=0, atol=1e-8)


@pytest.mark.parametrize("scaling", ["marquardt", "identity"])
def test_rank_deficient_fit_converges_to_a_best_fit(scaling: str) -> None:
    fit = exponential_fit(0.05)
    run = LevenbergMarquardt(scaling=scaling).run(  # type: ignore[arg-type]
        least_squares(lambda p: fit(torch.stack([p[0] + p[3], p[1], p[2]]))),
        torch.tensor([1.0, 1.0, 0.0, 0.5], dtype=DTYPE),
    )
    best = LevenbergMarquardt().run(least_squares(fit), torch.ones(3, dtype=DTYPE))
    assert run.stats.converged
    torch.testing.assert_close(run.x[0] + run.x[3], best.x[0], rtol=0, atol=1e-6)


def test_value_never_grows() -> None:
    problem = least_squares(exponential_fit(0.3))
    x = torch.tensor([-3.0, 4.0, 2.0], dtype=DTYPE)
    options: dict[str, Any] = {"rtol": 0.0, "on_failure": "ignore"}
    for solver in (LevenbergMarquardt(**options), GaussNewton(**options)):
        values = [problem.value(x)] + [
            problem.value(replace(solver, maxiter=n).run(problem, x).x) for n in range(1, 12)
        ]
        assert all(after <= before * (1 + 1e-14) for before, after in itertools.pairwise(values))


def test_an_unknown_that_matters_to_nothing_stays() -> None:
    fit = exponential_fit(0.05)
    x = torch.tensor([1.0, 1.0, 0.0, 0.7], dtype=DTYPE)
    run = LevenbergMarquardt().run(least_squares(lambda p: fit(p[:3])), x)
    assert run.stats.converged
    assert run.x[3] == 0.7


@pytest.mark.parametrize("face", [torchopt.root, torchopt.least_squares])
def test_a_start_may_have_no_elements(face: Any) -> None:
    assert face(lambda x: 2 * x, torch.zeros(0)).params.shape == (0,)
