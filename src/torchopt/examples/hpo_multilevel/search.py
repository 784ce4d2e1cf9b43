"""Training with hyperparameters that stay, and the random search over them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch

from torchopt.examples.hpo_multilevel.config import Config
from torchopt.examples.hpo_multilevel.problems import (
    Parts,
    Reader,
    Score,
    descent,
    score,
    start_of,
    training_loss,
)

__all__ = ["Trial", "random_search", "train"]


class Trial(NamedTuple):
    """Hyperparameters, and what comes of them."""

    hyperparameters: dict[str, torch.Tensor]
    score: Score


def train(
    config: Config,
    parts: Parts,
    hyperparameters: dict[str, torch.Tensor],
    *,
    networks: int,
    seed: int,
) -> Trial:
    """Train networks with the same hyperparameters, and judge them.

    Args:
        config: The settings.
        parts: The data.
        hyperparameters: They stay as they are.
        networks: How many; the score is the mean of theirs.
        seed: Of their starts, and of the noise.
    """
    scores = []
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        for _ in range(networks):
            net = Reader(config.width)
            optimizer = descent(net, config)
            for _ in range(config.trial_steps):
                optimizer.zero_grad()
                training_loss(net, hyperparameters, parts.train).backward()
                optimizer.step()
            scores.append(score(net, parts))
    means = [sum(values) / networks for values in zip(*scores, strict=True)]
    return Trial(hyperparameters, Score(*means))


def random_search(
    config: Config,
    parts: Parts,
    trials: int,
    *,
    on_step: Callable[[Trial], None] = lambda trial: None,
) -> list[Trial]:
    """Train with random hyperparameters: one penalty for all pixels, one for the last layer.

    Args:
        config: The settings.
        parts: The data.
        trials: How many.
        on_step: Called after each.
    """
    generator = torch.Generator().manual_seed(config.seed)
    found = []
    for index in range(trials):
        u = torch.rand(4, generator=generator)
        pixels, last = (10 ** (4 * u[:2] - 5)).tolist()  # from 1e-5 to 0.1
        penalties = torch.tensor([pixels] * 64 + [last])
        hyperparameters = start_of(penalties, 0.4 * float(u[2]) + 1e-3, float(100 ** (u[3] - 1)))
        found.append(
            train(config, parts, hyperparameters, networks=1, seed=config.seed + 1 + index)
        )
        on_step(found[-1])
    return found
