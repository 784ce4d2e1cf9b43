"""2D navigation: a point moves from the origin towards a goal that it does not see."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch.distributions import Normal

__all__ = ["Trajectories", "explore"]


class Trajectories(NamedTuple):
    """Trajectories to several goals; shapes begin with ``(goals, steps, trajectories)``.

    Attributes:
        states: Positions, of shape ``(..., 2)``.
        actions: What the policy drew, of shape ``(..., 2)``; more than one is cut to one.
        rewards: Minus the distance to the goal after the step; zero after the end.
        alive: One, and zero after the goal was reached.
        advantages: Rewards from the step on, minus a baseline; of mean zero and deviation one.
    """

    states: torch.Tensor
    actions: torch.Tensor
    rewards: torch.Tensor
    alive: torch.Tensor
    advantages: torch.Tensor

    @property
    def total(self) -> torch.Tensor:
        """The mean return of a trajectory, over all goals."""
        return self.rewards.sum(1).mean()


@torch.no_grad()
def explore(
    policy: Callable[[torch.Tensor], Normal], goals: torch.Tensor, trajectories: int, horizon: int
) -> Trajectories:
    """Let a policy move, with PyTorch's random numbers, by at most 0.1 a step and coordinate.

    Args:
        policy: Returns the distribution of actions, for positions of shape ``(goals, n, 2)``.
        goals: Where to go, of shape ``(goals, 2)``.
        trajectories: How many for each goal.
        horizon: Steps of a trajectory, which ends before if it comes within 0.01 of the goal.

    References:
        Finn, Abbeel and Levine, *Model-Agnostic Meta-Learning*, 2017, section 5.3.
    """
    state, alive = torch.zeros(len(goals), trajectories, 2), torch.ones(len(goals), trajectories)
    steps = []
    for _ in range(horizon):
        action = policy(state).sample()
        moved = state + 0.1 * action.clamp(-1, 1)
        away = moved - goals[:, None]
        steps.append((state, action, -away.norm(dim=-1) * alive, alive))
        alive = alive * (away.abs().amax(-1) >= 0.01)
        state = moved
    states, actions, rewards, lived = (torch.stack(x, 1) for x in zip(*steps, strict=True))
    return Trajectories(states, actions, rewards, lived, _advantages(states, rewards, lived))


def _advantages(states: torch.Tensor, rewards: torch.Tensor, alive: torch.Tensor) -> torch.Tensor:
    """Subtract a baseline for each goal that is linear in powers of the time and of the position.

    References:
        Duan et al., *Benchmarking Deep Reinforcement Learning for Continuous Control*, 2016 (the linear
        feature baseline).
    """
    ahead = rewards.flip(1).cumsum(1).flip(1)
    time = torch.linspace(0, 1, rewards.shape[1])[:, None].expand_as(rewards)
    powers = [time**k for k in range(4)]
    features = torch.stack([*powers, *states.unbind(-1), *states.square().unbind(-1)], dim=-1)
    x = (features * alive[..., None]).flatten(1, 2).double()
    gram = x.mT @ x + 1e-5 * torch.eye(x.shape[-1]).double()
    baseline = x @ torch.linalg.solve(gram, x.mT @ ahead.flatten(1)[..., None].double())
    left = (ahead - baseline.to(ahead.dtype).view_as(ahead)) * alive
    count = alive.sum((1, 2), keepdim=True)
    left = (left - left.sum((1, 2), keepdim=True) / count) * alive
    return left / (left.square().sum((1, 2), keepdim=True) / count).sqrt()
