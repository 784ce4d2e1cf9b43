"""How a population grows: the best response to a mixture of it joins it, again and again.

A meta-solver returns the mixture from the payoffs within the population: uniform (fictitious play),
an equilibrium (PSRO), or what a network says (neural auto-curricula).
"""

from __future__ import annotations

from collections.abc import Callable

import torch

from torchopt.examples.nac.games import exploitability, nash

__all__ = ["MetaSolver", "curriculum", "initial", "latest", "network", "psro", "uniform"]

MetaSolver = Callable[[torch.Tensor], torch.Tensor]
"""From payoffs within populations, ``(games, k, k)``, to mixtures over them, ``(games, k)``."""

_FEATURES = 5


def curriculum(games: torch.Tensor, meta_solver: MetaSolver, growth: int) -> torch.Tensor:
    """Grow a population for each game from its first strategy, by exact best responses.

    Args:
        games: Payoffs, of shape ``(games, n, n)``.
        meta_solver: Says what is responded to.
        growth: How many strategies are added.

    Returns:
        The exploitability of the mixture of each population on the way, ``(growth + 1, games)``.
    """
    count, n, _ = games.shape
    members = torch.zeros(count, 1, dtype=torch.long)
    found = []
    for step in range(growth + 1):
        responses = games.gather(2, members[:, None].expand(-1, n, -1))
        payoffs = responses.gather(1, members[..., None].expand(-1, -1, step + 1))
        mixture = meta_solver(payoffs)
        found.append(exploitability(responses, mixture))
        best = (responses @ mixture[..., None])[..., 0].argmax(1)
        members = torch.cat([members, best[:, None]], 1)
    return torch.stack(found)


def uniform(payoffs: torch.Tensor) -> torch.Tensor:
    """Return the same weight for all: fictitious play."""
    return torch.full_like(payoffs[..., 0], 1 / payoffs.shape[-1])


def latest(payoffs: torch.Tensor) -> torch.Tensor:
    """Return the newest strategy: self-play."""
    mixture = torch.zeros_like(payoffs[..., 0])
    mixture[..., -1] = 1
    return mixture


def psro(steps: int) -> MetaSolver:
    """Return the meta-solver of policy-space response oracles: an equilibrium of the population.

    References:
        Lanctot et al., *A Unified Game-Theoretic Approach to Multiagent Reinforcement Learning*, 2017.
    """
    return lambda payoffs: nash(payoffs, steps)


def network(theta: torch.Tensor, width: int, rounds: int) -> MetaSolver:
    """Return the meta-solver that a small network is.

    In each round it looks at what each strategy wins against the mixture so far, and adds to the
    strategy's score. The same network does it for every strategy, so that neither their order nor
    their number matters.

    Args:
        theta: Its parameters, as of :func:`initial`.
        width: Of its hidden layer.
        rounds: How often the mixture is revised.

    References:
        Feng et al., *Neural Auto-Curricula*, 2021 (with a larger network over the whole matrix).
    """
    parts = theta.split([_FEATURES * width, width, width, 1])
    first, bias, last, temper = parts[0].reshape(_FEATURES, width), parts[1], parts[2], parts[3]

    def meta_solver(payoffs: torch.Tensor) -> torch.Tensor:
        k = payoffs.shape[-1]
        plain = payoffs.mean(-1)
        age = torch.linspace(-1, 1, k).expand(plain.shape) if k > 1 else torch.zeros_like(plain)
        size = torch.full_like(plain, k).log() / 3
        score = torch.zeros_like(plain)
        for _ in range(rounds):
            mixture = score.softmax(-1)
            wins = (payoffs @ mixture[..., None])[..., 0]
            features = torch.stack([wins, plain, score / 3, age, size], -1)
            step = (features @ first + bias).tanh() @ last
            score = score + step + temper * wins
        return score.softmax(-1)

    return meta_solver


def initial(width: int, generator: torch.Generator) -> torch.Tensor:
    """Draw parameters of the network, with which it is :func:`uniform`.

    Args:
        width: Of its hidden layer.
        generator: The source of randomness.
    """
    hidden = torch.randn((_FEATURES + 1) * width, generator=generator) / _FEATURES**0.5
    return torch.cat([hidden, torch.zeros(width + 1)])
