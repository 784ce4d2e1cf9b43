"""The iterated prisoner's dilemma, and an estimate of its value that can be differentiated many times.

A policy is five logits: of cooperation at the start, and after each of the four joint actions of the
round before. The value of a pair of policies is estimated by games; DiCE makes an estimate whose
derivatives of every order are estimates of the derivatives.
"""

from __future__ import annotations

from typing import NamedTuple

import torch

__all__ = ["Games", "dice_loss", "exact_value"]

# My reward after I and the other cooperate or defect: CC, CD, DC, DD.
_PAYOFF = (-1.0, -3.0, 0.0, -2.0)


class Games(NamedTuple):
    """Games as they went, each entry of shape ``(rounds, batch)``.

    Attributes:
        log_probability: Of both actions of a round together, a function of the policies.
        reward: Of the first agent.
    """

    log_probability: torch.Tensor
    reward: torch.Tensor


def play(mine: torch.Tensor, theirs: torch.Tensor, batch: int, rounds: int) -> Games:
    """Play games, with PyTorch's random numbers."""
    payoff = torch.tensor(_PAYOFF, dtype=mine.dtype)
    swap = torch.tensor([0, 1, 3, 2, 4])  # what they see where I see CD is DC
    state = torch.zeros(batch, dtype=torch.int64)
    log_probabilities, rewards = [], []
    for _ in range(rounds):
        actions = []
        both: torch.Tensor | float = 0.0
        for logits in (mine[state], theirs[swap[state]]):
            defects = (torch.rand(batch, dtype=mine.dtype) > logits.detach().sigmoid()).long()
            # log sigmoid(z) is that of cooperation, log sigmoid(-z) of defection
            both = both + torch.nn.functional.logsigmoid(logits * (1 - 2 * defects))
            actions.append(defects)
        joint = 2 * actions[0] + actions[1]
        state = joint + 1
        assert isinstance(both, torch.Tensor)
        log_probabilities.append(both)
        rewards.append(payoff[joint])
    return Games(torch.stack(log_probabilities), torch.stack(rewards))


def dice_loss(
    mine: torch.Tensor, theirs: torch.Tensor, batch: int, rounds: int, discount: float
) -> torch.Tensor:
    r"""Return minus the discounted reward of the first agent, by games.

    .. math::
        -\sum_t \gamma^t \, \square(a_{\le t}) (r_t - b_t) + \dots, \quad
        \square(a) = e^{\log \pi(a) - \bot \log \pi(a)}

    The magic box is one, and its derivatives are those of the probability of the actions that a reward
    depends on. What is expected from the round on, whatever is done, is subtracted, which leaves the
    derivatives as they are and makes them less noisy.

    Args:
        mine: The policy whose reward it is, of shape ``(5,)``.
        theirs: The other policy.
        batch: The number of games.
        rounds: Of each game.
        discount: :math:`\gamma`.

    References:
        Foerster et al., *DiCE: The Infinitely Differentiable Monte Carlo Estimator*, 2018, equation 5
        and section 4.3; Foerster et al., *Learning with Opponent-Learning Awareness*, 2018.
    """
    games = play(mine, theirs, batch, rounds)
    weights = discount ** torch.arange(rounds, dtype=mine.dtype)[:, None]
    rewards = weights * games.reward
    ahead = rewards.flip(0).cumsum(0).flip(0)
    baseline = ahead.mean(1, keepdim=True)
    here = games.log_probability
    so_far = here.cumsum(0)
    value = (_magic(so_far) * rewards).sum(0) + ((1 - _magic(here)) * baseline).sum(0)
    return -value.mean()


def exact_value(
    mine: torch.Tensor, theirs: torch.Tensor, discount: float, rounds: int | None = None
) -> torch.Tensor:
    """Return the first agent's discounted reward in closed form, by the chain of the joint actions.

    Args:
        mine: The policy whose reward it is.
        theirs: The other policy.
        discount: Of rewards.
        rounds: Of a game; by default it never ends.
    """
    p = mine.sigmoid()
    q = theirs[torch.tensor([0, 1, 3, 2, 4])].sigmoid()
    joint = torch.stack([p * q, p * (1 - q), (1 - p) * q, (1 - p) * (1 - q)], dim=1)
    start, chain = joint[0], joint[1:]
    payoff = torch.tensor(_PAYOFF, dtype=mine.dtype)
    eye = torch.eye(4, dtype=mine.dtype)
    if rounds is None:
        return start @ torch.linalg.solve(eye - discount * chain, payoff)
    value = torch.zeros((), dtype=mine.dtype)
    for t in range(rounds):
        value = value + discount**t * (start @ payoff)
        start = start @ chain
    return value


def _magic(x: torch.Tensor) -> torch.Tensor:
    return (x - x.detach()).exp()
