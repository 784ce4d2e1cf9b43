"""What is particular to optimizers that read signs, average parameters, or let a momentum grow."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch

import torchopt
from _trees import assert_trees_equal, generator, random_tensor
from torchopt import transform


def run(tx: Any, params: torch.Tensor, gradients: list[torch.Tensor]) -> tuple[torch.Tensor, Any]:
    state = tx.init((params,))
    for g in gradients:
        (u,), state = tx.update((g,), state, params=(params,), inplace=False)
        params = params + u
    return params, state


def draw(count: int, seed: int = 1) -> list[torch.Tensor]:
    gen = generator(seed)
    return [random_tensor(gen, (4,)) for _ in range(count)]


def test_meta_gradients_of_rprop_equal_the_closed_form() -> None:
    # Signs + + - - +: steps s, s a, none, s a b and, after another change, none.
    s, a, b = (torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in (0.3, 1.3, 0.6))
    gradients = [torch.tensor([x], dtype=torch.float64) for x in (0.5, 2.0, -1.0, -0.4, 3.0)]
    params, _ = run(
        torchopt.optimizers.rprop(s, (b, a)), torch.ones(1, dtype=torch.float64), gradients
    )
    expected = 1 - s - s * a + s * a * b
    torch.testing.assert_close(params, expected[None])
    found = torch.autograd.grad(params.sum(), (s, a, b))
    for x, y in zip(found, torch.autograd.grad(expected, (s, a, b)), strict=True):
        torch.testing.assert_close(x, y)


@pytest.mark.parametrize(
    "make",
    [
        lambda w: torchopt.lion(0.1, smooth=w),
        lambda w: torchopt.optimizers.yogi(0.1, smooth=w),
        lambda w: torchopt.optimizers.rprop(0.1, smooth=w),
    ],
    ids=["lion", "yogi", "rprop"],
)
def test_a_narrow_smooth_sign_has_the_numbers_of_the_sign(make: Any) -> None:
    start, gradients = draw(1)[0], draw(6, seed=2)
    expected = run(make(None), start, gradients)
    assert_trees_equal(run(make(0.0), start, gradients), expected)
    assert_trees_equal(run(make(1e-6), start, gradients), expected, rtol=1e-12, atol=1e-12)


def test_no_gradient_passes_the_sign_and_some_passes_the_smooth_one() -> None:
    for make in (torchopt.lion, torchopt.optimizers.rprop):
        for smooth, reached in ((None, False), (0.5, True)):
            gradients = [g.requires_grad_() for g in draw(3)]
            tx = make(0.1, smooth=smooth)
            params, _ = run(tx, draw(1, seed=2)[0], gradients)
            found = torch.autograd.grad(
                params.sum(), gradients, allow_unused=True, materialize_grads=True
            )
            assert all(bool(d.ne(0).any()) is reached for d in found[:2])


def test_nan_gradients_stop_elements_of_signs_and_spoil_those_of_smooth_signs() -> None:
    start = draw(1)[0]
    gradients = draw(3, seed=2)
    gradients[1][2] = math.nan
    reference = start.clone().requires_grad_()
    optimizer = torch.optim.Rprop([reference])
    for g in gradients:
        reference.grad = g.clone()
        optimizer.step()
    params, _ = run(torchopt.optimizers.rprop(), start, gradients)
    torch.testing.assert_close(params, reference.detach())
    params, state = run(torchopt.lion(0.1, weight_decay=0.0), start, gradients)
    before, _ = run(torchopt.lion(0.1, weight_decay=0.0), start, gradients[:1])
    assert params[2] == before[2]
    assert torch.isnan(state[2].mu[0]).tolist() == [False, False, True, False]
    for tx in (torchopt.lion(smooth=0.1), torchopt.optimizers.rprop(smooth=0.1)):
        assert torch.isnan(run(tx, start, gradients)[0]).tolist() == [False, False, True, False]


def test_learning_rate_of_rprop_is_no_schedule() -> None:
    for make in (torchopt.optimizers.rprop, transform.scale_by_rprop):
        with pytest.raises(
            TypeError, match=r"`lr` is an object of type .*: use a number, a tensor, or"
        ):
            make(torchopt.schedule.linear_schedule(1.0, 0.1, 5))
