"""Implicit derivatives at points that are no solutions, and solvers that are plain functions."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest
import torch

import torchopt
from torchopt import diff

DTYPE = torch.float64
GEN = torch.Generator().manual_seed(3)
X = torch.randn(20, 4, dtype=DTYPE, generator=GEN)
Y = torch.randn(20, dtype=DTYPE, generator=GEN)


def ridge(w: torch.Tensor, penalty: Any) -> torch.Tensor:
    return (X @ w - Y).square().mean() + penalty * w.square().sum()


def closed_form(penalty: torch.Tensor) -> torch.Tensor:
    eye = torch.eye(4, dtype=DTYPE)
    return torch.linalg.solve(X.T @ X / 20 + penalty * eye, X.T @ Y / 20)


def fit(penalty: torch.Tensor, steps: int, start: torch.Tensor | None = None) -> Any:
    start = torch.zeros(4, dtype=DTYPE) if start is None else start
    solver = torchopt.sgd(0.05)
    return torchopt.minimize(
        ridge, start, (penalty,), solver=solver, steps=steps, diff=diff.Implicit()
    )


@pytest.mark.parametrize("steps", [1, 2, 5])
def test_a_few_steps_are_no_solution_and_say_so(steps: int) -> None:
    penalty = torch.tensor(0.3, dtype=DTYPE, requires_grad=True)
    with pytest.warns(torchopt.errors.NotConvergedWarning, match="is no solution") as caught:
        solution = fit(penalty, steps)
    warning: Any = caught[0].message
    assert caught[0].filename == __file__
    assert warning.iterations == steps
    assert warning.error == pytest.approx(float(solution.error))
    assert warning.derivative_error == pytest.approx(float(solution.stats.derivative_error))
    (found,) = torch.autograd.grad(solution.params.square().sum(), penalty)
    (exact,) = torch.autograd.grad(closed_form(penalty).square().sum(), penalty)
    # An estimate: of the order of the error, and no less than a third of it.
    assert warning.derivative_error > abs(float(found / exact) - 1) / 3


def test_what_is_trained_to_modest_accuracy_is_silent() -> None:
    penalty = torch.tensor(0.3, dtype=DTYPE, requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        solution = fit(penalty, 100)
        fit(penalty, 3, start=solution.params.detach())  # from a warm start, a few steps are enough
        fit(penalty, 0, start=closed_form(penalty).detach())
        fit(penalty.detach(), 100)
    (found,) = torch.autograd.grad(solution.params.square().sum(), penalty)
    (exact,) = torch.autograd.grad(closed_form(penalty).square().sum(), penalty)
    torch.testing.assert_close(found, exact, rtol=0.2, atol=0)


@pytest.mark.parametrize("off", [0.02, 0.5])
def test_a_start_without_a_step_is_a_solution_only_where_it_is_near_one(off: float) -> None:
    penalty = torch.tensor(0.3, dtype=DTYPE, requires_grad=True)
    exact = closed_form(penalty).detach()
    for start in ((1 + off) * exact, torch.zeros_like(exact)):
        with pytest.warns(torchopt.errors.NotConvergedWarning, match="is no solution") as caught:
            solution = fit(penalty, 0, start=start)
        assert torch.equal(solution.params.detach(), start)
        estimate = caught[0].message.derivative_error  # type: ignore[union-attr]
        assert estimate == (pytest.approx(off / (1 + off), rel=0.5) if start.any() else torch.inf)
        with pytest.warns(torchopt.errors.NotConvergedWarning, match="is no solution"):
            torch.func.vmap(lambda s: fit(penalty, 0, start=s).params)(start[None])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit(penalty, 0, start=(1 + 1e-3) * exact)


@pytest.mark.parametrize("size", [1e-20, 1e-9])
def test_a_start_that_is_zero_but_for_rounding_is_a_solution_that_is_zero(size: float) -> None:
    center = torch.zeros(2, dtype=DTYPE, requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        solution = torchopt.minimize(
            lambda x, c: (x - c).square().sum(),
            torch.full((2,), size, dtype=DTYPE),
            (center,),
            solver=lambda x, c: x,
            diff=diff.Implicit(),
        )
    (found,) = torch.autograd.grad(solution.params.sum(), center)
    assert torch.equal(found, torch.ones_like(found))


@pytest.mark.parametrize(
    "options",
    [
        {"solver": torchopt.sgd(0.05), "maxiter": 0, "atol": 1e-3},
        {"solver": torchopt.solver.LBFGS(maxiter=0)},
    ],
)
def test_no_iteration_at_all_does_not_converge(options: dict[str, Any]) -> None:
    start, penalty = torch.zeros(4, dtype=DTYPE), torch.tensor(0.3, dtype=DTYPE, requires_grad=True)
    with pytest.warns(torchopt.errors.NotConvergedWarning, match="did not converge"):
        torchopt.minimize(ridge, start, (penalty,), diff=diff.Implicit(), **options)


@pytest.mark.parametrize("off", [1e-6, 0.01, 0.2])
@pytest.mark.parametrize("unknowns", [4, 120])  # by Newton's method, and by the slope
def test_the_estimate_of_a_function_is_its_distance_from_the_solution(
    off: float, unknowns: int
) -> None:
    center = torch.linspace(1.0, 2.0, unknowns, dtype=DTYPE).requires_grad_()
    with warnings.catch_warnings():
        warnings.simplefilter("error" if off < 0.05 else "ignore")
        solution = torchopt.minimize(
            lambda x, c: (x - c).pow(2).sum(),
            torch.zeros(unknowns, dtype=DTYPE),
            (center,),
            solver=lambda x, c: (1 + off) * c,
            diff=diff.Implicit(),
        )
    assert float(solution.stats.derivative_error) == pytest.approx(off / (1 + off), rel=0.01)


def test_it_is_said_under_transforms_too() -> None:
    penalties = torch.tensor([0.3, 4.0], dtype=DTYPE)
    with pytest.warns(torchopt.errors.NotConvergedWarning, match="for some problems") as caught:
        torch.func.vmap(torch.func.grad(lambda p: fit(p, 2).params.sum()))(penalties)
    assert caught[0].message.failed in (1, 2)  # type: ignore[union-attr]


def by_autograd(w: torch.Tensor, penalty: torch.Tensor) -> torch.Tensor:
    w = w.requires_grad_()
    for _ in range(200):
        (g,) = torch.autograd.grad(ridge(w, penalty), w)
        w = (w - 0.2 * g).detach().requires_grad_()
    return w


def by_torch_optim(w: torch.Tensor, penalty: torch.Tensor) -> torch.Tensor:
    w.requires_grad_()
    optimizer = torch.optim.SGD([w], lr=0.2)
    for _ in range(200):
        optimizer.zero_grad()
        ridge(w, penalty).backward()
        optimizer.step()
    return w


def by_looking_at_values(w: torch.Tensor, penalty: torch.Tensor) -> torch.Tensor:
    step = 1.0
    while step > 1e-10:
        new = w - 0.1 * (2 * X.T @ (X @ w - Y) / 20 + 2 * penalty * w)
        step, w = float((new - w).detach().abs().max()), new
    return w.detach()


def by_batches(w: torch.Tensor, penalty: torch.Tensor) -> torch.Tensor:
    if penalty.dim():
        assert w.shape == (len(penalty), 4)  # plain tensors, the problems first
        return torch.stack([by_looking_at_values(*each) for each in zip(w, penalty, strict=True)])
    return by_looking_at_values(w, penalty)


by_batches.batched = True  # type: ignore[attr-defined]
functions = pytest.mark.parametrize(
    "solver", [by_autograd, by_torch_optim, by_looking_at_values, by_batches]
)


@functions
@pytest.mark.parametrize("requires_grad", [False, True])
def test_a_function_may_train_by_whatever_means(
    solver: Callable[..., torch.Tensor], requires_grad: bool
) -> None:
    penalty = torch.tensor(0.3, dtype=DTYPE, requires_grad=True)
    start = torch.zeros(4, dtype=DTYPE, requires_grad=requires_grad)
    (expected,) = torch.autograd.grad(closed_form(penalty)[0], penalty)
    solution = torchopt.minimize(ridge, start, (penalty,), solver=solver, diff=diff.Implicit())
    (found,) = torch.autograd.grad(solution.params[0], penalty)
    torch.testing.assert_close(found, expected, rtol=1e-6, atol=0)
    decorated = torchopt.compat.custom_root(lambda w, p: torch.func.grad(ridge)(w, p))(solver)
    (found,) = torch.autograd.grad(decorated(start, penalty)[0], penalty)
    torch.testing.assert_close(found, expected, rtol=1e-6, atol=0)
    assert torch.equal(start, torch.zeros(4, dtype=DTYPE))
    assert start.grad is None
    assert penalty.grad is None


@functions
def test_a_function_is_called_for_each_problem_of_a_batch(
    solver: Callable[..., torch.Tensor],
) -> None:
    def entry(penalty: torch.Tensor) -> torch.Tensor:
        start = torch.zeros(4, dtype=DTYPE)
        mode = diff.Implicit()
        return torchopt.minimize(ridge, start, (penalty,), solver=solver, diff=mode).params[0]

    penalties = torch.tensor([0.3, 1.0, 0.6], dtype=DTYPE)
    expected = torch.func.vmap(torch.func.grad(lambda p: closed_form(p)[0]))(penalties)
    torch.testing.assert_close(
        torch.func.vmap(torch.func.grad(entry))(penalties), expected, rtol=1e-6, atol=0
    )
    nested = torch.func.vmap(torch.func.vmap(entry))(penalties.reshape(3, 1))
    plain = torch.func.vmap(lambda p: closed_form(p)[0])(penalties)
    torch.testing.assert_close(nested[:, 0], plain, rtol=1e-6, atol=0)
