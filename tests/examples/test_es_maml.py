"""The ES-MAML example: the robot, adaptation, meta-training, and a run of seconds."""

from __future__ import annotations

import pytest
import torch

from examples import es_maml
from examples.es_maml import (
    Config,
    adapt,
    adapted_costs,
    cost,
    draw_tasks,
    first_policy,
    meta_train,
    walk,
)
from examples.tools.report import Report


def _generator() -> torch.Generator:
    return torch.Generator().manual_seed(0)


def test_robot_walks_as_its_policy_says() -> None:
    policy = 3 * first_policy(Config(width=3), _generator())
    first, first_bias, second, second_bias = policy.split([6, 3, 6, 2])
    net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 2))
    tensors = (first.reshape(2, 3).T, first_bias, second.reshape(3, 2).T, second_bias)
    for p, value in zip(net.parameters(), tensors, strict=True):
        p.data = value
    position = torch.zeros(2)
    for found in walk(policy):
        clicks = (net(position).detach().clamp(-0.1, 0.1) / 0.02).round()
        assert clicks.any()
        position = position + 0.02 * clicks
        torch.testing.assert_close(found, position)
    assert len(walk(policy)) == 10


def test_backpropagation_through_the_robot_is_zero_though_its_cost_depends_on_the_policy() -> None:
    goal = torch.tensor([0.3, -0.2])
    policy = first_policy(Config(width=4), _generator()).requires_grad_()
    (gradient,) = torch.autograd.grad(cost(policy, goal), policy)
    assert torch.equal(gradient, torch.zeros_like(policy))
    assert cost(policy.detach() + 0.3, goal) != cost(policy, goal)


def test_standing_still_costs_what_the_table_says() -> None:
    goals, _ = draw_tasks(Config(width=1, pairs=1), 20_000, 0, _generator())
    still = torch.func.vmap(cost, (None, 0))(torch.zeros(7), goals)
    assert still.mean().item() == pytest.approx(0.383, rel=0.01)


def test_an_adaptation_with_a_whole_basis_is_gradient_descent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def smooth(policy: torch.Tensor, goal: torch.Tensor) -> torch.Tensor:
        return (policy.sin() * policy.roll(1)).sum() * goal.sum() + policy.square().sum()

    monkeypatch.setattr(es_maml, "cost", smooth)
    config = Config(width=2, pairs=12, inner_sigma=1e-2)  # as many pairs as parameters
    policy = first_policy(config, _generator())
    goals, noise = draw_tasks(config, 3, 2, _generator())
    found = adapt(config, policy, (goals, noise))
    for near, goal in zip(found, goals, strict=True):
        expected = policy
        for _ in range(2):
            expected = expected - 0.05 * torch.func.grad(smooth)(expected, goal)
        assert (expected - policy).abs().max() > 0.05
        torch.testing.assert_close(near, expected, rtol=1e-2, atol=1e-3)


@pytest.mark.slow
def test_meta_training_makes_adaptation_better_than_training_without_it() -> None:
    config = Config(width=6, pairs=6, outer_pairs=12, meta_batch=8, iterations=30)
    tasks = draw_tasks(config, 60, config.inner_steps, _generator())
    after = [
        float(adapted_costs(config, meta_train(config, Report(), steps=steps), tasks).mean())
        for steps in (config.inner_steps, 0)
    ]
    assert after[0] < 0.5 * 0.383
    assert after[0] < 0.9 * after[1]


def test_meta_training_is_the_same_for_the_same_seed() -> None:
    config = Config(width=3, pairs=2, outer_pairs=2, meta_batch=2, iterations=2)
    before = torch.get_rng_state()
    first = meta_train(config, Report(), steps=3)
    assert torch.equal(first, meta_train(config, Report(), steps=3))
    assert torch.equal(torch.get_rng_state(), before)
    assert not torch.equal(first, meta_train(config, Report(), steps=0))
