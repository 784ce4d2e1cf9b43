"""Random zero-sum games, and their equilibria."""

from __future__ import annotations

import torch

__all__ = ["nash", "random_games"]


def random_games(
    count: int, strategies: int, skill: float, generator: torch.Generator
) -> torch.Tensor:
    """Draw symmetric zero-sum games: ``games[g, i, j]`` is what i wins against j.

    Args:
        count: The number of games.
        strategies: Of each game.
        skill: The standard deviation of a strategy's skill. A payoff is the difference of skills plus
            noise that goes in circles.
        generator: The source of randomness.

    References:
        Czarnecki et al., *Real World Games Look Like Spinning Tops*, 2020, section 4.
    """
    cycle = torch.randn(count, strategies, strategies, generator=generator)
    level = skill * torch.randn(count, strategies, 1, generator=generator)
    return (cycle - cycle.mT) / 2 + (level - level.mT)


def nash(payoffs: torch.Tensor, steps: int = 1000) -> torch.Tensor:
    """Return symmetric equilibria of symmetric zero-sum games, by predictive regret matching.

    Args:
        payoffs: Of shape ``(..., k, k)``.
        steps: Of self-play; the error falls at least as ``1 / sqrt(steps)``.

    References:
        Farina, Kroer and Sandholm, *Faster Game Solving via Predictive Blackwell Approachability*,
        2021, algorithm 3 (PRM+), with linear averaging.
    """
    regrets = gain = total = payoffs.new_zeros(payoffs.shape[:-1])
    for step in range(1, steps + 1):
        hoped = (regrets + gain).clamp(min=0)
        mass = hoped.sum(-1, keepdim=True)
        mixture = torch.where(mass > 0, hoped / mass.clamp(min=1e-30), 1 / payoffs.shape[-1])
        # Against a copy of itself a mixture wins nothing, so that payoffs are regrets.
        gain = (payoffs @ mixture[..., None])[..., 0]
        regrets = (regrets + gain).clamp(min=0)
        total = total + step * mixture
    return total / total.sum(-1, keepdim=True)
