r"""Two problems that read one another: a network, and the hyperparameters that it is trained with.

.. math::
    \min_{\lambda, s, \sigma} \ell(\theta^*; \text{validation}) \quad\text{with}\quad
    \theta^* = \arg\min_\theta\; \mathbb{E}_\varepsilon\, \ell_s(\theta; x + \sigma\varepsilon)
        + \tfrac12 \sum_j \lambda_j \|w_j\|^2

Here :math:`w_j` are the weights that leave one pixel, and those of the last layer; :math:`\ell_s` is
cross entropy with labels smoothed by :math:`s`. All hyperparameters are functions of real numbers
without bounds, and the loss is differentiable in each, also in the strength of the noise.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import NamedTuple

import torch
from rich.console import Console
from torch import nn
from torch.nn.functional import cross_entropy, log_softmax

from torchopt.examples.hpo_multilevel.config import Config
from torchopt.examples.tools.digits import Data, split_digits
from torchopt.examples.tools.engine import Run, engine_config
from torchopt.multilevel import Config as LevelConfig
from torchopt.multilevel import Problem

__all__ = [
    "Hyperparameters",
    "Network",
    "Parts",
    "Reader",
    "Score",
    "Tuning",
    "descent",
    "load_parts",
    "score",
    "start_of",
    "training_loss",
]


class Parts(NamedTuple):
    """The digits: to train on, to choose hyperparameters by, and held out."""

    train: Data
    validation: Data
    test: Data


class Score(NamedTuple):
    """How well a network does, on the average of some.

    Attributes:
        validation: Loss on the images to choose by.
        test: Loss on the images that nobody chooses by.
        accuracy: On these.
    """

    validation: float
    test: float
    accuracy: float


class Reader(nn.Module):
    """A network of one hidden layer.

    Args:
        width: Of that layer.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.hidden = nn.Linear(64, width)
        self.last = nn.Linear(width, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return logits."""
        return self.last(self.hidden(x).relu())


def load_parts(config: Config) -> Parts:
    """Return the digits, dealt by the seed."""
    sizes = (config.train_images, config.validation_images, config.test_images)
    train, validation, test, _ = split_digits(config.seed, *sizes)
    return Parts(train, validation, test)


def start_of(penalties: torch.Tensor, smoothing: float, noise: float) -> dict[str, torch.Tensor]:
    """Return hyperparameters in the numbers without bounds that are learned.

    Args:
        penalties: Of the weights of each pixel, and of the last layer: 65.
        smoothing: Of labels, below one half.
        noise: The deviation of the noise.
    """
    return {
        "log_penalties": penalties.log(),
        "smoothing": torch.tensor(2 * smoothing).logit(),
        "log_noise": torch.tensor(math.log(noise)),
    }


def training_loss(
    net: Reader, hyperparameters: dict[str, torch.Tensor], data: Data
) -> torch.Tensor:
    """Return what training minimizes, with noise that is drawn anew."""
    x = data.x + hyperparameters["log_noise"].exp() * torch.randn_like(data.x)
    log_p = log_softmax(net(x), 1)
    smoothing = 0.5 * hyperparameters["smoothing"].sigmoid()
    target = log_p.gather(1, data.y[:, None]).mean()
    pixels, last = net.hidden.weight.square(), net.last.weight.square()
    squares = torch.cat([pixels.sum(0), last.sum()[None]])
    penalty = 0.5 * (hyperparameters["log_penalties"].exp() * squares).sum()
    return penalty - (1 - smoothing) * target - smoothing * log_p.mean()


class Network(Problem):
    """Train a network with hyperparameters."""

    def training_step(self, batch: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        """Return the penalized loss on noisy images."""
        return training_loss(self.module, self.hyperparameters.params, Data(*batch))


class Hyperparameters(Problem):
    """Find hyperparameters by the validation loss."""

    def training_step(self, batch: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        """Return the loss of the trained network on validation images."""
        x, y = batch
        return cross_entropy(self.network(x), y)


class Tuning(Run):
    """The program of both problems.

    Args:
        config: The settings.
        parts: The data.
        folder: Where the log and the checkpoint go.
        console: Where its progress is shown.
    """

    def __init__(self, config: Config, parts: Parts, folder: Path, console: Console) -> None:
        self._parts = parts
        net = Reader(config.width)
        start = start_of(torch.full((65,), config.penalty), config.smoothing, config.noise)
        start = {name: value.requires_grad_() for name, value in start.items()}
        network = Network(
            "network",
            LevelConfig(
                type=config.type,
                unroll_steps=config.unroll_steps,
                cg_iterations=10,
                neumann_iterations=10,
                neumann_alpha=config.lr,
            ),
            net,
            descent(net, config),
            train_data_loader=[tuple(parts.train)],
        )
        hyperparameters = Hyperparameters(
            "hyperparameters",
            params=start,
            optimizer=torch.optim.Adam(start.values(), config.outer_lr),
            train_data_loader=[tuple(parts.validation)],
        )
        super().__init__(
            [hyperparameters, network],
            engine_config(folder, config.steps, config.validate_every),
            {"u2l": {hyperparameters: [network]}, "l2u": {network: [hyperparameters]}},
            console=console,
            what=f"hyperparameters, {config.type}",
        )

    def validation(self) -> dict[str, float]:
        """Return how well the network does, and its hyperparameters."""
        found = self.found
        penalties = found["log_penalties"].exp()
        return {
            **score(self.network.module, self._parts)._asdict(),
            "penalty": penalties[:-1].log().mean().exp().item(),
            "penalty of the last layer": penalties[-1].item(),
            "smoothing": 0.5 * found["smoothing"].sigmoid().item(),
            "noise": found["log_noise"].exp().item(),
        }

    @property
    def found(self) -> dict[str, torch.Tensor]:
        """The hyperparameters."""
        return {k: v.detach() for k, v in self.hyperparameters.params.items()}


def descent(net: nn.Module, config: Config) -> torch.optim.Optimizer:
    """Return the optimizer of a network."""
    return torch.optim.SGD(net.parameters(), config.lr, momentum=0.9)


@torch.no_grad()
def score(net: nn.Module, parts: Parts) -> Score:
    """Judge a network."""
    validation = cross_entropy(net(parts.validation.x), parts.validation.y).item()
    logits = net(parts.test.x)
    right = (logits.argmax(1) == parts.test.y).double().mean().item()
    return Score(validation, cross_entropy(logits, parts.test.y).item(), right)
