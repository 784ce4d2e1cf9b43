"""The truth that a search is measured against: every architecture trained alone, on the same images."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import torch
from rich.console import Console
from torch.nn.functional import cross_entropy

import torchopt
from torchopt.examples.darts.cell import (
    ARCHITECTURES,
    Architecture,
    name,
    one_hot,
    without_dead_edges,
)
from torchopt.examples.darts.config import Config
from torchopt.examples.darts.search import make_network
from torchopt.examples.tools.digits import Data
from torchopt.examples.tools.report import progress

__all__ = ["percentile", "rank", "train_all", "train_alone"]


def train_all(
    config: Config, train: Data, test: Data, path: Path, console: Console
) -> dict[Architecture, list[float]]:
    """Return the accuracies of every architecture, one for each start.

    Architectures that compute the same are trained once. What is done is kept in a file.

    Args:
        config: The settings.
        train: Images to train on.
        test: Images to test on.
        path: The file; if it is there, what it holds is not done again.
        console: Where the progress is shown.
    """
    different = sorted({without_dead_edges(a) for a in ARCHITECTURES})
    done: dict[Architecture, list[float]] = {}
    if path.exists():
        done = {tuple(a): v for a, v in torchopt.checkpoint.load(path)}
    with progress(console, "every architecture", len(different)) as advance:
        for architecture in different:
            if architecture not in done:
                done[architecture] = [
                    train_alone(config, architecture, train, test, config.seed + repeat)
                    for repeat in range(config.repeats)
                ]
                torchopt.checkpoint.save(path, list(done.items()))
            advance(f"accuracy {max(done[architecture]):.3f}  {name(architecture)}")
    return {a: done[without_dead_edges(a)] for a in ARCHITECTURES}


def train_alone(
    config: Config, architecture: Architecture, train: Data, test: Data, seed: int
) -> float:
    """Return the accuracy of a network of one architecture, trained from a start."""
    network, mixture = make_network(config, seed), one_hot(architecture)
    optimizer = torch.optim.SGD(network.parameters(), config.final_lr, momentum=0.9)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.01, config.final_steps)
    generator = torch.Generator().manual_seed(seed)
    for _ in range(config.final_steps):
        picked = torch.randperm(len(train.y), generator=generator)[: config.batch]
        loss = cross_entropy(network(train.x[picked], mixture), train.y[picked])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    with torch.no_grad():
        return (network(test.x, mixture).argmax(1) == test.y).double().mean().item()


def rank(scores: Mapping[Architecture, float], architecture: Architecture) -> int:
    """Return the place of an architecture: one more than there are better ones."""
    return 1 + sum(score > scores[architecture] for score in scores.values())


def percentile(scores: Mapping[Architecture, float], architecture: Architecture) -> float:
    """Return how many percent of the others are not better."""
    return 100 * (len(scores) - rank(scores, architecture)) / (len(scores) - 1)
