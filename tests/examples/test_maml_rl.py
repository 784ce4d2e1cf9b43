"""The MAML-RL example: derivatives by DiCE against all trajectories of an MDP, and a tiny run."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import pytest
import torch
from torch.distributions import Normal

import torchopt
from examples.maml_rl import dice
from examples.tools.navigation import explore

_STEPS, _STATES, _ACTIONS = 3, 2, 3


class _Enumeration(NamedTuple):
    """All trajectories of an MDP, with their states, actions and chances of the transitions."""

    states: torch.Tensor  # (steps, trajectories)
    actions: torch.Tensor
    chance: torch.Tensor  # (trajectories,)
    rewards: torch.Tensor  # (steps, trajectories)

    def log_probs(self, logits: torch.Tensor) -> torch.Tensor:
        return logits.log_softmax(1)[self.states, self.actions]

    def exact(self, logits: torch.Tensor) -> torch.Tensor:
        """Return the expected return."""
        return (self.chance * self.log_probs(logits).sum(0).exp()) @ self.rewards.sum(0)

    def expected(self, estimate: torch.Tensor, logits: torch.Tensor) -> torch.Tensor:
        """Return the expectation of what was estimated from each trajectory."""
        return (self.chance * self.log_probs(logits).sum(0).exp()).detach() @ estimate

    def by_dice(self, logits: torch.Tensor, decay: float = 1.0) -> torch.Tensor:
        """Return the expectation of the surrogate, with a baseline of the state and the step."""
        ahead = self.rewards.flip(0).cumsum(0).flip(0)
        baseline = torch.tensor([[0.3, -1.2], [2.0, 0.4], [-0.7, 0.9]]).double()
        steps = torch.arange(_STEPS)[:, None]
        advantages = ahead - baseline[steps, self.states]
        return self.expected(dice(self.log_probs(logits)[None], advantages[None], decay)[0], logits)


@pytest.fixture
def mdp() -> _Enumeration:
    generator = torch.Generator().manual_seed(0)
    draw = {"generator": generator, "dtype": torch.float64}
    transition = torch.rand(_STATES, _ACTIONS, _STATES, **draw)
    transition = transition / transition.sum(-1, keepdim=True)
    reward = torch.randn(_STATES, _ACTIONS, **draw)
    later = itertools.product(range(_STATES), repeat=_STEPS - 1)
    both = itertools.product(later, itertools.product(range(_ACTIONS), repeat=_STEPS))
    states, actions = (
        torch.tensor(x).T for x in zip(*[((0, *s), a) for s, a in both], strict=True)
    )
    chance = transition[states[:-1], actions[:-1], states[1:]].prod(0)
    return _Enumeration(states, actions, chance, reward[states, actions])


@pytest.fixture
def logits() -> torch.Tensor:
    generator = torch.Generator().manual_seed(1)
    return torch.randn(_STATES, _ACTIONS, generator=generator, dtype=torch.float64)


def test_trajectories_are_all_there_are(mdp: _Enumeration, logits: torch.Tensor) -> None:
    assert mdp.chance.shape == (_STATES ** (_STEPS - 1) * _ACTIONS**_STEPS,)
    ones = torch.ones_like(mdp.chance)
    torch.testing.assert_close(mdp.expected(ones, logits), torch.tensor(1.0).double())


def test_first_two_derivatives_of_dice_are_those_of_the_expected_return(
    mdp: _Enumeration, logits: torch.Tensor
) -> None:
    gradient, hessian = torch.func.grad(mdp.exact)(logits), torch.func.hessian(mdp.exact)(logits)
    assert gradient.abs().min() > 1e-4
    torch.testing.assert_close(torch.func.grad(mdp.by_dice)(logits), gradient)
    torch.testing.assert_close(torch.func.hessian(mdp.by_dice)(logits), hessian)

    def usual(logits: torch.Tensor) -> torch.Tensor:
        ahead = mdp.rewards.flip(0).cumsum(0).flip(0)
        return mdp.expected((mdp.log_probs(logits) * ahead).sum(0), logits)

    torch.testing.assert_close(torch.func.grad(usual)(logits), gradient)
    assert (torch.func.hessian(usual)(logits) - hessian).abs().max() > 0.1  # why there is DiCE


@pytest.mark.parametrize("decay", [0.0, 0.9])
def test_decay_leaves_the_gradient_alone(
    decay: float, mdp: _Enumeration, logits: torch.Tensor
) -> None:
    gradient = torch.func.grad(lambda logits: mdp.by_dice(logits, decay))(logits)
    torch.testing.assert_close(gradient, torch.func.grad(mdp.exact)(logits))


def test_meta_gradient_through_an_inner_step_is_that_of_all_trajectories(
    mdp: _Enumeration, logits: torch.Tensor
) -> None:
    lr = 0.8

    def outer(logits: torch.Tensor) -> torch.Tensor:
        adapted = torchopt.minimize(
            lambda logits: -mdp.by_dice(logits), logits, solver=torchopt.sgd(lr), steps=1
        )
        return mdp.exact(adapted.params)

    def truth(logits: torch.Tensor) -> torch.Tensor:
        return mdp.exact(logits + lr * torch.func.grad(mdp.exact)(logits))

    gradient, value = torchopt.meta_grad_and_value(outer)(logits)
    expected, expected_value = torch.func.grad_and_value(truth)(logits)
    torch.testing.assert_close(value, expected_value)
    torch.testing.assert_close(gradient, expected)
    plain = torch.func.grad(mdp.exact)(logits + lr * torch.func.grad(mdp.exact)(logits))
    assert (gradient - plain).abs().max() > 0.01  # the second derivative matters


def test_point_moves_until_it_reaches_its_goal() -> None:
    torch.manual_seed(0)
    goals = torch.tensor([[0.3, 0.0], [-0.4, 0.2]])

    def policy(states: torch.Tensor) -> Normal:
        return Normal(10 * (goals[:, None] - states), 1e-4)

    found = explore(policy, goals, trajectories=5, horizon=12)
    assert found.states.shape == found.actions.shape == (2, 12, 5, 2)
    moved = found.states[:, 1:] - found.states[:, :-1]
    torch.testing.assert_close(moved, 0.1 * found.actions[:, :-1].clamp(-1, 1))
    # At most 0.1 a step along each axis: three and four steps.
    assert found.alive.sum(1).tolist() == [[3.0] * 5, [4.0] * 5]
    distances = (found.states[:, 1:] - goals[:, None, None]).norm(dim=-1)
    torch.testing.assert_close(found.rewards[:, :-1], -distances * found.alive[:, :-1])
    assert found.rewards[0].sum(0).tolist() == pytest.approx([-0.3] * 5, abs=0.01)


def test_advantages_are_standardized_and_zero_after_the_end() -> None:
    torch.manual_seed(0)
    goals = torch.tensor([[0.25, 0.05], [-0.4, 0.2]])

    def policy(states: torch.Tensor) -> Normal:
        return Normal(10 * (goals[:, None] - states), 0.2)

    found = explore(policy, goals, trajectories=8, horizon=30)
    assert (found.alive == 0).any()
    assert found.advantages[found.alive == 0].eq(0).all()
    for alive, advantages in zip(found.alive.bool(), found.advantages, strict=True):
        seen = advantages[alive]
        assert seen.mean() == pytest.approx(0, abs=1e-5)
        assert seen.square().mean() == pytest.approx(1, abs=1e-4)
