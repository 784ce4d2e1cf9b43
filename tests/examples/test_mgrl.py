"""The MGRL example: its returns, its meta-gradient, the two states' closed form."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
from torch import nn

import torchopt
from examples import mgrl
from examples.mgrl import PRESETS, Config, actor_critic_loss, closed_form, lambda_return
from examples.tools.catch import Games

_TINY = Config(state_steps=20, board=4, games=8, steps=25, seeds=2)


def _games(seed: int, steps: int = 5, games: int = 6, size: int = 4) -> Games:
    """Return games as they might have gone, in double precision; rewards come at every step."""
    generator = torch.Generator().manual_seed(seed)
    boards = torch.rand(steps, games, size**2, generator=generator, dtype=torch.float64)
    actions = torch.randint(3, (steps, games), generator=generator)
    rewards = torch.randn(steps, games, generator=generator, dtype=torch.float64)
    values = torch.randn(steps + 1, games, generator=generator, dtype=torch.float64)
    return Games(boards, actions, rewards, values)


@pytest.mark.parametrize(("gamma", "lam"), [(0.9, 0.6), (1.0, 1.0), (0.7, 0.0), (0.0, 0.5)])
def test_lambda_return_is_the_weighted_mean_of_n_step_returns(gamma: float, lam: float) -> None:
    games = _games(0)
    steps = len(games.rewards)
    returns = lambda_return(games, torch.tensor([gamma, lam], dtype=torch.float64))
    for t in range(steps):
        n_step = []
        for n in range(1, steps - t + 1):
            rewards = sum(gamma**k * games.rewards[t + k] for k in range(n))
            n_step.append(rewards + gamma**n * games.values[t + n])
        # (1 - lambda) lambda^(n - 1) for each; the longest has all that is left.
        weights = [(1 - lam) * lam ** (n - 1) for n in range(1, len(n_step))]
        weights.append(lam ** (len(n_step) - 1))
        expected = sum(w * g for w, g in zip(weights, n_step, strict=True))
        torch.testing.assert_close(returns[t], expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("optimizer", [torchopt.MetaSGD, torchopt.MetaAdam])
def test_meta_gradient_is_that_of_finite_differences(
    optimizer: Callable[..., torchopt.MetaOptimizer],
) -> None:
    torch.manual_seed(0)
    start = nn.Sequential(nn.Linear(16, 8), nn.Tanh(), nn.Linear(8, 4)).double()
    before, after = _games(1), _games(2)

    def outer(logits: torch.Tensor) -> torch.Tensor:
        net = copy.deepcopy(start)
        inner = optimizer(net, lr=0.1)
        for _ in range(2):
            inner.step(actor_critic_loss(net, before, logits.sigmoid()))
        one = torch.ones(2, dtype=torch.float64)
        return actor_critic_loss(net, after, one, value=0.0, entropy=0.0)

    logits = torch.tensor([0.3, -0.4], dtype=torch.float64, requires_grad=True)
    (gradient,) = torch.autograd.grad(outer(logits), logits)
    expected = torch.zeros_like(gradient)
    for i, step in enumerate(1e-5 * torch.eye(2, dtype=torch.float64)):
        expected[i] = (outer(logits + step) - outer(logits - step)).detach() / 2e-5
    assert expected.abs().min() > 1e-5
    torch.testing.assert_close(gradient, expected, rtol=1e-6, atol=1e-10)


@pytest.mark.slow
def test_two_states_come_to_the_closed_form() -> None:
    found = mgrl.learn_states(replace(_TINY, state_steps=600))[-200:].mean(0)
    assert (found - closed_form(_TINY.value_lr)).abs().max() < 0.05


@pytest.mark.slow
def test_learned_return_beats_the_one_it_started_from() -> None:
    learned, fixed = (
        mgrl.learn_catch(PRESETS["quick"], 0, 0.5, way)[-100:].mean(0) for way in (True, False)
    )
    assert learned[0] > fixed[0] + 0.1
    assert learned[1] > 0.75
