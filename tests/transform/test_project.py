"""`project`: parameters lie in the set after each step, and derivatives go through the projection."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import torchopt
from torchopt import sets
from torchopt.transform import project

F64 = torch.float64
START = torch.tensor([0.5, 0.3, 0.2], dtype=F64)


def gradient(x: torch.Tensor) -> torch.Tensor:
    return x - torch.tensor([1.0, -0.5, 0.7], dtype=F64)


def descend(tx: Any, x: torch.Tensor, steps: int, *, inplace: bool = False) -> torch.Tensor:
    state = tx.init(x)
    for _ in range(steps):
        updates, state = tx.update(gradient(x), state, params=x, inplace=inplace)
        x = torchopt.apply_updates(x, updates, inplace=False)
    return x


def test_projected_gradient_descent_is_that_of_its_formula() -> None:
    x = START
    for _ in range(5):
        moved = x - 0.3 * gradient(x)
        # Of three elements, by trying each threshold.
        for size in (3, 2, 1):
            largest = moved.topk(size).values
            threshold = (largest.sum() - 1) / size
            if largest[-1] > threshold:
                break
        x = (moved - threshold).clamp(min=0)
    tx = torchopt.chain(torchopt.sgd(0.3), project(sets.Simplex()))
    torch.testing.assert_close(descend(tx, START, 5), x)
    torch.testing.assert_close(descend(tx, START, 5, inplace=True), x)


def test_derivatives_go_to_start_gradients_and_radius() -> None:
    def solve(x: torch.Tensor, radius: torch.Tensor) -> torch.Tensor:
        return descend(torchopt.chain(torchopt.sgd(0.3), project(sets.L1Ball(radius))), x, 3)

    inputs = (START.clone().requires_grad_(), torch.tensor(0.8, dtype=F64, requires_grad=True))
    assert torch.autograd.gradcheck(solve, inputs, fast_mode=True, check_forward_ad=True)
    assert torch.autograd.gradgradcheck(solve, inputs, fast_mode=True)
    many = START + 0.02 * torch.arange(12, dtype=F64).reshape(4, 3)
    batch = torch.func.vmap(solve, (0, None))(many, inputs[1])
    torch.testing.assert_close(batch, torch.stack([solve(x, inputs[1]) for x in many]))


def test_a_tree_of_sets_projects_its_parts() -> None:
    tx = project({"w": sets.NonNegative(), "b": None})
    params = {"w": torch.tensor([1.0, 0.5]), "b": torch.tensor([0.1])}
    grads = {"w": torch.tensor([-3.0, 1.0]), "b": torch.tensor([-1.0])}
    updates, _ = tx.update(grads, tx.init(params), params=params)
    torch.testing.assert_close(updates, {"w": torch.tensor([-1.0, 1.0]), "b": grads["b"]})


def test_what_is_no_set_is_refused() -> None:
    with pytest.raises(TypeError, match="which is no set"):
        project(torchopt.prox.L1(1.0))
    with pytest.raises(TypeError, match="`onto` is an object of type float"):
        project(1.0)
    with pytest.raises(TypeError, match="make an object of it"):
        project(sets.Simplex)
    tx = project(sets.NonNegative())
    with pytest.raises(ValueError, match="needs the parameters"):
        tx.update(START, tx.init(START))
