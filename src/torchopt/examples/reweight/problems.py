r"""Two problems that read one another: a classifier, and the weights of the images it learns from.

.. math::
    \min_{0 \le w \le 1} \; \sum_{\text{clean}} \ell(\theta^*(w)) \quad\text{with}\quad
    \theta^*(w) = \arg\min_\theta \sum_{i\;\text{noisy}} w_i\, \ell_i(\theta)
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import torch
from rich.console import Console
from torch import nn
from torch.nn.functional import cross_entropy
from torch.utils.data import BatchSampler, DataLoader, RandomSampler, TensorDataset

from torchopt.examples.reweight.config import Config
from torchopt.examples.tools.digits import Data, split_digits
from torchopt.examples.tools.engine import Run, engine_config
from torchopt.multilevel import Config as LevelConfig
from torchopt.multilevel import Problem

__all__ = [
    "Classifier",
    "Labels",
    "Reweighting",
    "Weights",
    "accuracy",
    "area_under_curve",
    "load_labels",
    "make_network",
    "train",
]


class Labels(NamedTuple):
    """Images whose labels may be wrong, and images whose labels are right.

    Attributes:
        noisy: To train on.
        truth: The digits that these show.
        clean: To judge by.
        test: Held out.
    """

    noisy: Data
    truth: torch.Tensor
    clean: Data
    test: Data

    @property
    def wrong(self) -> torch.Tensor:
        """Which of the noisy labels are wrong; the problems do not know."""
        return self.noisy.y != self.truth


def load_labels(config: Config) -> Labels:
    """Return the digits, some of their labels changed to another digit at random."""
    test, clean, noisy = split_digits(config.seed, config.test_images, config.clean_images)
    generator = torch.Generator().manual_seed(config.seed)
    count = len(noisy.y)
    chosen = torch.randperm(count, generator=generator)[: round(config.wrong * count)]
    y = noisy.y.clone()
    y[chosen] += torch.randint(1, 10, (len(chosen),), generator=generator)
    return Labels(Data(noisy.x, y % 10), noisy.y, clean, test)


class Classifier(Problem):
    """Train a network on weighted images."""

    def training_step(self, batch: tuple[torch.Tensor, ...]) -> torch.Tensor:
        """Return the weighted loss of a batch, which knows the places of its images."""
        x, y, index = batch
        losses = cross_entropy(self.module(x), y, reduction="none")
        return (self.weights.params[index] * losses).mean()


class Weights(Problem):
    """Find the weights with which the network reads clean images."""

    def training_step(self, batch: tuple[torch.Tensor, ...]) -> torch.Tensor:
        """Return the loss of the trained network on clean images."""
        x, y = batch
        return cross_entropy(self.classifier(x), y)

    def param_callback(self) -> None:
        """Keep the weights between 0, where an image counts no more, and 1."""
        with torch.no_grad():
            self.params.clamp_(0.0, 1.0)


class Reweighting(Run):
    """The program of both problems.

    Args:
        config: The settings.
        labels: The data.
        folder: Where the log and the checkpoint go.
        console: Where its progress is shown.
    """

    def __init__(self, config: Config, labels: Labels, folder: Path, console: Console) -> None:
        self.labels = labels
        net = make_network(config)
        start = torch.full((len(labels.noisy.y),), 0.5, requires_grad=True)
        classifier = Classifier(
            "classifier",
            LevelConfig(
                type=config.type,
                unroll_steps=config.unroll_steps,
                cg_iterations=10,
                neumann_iterations=10,
                neumann_alpha=config.lr,
            ),
            net,
            _descent(net, config),
            train_data_loader=_loader(labels.noisy, config),
        )
        weights = Weights(
            "weights",
            params=start,
            optimizer=torch.optim.SGD([start], config.weight_lr),
            train_data_loader=[tuple(labels.clean)],
        )
        super().__init__(
            [weights, classifier],
            engine_config(folder, config.steps, config.validate_every),
            {"u2l": {weights: [classifier]}, "l2u": {classifier: [weights]}},
            console=console,
            what=f"reweighting, {config.type}",
        )

    def validation(self) -> dict[str, float]:
        """Return how well digits are read that nothing was judged by, and noise is found."""
        return {
            "accuracy": accuracy(self.classifier.module, self.labels.test),
            "area": area_under_curve(self.found, self.labels.wrong),
        }

    @property
    def found(self) -> torch.Tensor:
        """The weights, between 0 and 1."""
        return self.weights.params.detach()


def make_network(config: Config) -> nn.Module:
    """Return the network of a configuration, which starts the same whatever it is trained on."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(config.seed)
        return nn.Sequential(nn.Linear(64, config.width), nn.ReLU(), nn.Linear(config.width, 10))


def train(
    config: Config,
    data: Data,
    weights: torch.Tensor,
    *,
    on_step: Callable[[int, nn.Module], None] = lambda step, net: None,
) -> nn.Module:
    """Train a network on images of given weights, as the classifier is trained.

    Args:
        config: The settings.
        data: The images.
        weights: Of each.
        on_step: Called after each step with its number and the network.
    """
    net = make_network(config)
    optimizer = _descent(net, config)
    loader = _loader(data, config)
    batches = itertools.chain.from_iterable(itertools.repeat(loader))
    for step, (x, y, index) in enumerate(itertools.islice(batches, config.steps), 1):
        loss = (weights[index] * cross_entropy(net(x), y, reduction="none")).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        on_step(step, net)
    return net


@torch.no_grad()
def accuracy(net: nn.Module, data: Data) -> float:
    """Return the fraction of images that are read right."""
    return (net(data.x).argmax(1) == data.y).double().mean().item()


def area_under_curve(weights: torch.Tensor, wrong: torch.Tensor) -> float:
    """Return how often an image with a right label outweighs one with a wrong label.

    This is the area under the ROC curve (Mann and Whitney); ties count half.
    """
    right = weights[~wrong][:, None]
    heavier = (right > weights[wrong]).double() + 0.5 * (right == weights[wrong]).double()
    return heavier.mean().item()


def _descent(net: nn.Module, config: Config) -> torch.optim.Optimizer:
    return torch.optim.SGD(net.parameters(), config.lr, momentum=0.9)


def _loader(data: Data, config: Config) -> DataLoader[tuple[torch.Tensor, ...]]:
    """Return batches of images, their labels, and their places, in random order."""
    images = TensorDataset(*data, torch.arange(len(data.y)))
    generator = torch.Generator().manual_seed(config.seed)
    order = RandomSampler(images, generator=generator)
    return DataLoader(images, batch_size=None, sampler=BatchSampler(order, config.batch, False))
