"""The ES-MAML example: adaptation and meta-training."""

from __future__ import annotations

import pytest
import torch

from examples import es_maml
from examples.es_maml import Config, adapt, adapted_costs, draw_tasks, first_policy, meta_train
from examples.tools.report import Report


def _generator() -> torch.Generator:
    return torch.Generator().manual_seed(0)


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
