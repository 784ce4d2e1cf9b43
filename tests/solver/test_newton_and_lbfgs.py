"""Newton's method, L-BFGS and the line searches against what theory says."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import pytest
import torch
from _more_garbow_hillstrom import CASES
from _problems import minimum, root, rosenbrock

from torchopt.autodiff.line_search import LineSearch, backtrack, zoom
from torchopt.diff.kinds import Minimum
from torchopt.solver import LBFGS, FlatProblem, Newton

DTYPE = torch.float64


@pytest.fixture(autouse=True)
def _without_graphs() -> Iterator[None]:
    with torch.no_grad():
        yield


def test_newton_converges_quadratically() -> None:
    problem = root(lambda x: torch.exp(x) - 2)
    x = torch.tensor([1.0], dtype=DTYPE)
    errors = [
        float(Newton(rtol=0.0, maxiter=n, on_failure="ignore").run(problem, x).x - math.log(2))
        for n in range(1, 5)
    ]
    # e_{k+1} / e_k² tends to F'' / (2 F') = 1/2.
    for before, after in itertools.pairwise(errors[1:]):
        assert after / before**2 == pytest.approx(0.5, rel=0.05)


def test_newton_goes_on_where_the_jacobian_is_singular() -> None:
    problem = root(lambda x: torch.stack([x[0] ** 2 - 4, x[1] - 1]))
    newton = Newton(on_failure="ignore")
    run = newton.run(problem, torch.tensor([1e-300, 0.0], dtype=DTYPE))
    assert torch.isfinite(run.x).all()
    run = newton.run(root(lambda x: x**3 - 1), torch.tensor([0.0], dtype=DTYPE))
    assert not run.stats.converged  # a stationary point of |F|, which no direction leads away from
    assert run.stats.iterations <= 2
    assert torch.isfinite(run.x).all()


def test_newton_without_a_root_ends_at_the_least_residual() -> None:
    newton = Newton(on_failure="ignore")
    run = newton.run(root(lambda x: x**2 + 1), torch.tensor([3.0], dtype=DTYPE))
    assert not run.stats.converged
    assert float(run.stats.error) == pytest.approx(1.0, abs=1e-6)


def test_lbfgs_steps_equal_bfgs_of_matrices() -> None:
    """The two-loop recursion against its definition: Nocedal and Wright, equations 6.17 and 7.20."""
    problem, x = minimum(rosenbrock), torch.tensor([-1.2, 1.0, 0.3, 0.8], dtype=DTYPE)
    solver = LBFGS(history_size=3)
    state = solver.init(problem, x)
    pairs: list[tuple[torch.Tensor, torch.Tensor]] = []
    for _ in range(6):
        new, next_state = solver.step(problem, x, state)
        H = torch.eye(4, dtype=DTYPE)
        if pairs:
            s, y = pairs[-1]
            H = H * (s @ y) / (y @ y)
        for s, y in pairs[-3:]:
            V = torch.eye(4, dtype=DTYPE) - torch.outer(y, s) / (y @ s)
            H = V.T @ H @ V + torch.outer(s, s) / (y @ s)
        direction = -H @ state.residual
        cosine = (new - x) @ direction / ((new - x).norm() * direction.norm())
        assert float(cosine) == pytest.approx(1.0, abs=1e-9)
        pairs.append((new - x, next_state.residual - state.residual))
        x, state = new, next_state


def test_lbfgs_steps_satisfy_the_strong_wolfe_conditions() -> None:
    problem, x = minimum(rosenbrock), torch.tensor([-1.2, 1.0, 0.3, 0.8], dtype=DTYPE)
    solver = LBFGS(c2=0.4)
    state = solver.init(problem, x)
    for _ in range(15):
        new, next_state = solver.step(problem, x, state)
        step, slope = new - x, state.residual @ (new - x)
        assert slope < 0
        assert rosenbrock(new) <= rosenbrock(x) + 1e-4 * slope
        assert (next_state.residual @ step).abs() <= 0.4 * slope.abs() * (1 + 1e-12)
        x, state = new, next_state


def test_lbfgs_reaches_the_tolerance_below_the_rounding_of_the_value() -> None:
    run = LBFGS(rtol=0.0, atol=1e-6).run(
        minimum(lambda x: 1e6 + rosenbrock(x)), torch.tensor([-1.2, 1.0], dtype=DTYPE)
    )
    assert run.stats.converged


def test_lbfgs_stops_where_the_gradient_does_not_lead_downhill() -> None:
    class Wrong(FlatProblem):
        def value_and_gradient(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            value, gradient = super().value_and_gradient(x)
            return value, -gradient

    problem = Wrong(Minimum(lambda x: x.square().sum()))
    run = LBFGS(on_failure="ignore").run(problem, torch.ones(3, dtype=DTYPE))
    assert not run.stats.converged
    assert run.stats.iterations == 1
    assert torch.equal(run.x, torch.ones(3, dtype=DTYPE))


WELLS = {
    "quadratic": lambda t: (t - 3) ** 2,
    "steep": lambda t: torch.cosh(3 * t - 4) / 10,
    "far": lambda t: (t / 100 - 1) ** 2,
    "wavy": lambda t: -torch.exp(-t) * 3 * torch.sin(2 * t) + 0.05 * t,
    "barrier": lambda t: -t - torch.log(1.2 - t),
    "more_thuente": lambda t: -t / (t**2 + 2),
}


@pytest.mark.parametrize("first", [1e-3, 0.1, 1.0, 7.0])
@pytest.mark.parametrize("name", WELLS)
@pytest.mark.parametrize("c2", [0.9, 0.1])
def test_zoom_satisfies_the_strong_wolfe_conditions(name: str, first: float, c2: float) -> None:
    phi = WELLS[name]

    def evaluate(t: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        slope, value = torch.func.grad_and_value(phi)(t)
        return value, slope, slope.reshape(1)

    zero = torch.zeros((), dtype=DTYPE)
    value, slope, vector = evaluate(zero)
    assert slope < 0
    found = zoom(
        evaluate, LineSearch(zero, value, vector), slope, zero + first, c1=1e-4, c2=c2, maxiter=40
    )
    new_value, new_slope, _ = evaluate(found.step)
    assert found.step > 0
    assert new_value <= value + 1e-4 * found.step * slope
    assert new_slope.abs() <= c2 * slope.abs()
    torch.testing.assert_close(found.value, new_value)
    torch.testing.assert_close(found.vector, new_slope.reshape(1))


def test_steps_of_rounding_errors_end_a_search() -> None:
    """A value with noise of 1e-12, and a slope that only lower values of 1e-15 would explain."""

    def evaluate(t: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        noise = torch.where(t > 1e-7, 1e-12, -1e-18)
        slope = torch.full_like(t, -1e-15)
        return 1e-4 + noise.to(t) * (t > 0), slope, slope.reshape(1)

    zero = torch.zeros((), dtype=DTYPE)
    value, slope, vector = evaluate(zero)
    found = zoom(
        evaluate, LineSearch(zero, value, vector), slope, zero + 1, c1=1e-4, c2=0.9, maxiter=30
    )
    assert found.step == 0
    assert found.value == value


def test_a_run_ends_where_values_cannot_tell_points_apart() -> None:
    """Moré's trigonometric problem, whose value has more noise than its size says."""
    case, evaluations = CASES["trigonometric"], 0

    def objective(x: torch.Tensor) -> torch.Tensor:
        nonlocal evaluations
        evaluations += 1
        return case.residuals(x).square().sum()

    start = torch.tensor(case.start, dtype=DTYPE)
    run = LBFGS(on_failure="ignore", maxiter=160).run(minimum(objective), start)
    assert float(run.stats.error) < 1e-8
    assert evaluations < 300


def test_backtracking_halves_until_the_value_is_allowed() -> None:
    def evaluate(t: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.where(t > 0.3, torch.nan, t**2 - t), t[None]

    zero = torch.zeros((), dtype=DTYPE)
    start = LineSearch(zero, zero, zero[None])
    found = backtrack(evaluate, lambda t: -0.1 * t, start, 20)
    assert found.step == 0.25
    assert found.value == 0.25**2 - 0.25
    assert found.vector == 0.25
    failed = backtrack(evaluate, lambda t: -1.0 - t, start, 20)
    assert failed.step == 0
    assert failed.value == 0


def test_newton_leaves_a_maximum_and_a_saddle_for_a_minimum() -> None:
    def double_well(x: torch.Tensor) -> torch.Tensor:
        return (x**4 / 4 - x**2 / 2).sum()

    run = Newton().run(minimum(double_well), torch.tensor([0.1, -0.2, 1.5], dtype=DTYPE))
    assert run.stats.converged
    torch.testing.assert_close(run.x.abs(), torch.ones(3, dtype=DTYPE), rtol=0, atol=1e-7)
