r"""Learning to reweight: train on imbalanced classes, with weights that ten balanced images choose.

Nearly all training images show an 8, a few a 3. In each step, an image's weight is what a little of it
would improve on a small balanced set, after one step of gradient descent (Ren et al., *Learning to
Reweight Examples for Robust Deep Learning*, 2018, algorithm 1):

.. math:: \hat\theta(\epsilon) = \theta - \alpha \nabla_\theta \sum_i \epsilon_i\, \ell_i(\theta), \quad
          w_i \propto \max(0, -\partial \ell_{\text{clean}}(\hat\theta) / \partial \epsilon_i)
          \text{ at } \epsilon = 0

Resampling balances the classes, too, but at a rate that somebody has to choose.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

import torch
from matplotlib.figure import Figure
from torch import nn
from torch.nn.functional import cross_entropy

import torchopt
from examples.tools.command import command
from examples.tools.digits import Data, split_digits
from examples.tools.pictures import draw_lines
from examples.tools.report import Report
from torchopt.nn import functional_call

COMMON, RARE = 8, 3
RATES = (0.3, 0.5, 0.7)  # how often resampling draws the rare class


@dataclass(frozen=True)
class Config:
    """The settings of a run."""

    common: Annotated[int, "images of the common class to train on"] = 120
    rare: Annotated[int, "images of the rare class to train on"] = 6
    clean: Annotated[int, "of them, of each class, in the balanced set"] = 5
    steps: Annotated[int, "of training"] = 300
    batch: Annotated[int, "images in a step"] = 50
    lr: Annotated[float, "of SGD with momentum 0.9, and of the step ahead"] = 0.02
    width: Annotated[int, "of the network's hidden layer"] = 64
    seeds: Annotated[int, "splits, each with a network of its own"] = 5
    seed: Annotated[int, "of the first split"] = 0
    threads: Annotated[int, "CPU threads; part of the numbers' last digits"] = 1

    def __post_init__(self) -> None:
        if not self.clean <= self.rare <= 150 >= self.common:
            raise ValueError(
                f"`clean`, `rare` and `common` are {self.clean}, {self.rare} and {self.common}: use "
                f"`clean` <= `rare`, and at most 150 of each class, to leave some for the test."
            )


def load(config: Config) -> tuple[Data, Data, Data]:
    """Return training, clean and test images; the clean ones are among those to train on."""
    (digits,) = split_digits(config.seed)
    common, rare = (digits.y.eq(digit).nonzero()[:, 0] for digit in (COMMON, RARE))
    parts = [
        torch.cat([common[: config.common], rare[: config.rare]]),
        torch.cat([common[: config.clean], rare[: config.clean]]),
        torch.cat([common[config.common :], rare[config.rare :]]),
    ]
    train, clean, test = (Data(digits.x[i], digits.y[i].eq(RARE).long()) for i in parts)
    return train, clean, test


def example_weights(net: nn.Module, batch: Data, clean: Data, lr: float) -> torch.Tensor:
    """Return the weight of each image of a batch; they sum to one, or are all zero."""
    params: dict[str, torch.Tensor] = dict(net.named_parameters())

    def losses(params: dict[str, torch.Tensor], data: Data) -> torch.Tensor:
        return cross_entropy(functional_call(net, params, data.x), data.y, reduction="none")

    def clean_loss(weights: torch.Tensor) -> torch.Tensor:
        ahead = torchopt.minimize(
            lambda params: weights @ losses(params, batch), params, solver=torchopt.sgd(lr), steps=1
        )
        return losses(ahead.params, clean).mean()

    gradient, _ = torchopt.meta_grad_and_value(clean_loss)(torch.zeros_like(batch.x[:, 0]))
    helpful = (-gradient).clamp(min=0)
    return helpful / helpful.sum().clamp(min=torch.finfo(helpful.dtype).tiny)


def train(config: Config, rate: float | None, reweight: bool) -> tuple[list[float], float]:
    """Return the balanced accuracy after each tenth step, and the mean weight of the rare class."""
    (x, y), clean, test = load(config)
    generator = torch.manual_seed(config.seed)
    net = nn.Sequential(nn.Linear(64, config.width), nn.ReLU(), nn.Linear(config.width, 2))
    optimizer = torch.optim.SGD(net.parameters(), config.lr, momentum=0.9)
    chance = torch.ones(len(y))
    if rate is not None:
        chance = torch.tensor([(1 - rate) / config.common, rate / config.rare])[y]
    accuracies, rare = [], 0.0
    for step in range(1, config.steps + 1):
        index = torch.multinomial(chance, config.batch, replacement=True, generator=generator)
        batch, weights = Data(x[index], y[index]), torch.full((config.batch,), 1 / config.batch)
        if reweight:
            weights = example_weights(net, batch, clean, config.lr)
        optimizer.zero_grad()
        (weights @ cross_entropy(net(batch.x), batch.y, reduction="none")).backward()
        optimizer.step()
        rare += float(weights @ batch.y.float()) / config.steps
        if step % 10 == 0:
            right = net(test.x).argmax(1).eq(test.y).float()
            accuracies.append(float(right[test.y == 0].mean() + right[test.y == 1].mean()) / 2)
    return accuracies, rare


def run(config: Config, report: Report = Report()) -> dict[str, torch.Tensor]:
    """Train in each way; return the accuracies, of shape ``(seeds, steps / 10)``."""
    resampled = {f"resampled, {rate:.0%} rare": (rate, False) for rate in RATES}
    curves, rows = {}, []
    for name, way in {"plain": (None, False), **resampled, "reweighted": (None, True)}.items():
        runs = []
        with report.progress(name, config.seeds) as advance:
            for k in range(config.seeds):
                runs.append(train(replace(config, seed=config.seed + k), *way))
                advance(f"accuracy {100 * runs[-1][0][-1]:.1f} %")
        curves[name] = torch.tensor([accuracies for accuracies, _ in runs])
        last, rare = 100 * curves[name][:, -1], sum(rare for _, rare in runs) / len(runs)
        rows.append((name, f"{last.mean():.1f} %", f"{last.min():.1f} %", f"{rare:.2f}"))
    columns = ("training", "accuracy", "worst seed", "weight of the rare class")
    report.table(f"balanced accuracy on test images, {config.seeds} seeds", columns, rows)
    figure = Figure(figsize=(6, 3.5), layout="constrained")
    axes, steps = figure.subplots(), range(10, config.steps + 1, 10)
    draw_lines(axes, {k: (100 * c.mean(0)).tolist() for k, c in curves.items()}, steps)
    axes.set(xlabel="step", ylabel="balanced accuracy (%)")
    report.picture("imbalance", figure)
    return curves


PRESETS = {"quick": Config(seeds=2), "default": Config()}
main = command(run, PRESETS)

if __name__ == "__main__":
    raise SystemExit(main())
