r"""Two problems that read one another: a student, and the ten images that it is taught with.

.. math::
    \min_{X, \eta} \; \mathbb{E}_{\theta_0}\, \ell(\theta_K;\; \text{real images}) \quad\text{with}\quad
    \theta_{k+1} = \theta_k - \eta\, \nabla_\theta\, \ell(\theta_k;\; X)
"""

from __future__ import annotations

from pathlib import Path

import torch
from rich.console import Console
from torch import nn
from torch.nn.functional import cross_entropy
from torch.utils.data import BatchSampler, DataLoader, RandomSampler, TensorDataset

from torchopt.examples.distill.config import Config
from torchopt.examples.tools.digits import Data, split_digits
from torchopt.examples.tools.engine import Run, engine_config
from torchopt.multilevel import Config as LevelConfig
from torchopt.multilevel import Problem

__all__ = ["Distillation", "Images", "Student", "load_digits", "make_network", "taught"]

LABELS = torch.arange(10)


def load_digits(config: Config) -> tuple[Data, Data]:
    """Return images to learn from, and images that are held out."""
    test, real = split_digits(config.seed, config.test_images)
    return real, test


class Student(Problem):
    """Learn from ten images, from the beginning."""

    def training_step(self, batch: None) -> torch.Tensor:
        """Return the loss on the ten images, times the learning rate: its steps are of length 1."""
        images, log_rate = self.teacher.params
        return log_rate.exp() * cross_entropy(self.module(images), LABELS)

    def on_inner_loop_start(self) -> None:
        """Forget everything."""
        start_anew(self.module)


class Images(Problem):
    """Find ten images, and the learning rate that suits them."""

    def training_step(self, batch: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        """Return the loss of the student on real images."""
        x, y = batch
        return cross_entropy(self.student(x), y)

    def param_callback(self) -> None:
        """Keep the images between white and black."""
        with torch.no_grad():
            self.params[0].clamp_(0.0, 1.0)


class Distillation(Run):
    """The program of both problems.

    Args:
        config: The settings.
        real: Images to learn from.
        test: Images that are held out.
        folder: Where the log and the checkpoint go.
        console: Where its progress is shown.
    """

    def __init__(
        self, config: Config, real: Data, test: Data, folder: Path, console: Console
    ) -> None:
        self._settings, self._test = config, test
        net = make_network(config)
        # The average of each digit is a good start, and one of the rows of the table.
        means = torch.stack([real.x[real.y == label].mean(0) for label in LABELS])
        images = means.requires_grad_()
        log_rate = torch.tensor(config.rate).log().requires_grad_()
        order = RandomSampler(real.y, generator=torch.Generator().manual_seed(config.seed))
        student = Student(
            "student",
            LevelConfig(type=config.type, unroll_steps=config.inner_steps),
            net,
            torch.optim.SGD(net.parameters(), 1.0),
        )
        teacher = Images(
            "teacher",
            LevelConfig(gradient_clipping=1.0),  # steps that leap make the student's loss steep
            params=(images, log_rate),
            optimizer=torch.optim.Adam(
                [
                    {"params": [images], "lr": config.lr},
                    {"params": [log_rate], "lr": config.rate_lr},
                ]
            ),
            train_data_loader=DataLoader(
                TensorDataset(*real),
                batch_size=None,
                sampler=BatchSampler(order, config.batch, drop_last=True),
            ),
        )
        super().__init__(
            [teacher, student],
            engine_config(
                folder,
                config.steps * config.inner_steps,
                config.validate_every * config.inner_steps,
            ),
            {"u2l": {teacher: [student]}, "l2u": {student: [teacher]}},
            console=console,
            what=f"distillation, {config.type}",
        )

    def validation(self) -> dict[str, float]:
        """Return how well fresh networks read held-out digits, and the learning rate."""
        images, rate = self.found
        return {"accuracy": taught(self._settings, images, rate, self._test)[0], "rate": rate}

    @property
    def found(self) -> tuple[torch.Tensor, float]:
        """The images, and the learning rate."""
        images, log_rate = self.teacher.params
        return images.detach(), log_rate.exp().item()


def make_network(config: Config) -> nn.Sequential:
    """Return a network; its start is random."""
    return nn.Sequential(nn.Linear(64, config.width), nn.ReLU(), nn.Linear(config.width, 10))


def start_anew(net: nn.Sequential) -> None:
    """Give a network another random start."""
    for layer in net:
        if isinstance(layer, nn.Linear):
            layer.reset_parameters()


def taught(
    config: Config,
    images: torch.Tensor,
    rate: float,
    test: Data,
    *,
    steps: int | None = None,
) -> tuple[float, float]:
    """Return how well networks read that are taught with some images, each from a start of its own.

    Args:
        config: The settings.
        images: To teach with; ten for all networks, or ten for each.
        rate: The learning rate.
        test: Images to read.
        steps: How many; by default as in distillation.

    Returns:
        The mean of the accuracy, and its deviation from network to network.
    """
    scores = []
    with torch.random.fork_rng(devices=[]), torch.enable_grad():
        torch.manual_seed(config.seed + 1)
        for x in images.expand(config.networks, 10, 64):
            net = make_network(config)
            optimizer = torch.optim.SGD(net.parameters(), rate)
            for _ in range(config.inner_steps if steps is None else steps):
                optimizer.zero_grad()
                cross_entropy(net(x), LABELS).backward()
                optimizer.step()
            scores.append((net(test.x).argmax(1) == test.y).double().mean())
    found = torch.stack(scores)
    return found.mean().item(), found.std().item()
