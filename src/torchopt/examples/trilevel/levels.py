"""Three problems, the lowermost first: pretrain on weighted examples, finetune from there, weigh.

Finetuning stays near what was pretrained, so that its solution depends on it; what was pretrained
depends on the weights. The gradient of the weights goes down through both solutions.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from torch import nn
from torch.nn.functional import cross_entropy

from torchopt.examples.tools.digits import Data
from torchopt.examples.tools.engine import Run, engine_config
from torchopt.examples.trilevel.config import Config
from torchopt.examples.trilevel.data import Digits
from torchopt.multilevel import Config as LevelConfig
from torchopt.multilevel import Problem

__all__ = ["Finetune", "Ignore", "Pretrain", "accuracy", "one_level", "three_levels", "two_levels"]

Batch = tuple[torch.Tensor, torch.Tensor]


class Pretrain(Problem):
    """Fit the doubtful examples, each with its weight: that which is learned, or one that is given."""

    def training_step(self, batch: Batch) -> torch.Tensor:
        """Return the weighted loss."""
        x, y = batch
        weights = self.extra_config
        if weights is None:
            weights = self.ignore.params.sigmoid()
        return (weights * cross_entropy(self.module(x), y, reduction="none")).mean()


class Finetune(Problem):
    """Fit the clean examples, near what was pretrained."""

    def training_step(self, batch: Batch) -> torch.Tensor:
        """Return the loss with the penalty."""
        x, y = batch
        pairs = zip(self.module.parameters(), self.pretrain.module.parameters(), strict=True)
        distance = sum((p - q).square().sum() for p, q in pairs)
        return cross_entropy(self.module(x), y) + 0.5 * self.extra_config * distance


class Ignore(Problem):
    """Find weights such that what is pretrained, then finetuned, does well on other examples."""

    def training_step(self, batch: Batch) -> torch.Tensor:
        """Return the loss of the finetuned network."""
        x, y = batch
        return cross_entropy(self.finetune(x), y)


class Judged(Run):
    """A run that is judged on the test by the network of one problem."""

    judged: Problem
    test: Data

    def validation(self) -> dict[str, float]:
        """Return the accuracy on the test, which nothing is chosen by."""
        return {"accuracy": accuracy(self.judged.module, self.test)}


def accuracy(network: nn.Module, data: Data) -> float:
    """Return the part of the images that a network reads right."""
    with torch.no_grad():
        return (network(data.x).argmax(1) == data.y).double().mean().item()


def one_level(config: Config, digits: Digits, folder: Path, console: Console) -> Judged:
    """Return a run that pools all examples, clean and doubtful, and counts them the same."""
    pool = Data(*(torch.cat(parts) for parts in zip(digits.source, digits.clean, strict=True)))
    network = _network(config)
    problem = Pretrain(
        "pretrain",
        module=network,
        optimizer=torch.optim.SGD(network.parameters(), config.lr),
        train_data_loader=[tuple(pool)],
        extra_config=torch.ones(len(pool.y)),
    )
    return _run([problem], {}, problem, config.final_steps, digits, folder, config, console)


def two_levels(
    config: Config,
    digits: Digits,
    weights: torch.Tensor,
    nearness: float,
    folder: Path,
    console: Console,
) -> Judged:
    """Return a run that pretrains with given weights, and finetunes on all clean examples."""
    pretrain, finetune = _lower_two(config, digits, digits.clean, nearness, weights)
    dependencies = {"l2u": {pretrain: [finetune]}}
    problems = [finetune, pretrain]
    return _run(
        problems, dependencies, finetune, config.final_steps, digits, folder, config, console
    )


def three_levels(config: Config, digits: Digits, folder: Path, console: Console) -> Judged:
    """Return a run that learns the weights; a part of the clean examples judges them."""
    pretrain, finetune = _lower_two(config, digits, digits.tune, config.nearness)
    logits = torch.zeros(len(digits.source.y), requires_grad=True)
    ignore = Ignore(
        "ignore",
        params=logits,
        optimizer=torch.optim.Adam([logits], config.ignore_lr),
        train_data_loader=[tuple(digits.judge)],
    )
    dependencies = {
        "u2l": {ignore: [pretrain]},
        "l2u": {pretrain: [finetune], finetune: [ignore]},
    }
    problems = [ignore, finetune, pretrain]
    steps = config.warmup + config.steps
    return _run(problems, dependencies, finetune, steps, digits, folder, config, console)


def _lower_two(
    config: Config,
    digits: Digits,
    tune: Data,
    nearness: float,
    weights: torch.Tensor | None = None,
) -> tuple[Problem, Problem]:
    lower, upper = _network(config), _network(config)
    level = LevelConfig(type="cg", cg_iterations=config.cg_steps, warmup_steps=config.warmup)
    pretrain = Pretrain(
        "pretrain",
        level,
        module=lower,
        optimizer=torch.optim.SGD(lower.parameters(), config.lr),
        train_data_loader=[tuple(digits.source)],
        extra_config=weights,
    )
    finetune = Finetune(
        "finetune",
        level,
        module=upper,
        optimizer=torch.optim.SGD(upper.parameters(), config.tune_lr),
        train_data_loader=[tuple(tune)],
        extra_config=nearness,
    )
    return pretrain, finetune


def _network(config: Config) -> nn.Module:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(config.seed)
        return nn.Sequential(nn.Linear(64, config.width), nn.Tanh(), nn.Linear(config.width, 10))


def _run(
    problems: list[Problem],
    dependencies: dict[str, Any],
    judged: Problem,
    steps: int,
    digits: Digits,
    folder: Path,
    config: Config,
    console: Console,
) -> Judged:
    run = Judged(
        problems,
        engine_config(folder, steps=steps, valid_step=config.valid_every),
        dependencies,
        console=console,
        what=folder.name,
    )
    run.judged, run.test = judged, digits.test
    return run
