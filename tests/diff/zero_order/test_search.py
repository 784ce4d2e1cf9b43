"""Search distributions: what they converge to, what their updates are, and as solvers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch

import torchopt
from _cases import covering
from torchopt import diff
from torchopt.diff import zero_order as zo
from torchopt.errors import NonFiniteWarning

CENTER = torch.tensor([1.0, -2.0, 0.5], dtype=torch.float64)
AXES = torch.tensor([1.0, 10.0, 0.1], dtype=torch.float64)


def bowl(x: torch.Tensor) -> torch.Tensor:
    return (AXES * (x - CENTER) ** 2).sum(-1)


def run(search: zo.GaussianSearch, fn: Callable[..., Any], steps: int) -> zo.SearchState:
    state = search.init(torch.zeros(3, dtype=torch.float64), generator=0)
    for _ in range(steps):
        state = search.tell(state, fn(search.ask(state)))
    return state


@pytest.mark.parametrize(
    ("shaping", "scale", "antithetic"),
    covering(["utilities", "rank", "z_score"], ["diagonal", "isotropic"], [True, False]),
)
def test_it_converges_to_the_minimum_and_the_scale_shrinks(
    shaping: Any, scale: Any, antithetic: bool
) -> None:
    lr = 0.3 if shaping == "z_score" else 1.0
    search = zo.GaussianSearch(
        population=30, scale=scale, shaping=shaping, antithetic=antithetic, lr=lr
    )
    state = run(search, bowl, 200)
    assert bowl(state.mean) < (1e-6 if scale == "diagonal" else 1e-2) * bowl(torch.zeros(3))
    assert state.scale.shape == ((3,) if scale == "diagonal" else (1,))
    assert (state.scale < 0.5).all()


def test_a_diagonal_scale_learns_the_shape_of_the_bowl() -> None:
    state = run(zo.GaussianSearch(population=40), bowl, 60)
    assert state.scale[1] < state.scale[0] < state.scale[2]


def test_a_fixed_scale_stays() -> None:
    state = run(zo.GaussianSearch(population=30, scale="fixed", sigma=0.2, lr=0.3), bowl, 200)
    assert state.scale.tolist() == [0.2]
    torch.testing.assert_close(state.mean, CENTER, atol=0.3, rtol=0)


def test_without_shaping_the_mean_moves_by_the_gradient_of_the_smoothed_function() -> None:
    sigma, g = 0.3, torch.tensor([0.7, -1.1, 0.4], dtype=torch.float64)
    search = zo.GaussianSearch(population=40000, sigma=sigma, scale="fixed", shaping=None, lr=1.0)
    state = run(search, lambda x: torch.sin(x @ g), 1)
    smoothed = g * math.exp(-float(g @ g) * sigma**2 / 2)
    torch.testing.assert_close(state.mean, -(sigma**2) * smoothed, rtol=0.05, atol=1e-4)


def test_the_scale_moves_by_the_natural_gradient_of_its_logarithm() -> None:
    # The mean of x^2 is sigma^2, whose derivative by log sigma is 2 sigma^2: half of it, naturally.
    sigma, rate = 0.5, 0.1
    search = zo.GaussianSearch(
        population=20000, sigma=sigma, shaping=None, scale_lr=rate, lr=1e-9, antithetic=False
    )
    state = run(search, lambda x: (x**2).sum(1), 1)
    expected = math.log(sigma) - rate / 2 * 2 * sigma**2
    torch.testing.assert_close(
        state.scale.log(), torch.full((3,), expected).double(), atol=3e-3, rtol=0
    )


def test_utilities_see_the_order_only_and_a_constant_moves_nothing() -> None:
    search = zo.GaussianSearch(population=10)
    one, two = run(search, bowl, 3), run(search, lambda x: bowl(x).exp(), 3)
    torch.testing.assert_close(one.mean, two.mean)
    still = run(search, lambda x: torch.ones(len(x)), 3)
    torch.testing.assert_close(still.mean, torch.zeros(3).double())
    torch.testing.assert_close(still.scale, torch.ones(3).double())


def test_the_population_is_antithetic_and_the_same_when_asked_again() -> None:
    search = zo.GaussianSearch(population=6)
    params = {"a": torch.zeros(2, 2), "b": [torch.ones(3), None]}
    state = search.init(params, generator=0)
    first, second = search.ask(state), search.ask(state)
    assert first["a"].shape == (6, 2, 2)
    assert torch.equal(first["b"][0], second["b"][0])
    torch.testing.assert_close(first["a"][:3], -first["a"][3:])
    torch.testing.assert_close(first["b"][0][:3] - 1, 1 - first["b"][0][3:])
    after = search.tell(state, torch.arange(6.0))
    assert not torch.equal(search.ask(after)["a"], first["a"])


def test_the_default_population_is_even_and_grows_with_the_logarithm() -> None:
    for d, n in ((1, 4), (10, 12), (1000, 26)):
        search = zo.GaussianSearch()
        assert len(search.ask(search.init(torch.zeros(d)))) == n


@pytest.mark.parametrize(
    "evaluation", [pytest.param(zo.Loop(), marks=pytest.mark.slow), zo.Vmap()], ids=["loop", "vmap"]
)
def test_it_solves_an_inner_problem_differentiated_implicitly(evaluation: zo.Evaluation) -> None:
    def objective(x: torch.Tensor, a: torch.Tensor) -> torch.Tensor:
        return (AXES * (x - a**2) ** 2).sum()

    a = CENTER.clone().requires_grad_()
    solver = zo.GaussianSearch(population=20).solver(steps=400, generator=0, evaluation=evaluation)
    solution = torchopt.minimize(
        objective, torch.zeros(3, dtype=torch.float64), (a,), solver=solver, diff=diff.Implicit()
    )
    torch.testing.assert_close(solution.params, CENTER**2, atol=1e-4, rtol=0)
    (found,) = torch.autograd.grad(solution.params.sum(), a)
    torch.testing.assert_close(found, 2 * CENTER)


def test_it_solves_an_outer_problem_without_a_gradient() -> None:
    x = torch.linspace(-1, 1, 101, dtype=torch.float64)

    def mistakes(threshold: torch.Tensor) -> torch.Tensor:
        return ((x > threshold) != (x > 0.4)).double().mean()

    solver = zo.GaussianSearch(population=20, sigma=0.5).solver(steps=40, generator=0)
    start = torch.tensor(-0.5, dtype=torch.float64)
    solution = torchopt.minimize(mistakes, start, solver=solver, diff=diff.ZeroOrder())
    assert mistakes(solution.params) < 0.02
    with pytest.raises(ValueError, match="minimizes an objective, but the problem is a `Root`"):
        torchopt.root(lambda x: x, start, solver=solver)


def test_values_that_are_nan_raise_or_are_left_out() -> None:
    def rough(x: torch.Tensor) -> torch.Tensor:
        return bowl(x).masked_fill(x[:, 0] > 0.5, torch.nan)

    with pytest.raises(ValueError, match=r"of 20 directions have values that are NaN"):
        run(zo.GaussianSearch(population=20), rough, 3)
    with pytest.warns(NonFiniteWarning, match="were left out"):
        state = run(zo.GaussianSearch(population=20, nonfinite="drop"), rough, 3)
    assert state.mean.isfinite().all()


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32])
def test_counts_are_not_rounded_to_the_precision_of_the_parameters(dtype: torch.dtype) -> None:
    search = zo.GaussianSearch(population=4)
    state = search.init(torch.zeros(3, dtype=dtype), generator=0)
    expected = search.tell(state, [3.0, 0.0, 2.0, 1.0])  # their order is all that counts
    high = 1 << 30
    for counts in (
        [high + 3, high, high + 2, high + 1],
        torch.tensor([high + 3, high, high + 2, high + 1]),
    ):
        assert torch.equal(search.tell(state, counts).mean, expected.mean)
