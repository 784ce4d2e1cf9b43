"""Meta-training: the network's parameters descend along estimates of exploitability's gradient."""

from __future__ import annotations

from collections.abc import Callable

import torch

import torchopt
from torchopt.diff.zero_order import Antithetic, Vmap
from torchopt.examples.nac.config import Config
from torchopt.examples.nac.curriculum import curriculum, initial, network
from torchopt.examples.nac.games import random_games

__all__ = ["meta_train"]


def meta_train(
    config: Config, *, on_step: Callable[[float], None] = lambda exploitability: None
) -> torch.Tensor:
    """Return the parameters of a meta-solver.

    Args:
        config: The settings.
        on_step: Called with the mean exploitability on the games of each meta-step.
    """
    generator = torch.Generator().manual_seed(config.seed)
    theta = initial(config.width, generator).requires_grad_()
    estimated = torchopt.diff.ZeroOrder(
        Antithetic(num_samples=config.pairs, sigma=config.sigma),
        evaluation=Vmap(),
        generator=generator,
    )

    def mean_exploitability(theta: torch.Tensor, games: torch.Tensor) -> torch.Tensor:
        meta_solver = network(theta, config.width, config.rounds)
        # At every size of the population, as it may be the last.
        return curriculum(games, meta_solver, config.growth).mean()

    differentiable = estimated(mean_exploitability, argnums=0)
    optimizer = torch.optim.Adam([theta], config.lr)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.1, config.iterations)
    for _ in range(config.iterations):
        games = random_games(
            config.meta_batch, config.strategies, skill=config.skill, generator=generator
        )
        optimizer.zero_grad()
        value = differentiable(theta, games)
        value.backward()
        optimizer.step()
        schedule.step()
        on_step(value.item())
    return theta.detach()
