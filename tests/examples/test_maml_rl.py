"""The MAML-RL example: derivatives by DiCE against all trajectories of an MDP."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import pytest
import torch

from examples.maml_rl import dice

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
