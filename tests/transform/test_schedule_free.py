"""Schedule-free averaging: what its state means, and for whom the weights count."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import torchopt
from _trees import drawn, trained
from torchopt import transform

SHAPES = {"b": (3,), "w": (2, 3)}


def test_average_is_that_of_the_paths_points_by_their_weights() -> None:
    params, gradients = drawn(1, 6, SHAPES)
    rates, power, beta = [0.1, 0.3, 0.2, 0.5, 0.5, 0.4], 1.5, 0.7

    def rate(count: torch.Tensor) -> Any:
        return torch.tensor(rates, dtype=torch.float64)[count.long()]

    tx = transform.schedule_free(torchopt.sgd(rate), rate, beta=beta, weight_lr_power=power)
    end, state = trained(tx, params, gradients)
    average = transform.schedule_free_eval_params(state, end)
    weights = [max(rates[: k + 1]) ** power for k in range(len(rates))]
    for name, start in params.items():
        z, points = start, []
        for lr, grads in zip(rates, gradients, strict=True):
            z = z - lr * grads[name]
            points.append(z)
        x = sum(w * p for w, p in zip(weights, points, strict=True)) / sum(weights)
        torch.testing.assert_close(average[name], x, rtol=1e-13, atol=1e-13)
        torch.testing.assert_close(end[name], (1 - beta) * z + beta * x, rtol=1e-13, atol=1e-13)


def test_leaves_in_a_tree_of_learning_rates_have_weights_of_their_own() -> None:
    params, gradients = drawn(1, 4, SHAPES)
    rates = {
        "b": torchopt.schedule.linear_schedule(0.1, 0.5, 4),
        "w": torchopt.schedule.linear_schedule(0.2, 0.3, 4),
    }
    found, state = trained(torchopt.optimizers.schedule_free_sgd(rates), params, gradients)
    average = transform.schedule_free_eval_params(state, found)
    for name, rate in rates.items():
        alone = [{name: grads[name]} for grads in gradients]
        end, state = trained(
            torchopt.optimizers.schedule_free_sgd(rate), {name: params[name]}, alone
        )
        torch.testing.assert_close(found[name], end[name])
        expected = transform.schedule_free_eval_params(state, end)[name]
        torch.testing.assert_close(average[name], expected)


def test_a_rate_of_zero_has_no_weight_and_derivatives_are_finite() -> None:
    params, gradients = drawn(1, 3, SHAPES)
    end = torch.tensor(0.4, dtype=torch.float64, requires_grad=True)
    power = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
    lr = torchopt.schedule.linear_schedule(0.0, end, 4)
    found, state = trained(
        torchopt.optimizers.schedule_free_sgd(lr, weight_lr_power=power), params, gradients
    )
    average = transform.schedule_free_eval_params(state, found)
    total = sum(x.sin().sum() for x in average.values())
    first = torch.autograd.grad(total, (end, power), create_graph=True)
    assert all(slope != 0 for slope in first)
    second = torch.autograd.grad(sum(first), (end, power))
    assert all(slope.isfinite() for slope in (*first, *second))


def test_a_leaf_without_gradient_keeps_its_average() -> None:
    params, gradients = drawn(1, 4, SHAPES)
    gradients[2]["b"] = None
    tx = torchopt.optimizers.schedule_free_adamw(0.1)
    before, state = trained(tx, params, gradients[:2])
    average = transform.schedule_free_eval_params(state, before)
    updates, state = tx.update(gradients[2], state, params=before, inplace=False)
    assert updates["b"] is None
    after = torchopt.apply_updates(before, updates, inplace=False)
    assert torch.equal(transform.schedule_free_eval_params(state, after)["b"], average["b"])


def test_wrong_arguments_are_refused() -> None:
    params, _ = drawn(1, 0, SHAPES)
    schedule = torchopt.schedule.linear_schedule(0.1, 0.2, 4)
    with pytest.raises(ValueError, match="`warmup_steps` is 4, but `lr` is a schedule"):
        torchopt.optimizers.schedule_free_sgd(schedule, warmup_steps=4)
    with pytest.raises(TypeError, match="`beta` is an object"):
        torchopt.optimizers.schedule_free_sgd(beta=schedule)
    with pytest.raises(ValueError, match="contains none of `schedule_free`"):
        transform.schedule_free_eval_params(torchopt.sgd(0.1).init(params), params)
    state = torchopt.optimizers.schedule_free_sgd().init({"w": params["w"]})
    with pytest.raises(ValueError, match="for these parameters"):
        transform.schedule_free_eval_params(state, params)
