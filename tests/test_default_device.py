"""PyTorch's default device is for the user's tensors: the library's own are where it needs them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
import torch

import torchopt
from _public import ALIASES, POLICIES, exported, other_solvers
from torchopt import diff

F64 = {"dtype": torch.float64, "device": "cpu"}
ESTIMATORS = exported(diff.zero_order, diff.zero_order.Estimator)
SOLVERS = other_solvers({})


def quartic(x: torch.Tensor, a: torch.Tensor) -> torch.Tensor:
    return ((x - a) ** 4).sum() + (x * a).sum()


def slope(mode: Any, **options: Any) -> torch.Tensor:
    """Return the derivative of a solution by the parameter of the objective, on the CPU."""
    x, a = torch.linspace(0.2, 1.0, 3, **F64), torch.linspace(0.5, 0.8, 3, **F64).requires_grad_()
    solution = torchopt.minimize(quartic, x, args=(a,), diff=mode, **options)
    return torch.autograd.grad(solution.params.sum(), a)[0]


def same_elsewhere(compute: Callable[[], torch.Tensor]) -> None:
    expected = compute()
    torch.set_default_device("meta")
    try:
        found = compute()
    finally:
        torch.set_default_device(None)
    torch.testing.assert_close(found, expected, rtol=0.0, atol=0.0)


@pytest.mark.parametrize("name", list(ALIASES))
def test_every_optimizer_steps(name: str) -> None:
    same_elsewhere(lambda: slope(diff.Explicit(), solver=ALIASES[name](lr=0.05), steps=3))


@pytest.mark.parametrize("name", list(POLICIES))
def test_every_memory_policy_computes_steps_again(name: str) -> None:
    same_elsewhere(lambda: slope(POLICIES[name], solver=torchopt.adam(0.1), steps=5))


@pytest.mark.parametrize("name", list(ESTIMATORS))
def test_every_estimator_draws_its_directions(name: str) -> None:
    def estimate() -> torch.Tensor:
        x = torch.linspace(0.2, 1.0, 3, **F64).requires_grad_()
        more = {"subspace": torch.eye(1, 3, **F64)} if name == "Guided" else {}
        mode = diff.ZeroOrder(ESTIMATORS[name](**more), generator=0)
        return torch.autograd.grad(mode(lambda x: x.square().sum())(x), x)[0]

    same_elsewhere(estimate)


@pytest.mark.parametrize("name", list(SOLVERS))
def test_every_solver_finds_its_solution(name: str) -> None:
    method, kind = SOLVERS[name]

    def derivative() -> torch.Tensor:
        a = torch.linspace(0.5, 0.8, 3, **F64).requires_grad_()
        x = torch.linspace(0.2, 1.0, 3, **F64)
        function = {
            "minimum": lambda x, a: ((x - a) ** 2 * (1 + x**2)).sum(),
            "root": lambda x, a: x - a + 0.1 * x**3,
            "fixed_point": lambda x, a: a - 0.1 * x**3,
            "least_squares": lambda x, a: x - a + 0.1 * x**3,
        }[kind]
        find = torchopt.minimize if kind == "minimum" else getattr(torchopt, kind)
        solution = find(function, x, args=(a,), solver=method, diff=diff.Implicit())
        return torch.autograd.grad(solution.params.sum(), a)[0]

    same_elsewhere(derivative)


@pytest.mark.parametrize("again", ["remat", "step"])
def test_what_is_computed_again_has_the_default_device_of_the_first_time(again: str) -> None:
    # The backward pass on a GPU runs in another thread, which has a default device of its own.
    seen: list[torch.device] = []

    def function(x: torch.Tensor) -> torch.Tensor:
        seen.append(torch.get_default_device())
        return (x**3).sum()

    x = torch.ones(2, **F64).requires_grad_()
    with torch.device("meta"):
        if again == "remat":
            value = torchopt.remat(function)(x)
        else:
            step = torchopt.minimize(
                function, x, solver=torchopt.sgd(0.1), steps=1, diff=diff.Explicit("step")
            )
            value = step.params.sum()
    count = len(seen)
    thread = threading.Thread(target=value.backward)
    thread.start()
    thread.join()
    assert x.grad is not None
    assert len(seen) > count
    assert set(seen) == {torch.device("meta")}
    assert torch.get_default_device() == torch.device("cpu")
