"""A point that a solver tries and whose value is no number is refused; only the start may raise."""

from __future__ import annotations

import math
import warnings
from typing import Any

import pytest
import torch

import _public
import torchopt
from _cases import covering
from torchopt import diff, sets, solver
from torchopt.autodiff.line_search import LineSearch, zoom

METHODS = {
    name: cls()
    for name, cls in _public.exported(solver, solver.Solver).items()
    if _public.solved_by(cls) & {"minimum", "composite"}
}
DTYPES = [torch.float32, torch.float64]
OUTSIDE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


def minimize(method: solver.Solver[Any], objective: Any, start: torch.Tensor) -> Any:
    options: dict[str, Any] = {}
    if diff.Minimum not in method.kinds:
        mirror = isinstance(method, solver.MirrorDescent)
        options["subject_to"] = sets.NonNegative() if mirror else sets.Box(-1e3, 1e3)
    return torchopt.minimize(objective, start, solver=method, **options)


@pytest.mark.parametrize(
    ("name", "outside", "dtype", "start"), covering([*METHODS], [*OUTSIDE], DTYPES, [5.0, 0.2])
)
def test_a_trial_outside_of_the_domain_is_refused(
    name: str, outside: str, dtype: torch.dtype, start: float
) -> None:
    def objective(x: torch.Tensor) -> torch.Tensor:
        inside = torch.where(x > 0, x, 1.0)
        return torch.where(x > 0, inside - inside.log(), OUTSIDE[outside]).sum()

    solution = minimize(METHODS[name], objective, torch.tensor([start, 2.0], dtype=dtype))
    assert solution.converged
    expected = torch.ones(2, dtype=dtype)
    torch.testing.assert_close(
        solution.params, expected, rtol=0, atol=2e-3 if dtype == DTYPES[0] else 1e-6
    )


@pytest.mark.parametrize("name", [name for name, m in METHODS.items() if diff.Minimum in m.kinds])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_poisson_regression_whose_trials_overflow_is_solved(name: str, dtype: torch.dtype) -> None:
    """Each count has one coefficient, the logarithm of the mean of its counts over the slope."""
    slope = 40.0 if dtype == torch.float32 else 300.0
    counts = torch.tensor([[3.0, 2.0, 7.0], [0.0, 1.0, 0.0]], dtype=dtype)

    def objective(w: torch.Tensor) -> torch.Tensor:
        eta = slope * w[:, None]
        return (torch.exp(eta) - counts * eta).sum()

    solution = torchopt.minimize(objective, torch.zeros(2, dtype=dtype), solver=METHODS[name])
    assert solution.converged
    torch.testing.assert_close(slope * solution.params, counts.mean(1).log(), rtol=1e-3, atol=0)


@pytest.mark.parametrize(
    ("dtype", "size"),
    [(torch.float32, 1e20), (torch.float32, 1e37), (torch.float64, 1e200)],
    ids=str,
)
def test_the_cubic_between_points_of_huge_values_has_its_minimum(
    dtype: torch.dtype, size: float
) -> None:
    """Between 0 and 1, with slope -1 and a value that is huge at 1, the minimum is not a NaN."""

    def evaluate(t: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        value = torch.where(t < 0.5, (t - 0.1) ** 2, size * t)
        slope = torch.where(t < 0.5, 2 * (t - 0.1), size)
        return value, slope, slope

    start = torch.zeros((), dtype=dtype)
    value, slope, _ = evaluate(start)
    found = zoom(
        evaluate, LineSearch(start, value, slope), slope, start + 1, c1=1e-4, c2=0.1, maxiter=30
    )
    assert float(found.step) == pytest.approx(0.1, abs=0.02)


LEARNS = "learning rate"


@pytest.mark.parametrize("name", METHODS)
def test_a_start_outside_of_the_domain_raises_one_sentence(name: str) -> None:
    with pytest.raises(ValueError, match="value at the start is NaN: look at the inputs") as caught:
        minimize(METHODS[name], lambda x: x.sum() * torch.nan, torch.ones(2))
    assert LEARNS not in str(caught.value)


@pytest.mark.parametrize(
    "method", [solver.LevenbergMarquardt(), solver.SciPy(), solver.GaussNewton()]
)
def test_other_faces_raise_the_same_sentence(method: Any) -> None:
    face = torchopt.minimize if isinstance(method, solver.SciPy) else torchopt.least_squares
    with pytest.raises(ValueError, match="value at the start is NaN: look") as caught:
        face(lambda x: (x * torch.nan).sum(), torch.ones(2), solver=method)
    assert LEARNS not in str(caught.value)


def test_a_descent_still_names_its_learning_rate() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match=LEARNS):
            torchopt.minimize(
                lambda x: x.log().sum(), -torch.ones(2), solver=torchopt.sgd(0.1), steps=2
            )
