"""Two problems: the weights of a network that holds all architectures, and the mixture of these.

The mixture is to do well on images that the weights are not trained on, with the weights that training
finds for it. Its gradient is that of DARTS: the weights are differentiated through one step of gradient
descent, by a finite difference.
"""

from __future__ import annotations

from pathlib import Path

import torch
from rich.console import Console
from torch import nn
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader, TensorDataset

from torchopt.examples.darts.cell import EDGES, OPERATIONS, Architecture, Network
from torchopt.examples.darts.config import Config
from torchopt.examples.tools.digits import Data
from torchopt.examples.tools.engine import Run, engine_config
from torchopt.multilevel import Config as LevelConfig
from torchopt.multilevel import Problem

__all__ = ["Mixture", "Search", "Weights", "chosen", "make_network", "make_search"]

Batch = tuple[torch.Tensor, torch.Tensor]


class Weights(Problem):
    """Train the network with the present mixture."""

    def training_step(self, batch: Batch) -> torch.Tensor:
        """Return the training loss."""
        x, y = batch
        return cross_entropy(self.module(x, self.mixture.params.softmax(-1)), y)


class Mixture(Problem):
    """Find the mixture of operations, a row of logits for each edge."""

    def training_step(self, batch: Batch) -> torch.Tensor:
        """Return the loss on other images, with the weights of this mixture."""
        x, y = batch
        return cross_entropy(self.weights(x, self.params.softmax(-1)), y)


class Search(Run):
    """The search, whose log has the mixture."""

    def validation(self) -> dict[str, torch.Tensor]:
        """Return the part of each operation on each edge."""
        parts = self.problems[0].params.softmax(-1)
        return {
            f"{start}-{end} {operation}": parts[row, column]
            for row, (start, end) in enumerate(EDGES)
            for column, operation in enumerate(OPERATIONS)
        }


def make_search(config: Config, train: Data, judge: Data, folder: Path, console: Console) -> Search:
    """Return the program.

    Args:
        config: The settings.
        train: Images to train the weights on.
        judge: Images to choose the mixture by.
        folder: Where the log and the checkpoint go.
        console: Where its progress is shown.
    """
    network = make_network(config, config.seed)
    logits = torch.zeros(len(EDGES), len(OPERATIONS), requires_grad=True)

    def loader(data: Data, seed: int) -> DataLoader[tuple[torch.Tensor, ...]]:
        generator = torch.Generator().manual_seed(seed)
        return DataLoader(
            TensorDataset(*data), config.batch, shuffle=True, drop_last=True, generator=generator
        )

    weights = Weights(
        "weights",
        LevelConfig(type="darts", warmup_steps=config.warmup),
        module=network,
        optimizer=torch.optim.SGD(network.parameters(), config.lr, momentum=0.9),
        train_data_loader=loader(train, config.seed),
    )
    mixture = Mixture(
        "mixture",
        params=logits,
        optimizer=torch.optim.Adam([logits], config.mix_lr, betas=(0.5, 0.999)),
        train_data_loader=loader(judge, config.seed + 1),
    )
    return Search(
        [mixture, weights],
        engine_config(folder, steps=config.warmup + config.steps, valid_step=config.valid_every),
        {"u2l": {mixture: [weights]}, "l2u": {weights: [mixture]}},
        console=console,
        what="search",
    )


def chosen(logits: torch.Tensor) -> Architecture:
    """Return the architecture of the largest part on each edge."""
    return tuple(int(choice) for choice in logits.argmax(-1))


def make_network(config: Config, seed: int) -> nn.Module:
    """Return the network at its start, the same for every architecture."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return Network(config.channels)
