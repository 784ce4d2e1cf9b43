"""Data selection: which images to train on, when half of the labels are wrong.

Metagradient descent (Engstrom et al., *Optimizing ML Training with Metagradient Descent*, 2025,
section 4): the derivative of the loss on a few clean images, through all steps of training, by a weight
for each training image says which of them help. Weights move against its sign, and training begins
again; in the end the images with the smallest sum of derivatives are chosen. Others choose at random,
or those with the smallest loss after a training on all images, or on the clean ones. Each choice has
as many images as the others; a network is trained on it from the same start for as many steps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import torch
from torch import nn
from torch.nn.functional import cross_entropy

import torchopt
from examples.tools.command import command
from examples.tools.digits import Data, random_batches, split_digits
from examples.tools.pictures import bar_figure
from examples.tools.report import Report
from torchopt.diff import DifferentiationMode, Explicit

FRACTIONS = (0.3, 0.5)
Params = dict[str, torch.Tensor]


@dataclass(frozen=True)
class Config:
    """The settings of a run."""

    images: Annotated[int, "to choose from"] = 1000
    clean: Annotated[int, "images with right labels, to judge by"] = 100
    wrong: Annotated[float, "fraction of the labels that are wrong"] = 0.5
    by: Annotated[Literal["next", "any"], "wrong labels are the next digit, or any other"] = "next"
    width: Annotated[int, "of the network's hidden layer"] = 128
    steps: Annotated[int, "of training, by SGD with momentum 0.9"] = 100
    batch: Annotated[int, "images in a step"] = 100
    lr: Annotated[float, "the first learning rate; it falls along a straight line"] = 0.2
    rounds: Annotated[int, "metagradients"] = 6
    weight_lr: Annotated[float, "by which each weight moves in a round"] = 0.1
    seeds: Annotated[int, "splits, each with labels and a network of its own"] = 3
    seed: Annotated[int, "of the first split"] = 0
    threads: Annotated[int, "CPU threads; part of the numbers' last digits"] = 1

    def __post_init__(self) -> None:
        if self.images + self.clean > 1497:
            raise ValueError(
                f"`images` and `clean` are {self.images} and {self.clean}: use at most 1497 together, "
                f"to leave 300 for the test."
            )


class Selection:
    """Images with noisy labels, and trainings on them."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.clean, right, self.test = split_digits(config.seed, config.clean, config.images)
        generator = torch.Generator().manual_seed(config.seed)
        wrong = {"next": 2, "any": 10}[config.by]
        shift = torch.randint(1, wrong, (config.images,), generator=generator)
        count = round(config.wrong * config.images)
        shift[torch.randperm(config.images, generator=generator)[count:]] = 0
        self.noisy, self.right = Data(right.x, (right.y + shift) % 10), shift == 0
        torch.manual_seed(config.seed)
        self.net = nn.Sequential(
            nn.Linear(64, config.width), nn.Tanh(), nn.Linear(config.width, 10)
        )
        self.start = {name: p.detach().clone() for name, p in self.net.named_parameters()}
        lr = torchopt.schedule.linear_schedule(config.lr, 0.0, config.steps)
        self.sgd = torchopt.sgd(lr, momentum=0.9)

    def losses(self, params: Params, data: Data) -> torch.Tensor:
        """Return the loss on each image."""
        logits = torchopt.nn.functional_call(self.net, params, data.x)
        return cross_entropy(logits, data.y, reduction="none")

    def train(
        self, data: Data, w: torch.Tensor | None = None, mode: DifferentiationMode | None = None
    ) -> Params:
        """Return the parameters after training on some images, with weights."""
        weights, c = torch.ones(len(data.y)) if w is None else w, self.config
        batches = random_batches(len(data.y), min(c.batch, len(data.y)), c.steps, c.seed)

        def loss(params: Params, w: torch.Tensor, batch: torch.Tensor) -> torch.Tensor:
            return (w[batch] * self.losses(params, Data(*(t[batch] for t in data)))).mean()

        return torchopt.minimize(
            loss, self.start, (weights,), solver=self.sgd, steps=c.steps, batches=batches, diff=mode
        ).params

    def judged(self, w: torch.Tensor) -> torch.Tensor:
        """Return the loss on the clean images, after training with weights."""
        return self.losses(self.train(self.noisy, w, Explicit("sqrt")), self.clean).mean()

    def descend(self, advance: Callable[[str], None]) -> torch.Tensor:
        """Return the sum of the derivatives by each weight, over metagradient descent."""
        w = torch.full((self.config.images,), 0.5)
        total = torch.zeros_like(w)
        for _ in range(self.config.rounds):
            gradient, value = torchopt.meta_grad_and_value(self.judged)(w)
            total += gradient
            w = (w - self.config.weight_lr * gradient.sign()).clamp(0, 1)
            advance(f"loss on the clean images {value:.3f}")
        return total

    @torch.no_grad()
    def ranks(self) -> dict[str, torch.Tensor]:
        """Return a number for each image, by ways to choose those whose numbers are smallest."""
        generator = torch.Generator().manual_seed(self.config.seed)
        return {
            "random": torch.rand(self.config.images, generator=generator),
            "loss filtering": self.losses(self.train(self.noisy), self.noisy),
            "loss, trained on the clean": self.losses(self.train(self.clean), self.noisy),
        }

    @torch.no_grad()
    def test_loss(self, data: Data) -> float:
        """Return the loss on held-out images, after training on some."""
        return float(self.losses(self.train(data), self.test).mean())


def run(config: Config, report: Report = Report()) -> dict[str, torch.Tensor]:
    """Return the held-out losses of each choice and of two references, ``(seeds, fractions)``."""
    losses: dict[str, list[list[float]]] = {}
    with report.progress("selection", config.seeds * config.rounds) as advance:
        for seed in range(config.seed, config.seed + config.seeds):
            selection = Selection(replace(config, seed=seed))
            ranks = {**selection.ranks(), "metagradient descent": selection.descend(advance)}
            for name, rank in ranks.items():
                chosen = (rank.argsort()[: round(f * config.images)] for f in FRACTIONS)
                data = (Data(*(t[index] for t in selection.noisy)) for index in chosen)
                losses.setdefault(name, []).append([selection.test_loss(part) for part in data])
            for name, part in (
                ("all images", selection.noisy),
                ("the clean images alone", selection.clean),
            ):
                losses.setdefault(name, []).append([selection.test_loss(part)] * len(FRACTIONS))
    result = {name: torch.tensor(values) for name, values in losses.items()}
    rows = [
        (name, *(f"{x.mean():.3f} ({x.min():.3f} to {x.max():.3f})" for x in values.T))
        for name, values in result.items()
    ]
    columns = ("chosen by", *(f"{fraction:.0%} chosen" for fraction in FRACTIONS))
    report.table(f"loss on held-out images, mean of {config.seeds} seeds and range", columns, rows)
    means = {name: float(values[:, -1].mean()) for name, values in result.items()}
    title = f"loss on held-out images, {columns[-1]}"
    report.picture("losses", bar_figure(means, xlabel=title))
    return result


PRESETS = {"quick": Config(seeds=1), "default": Config()}
main = command(run, PRESETS)

if __name__ == "__main__":
    raise SystemExit(main())
