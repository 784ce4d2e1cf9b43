r"""DARTS: search the architecture of a network by gradient.

A network holds every operation on every edge of a cell, mixed by weights :math:`\alpha`; after the
search, the largest operation of each edge stays (Liu, Simonyan and Yang, *DARTS*, 2019):

.. math::
    \min_\alpha\; \ell(\theta^*(\alpha), \alpha; \text{validation}) \quad\text{with}\quad
    \theta^*(\alpha) = \arg\min_\theta\, \ell(\theta, \alpha; \text{train})
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import torch
from matplotlib.figure import Figure
from torch import nn
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader, TensorDataset

from examples.tools.command import command
from examples.tools.digits import Data, split_digits
from examples.tools.engine import engine_config, run_engine
from examples.tools.report import Report
from torchopt import multilevel
from torchopt.diff import OneStep

# Of a cell with three nodes: its input, a middle one, and its output.
EDGES, OPERATIONS = ("0-1", "0-2", "1-2"), ("none", "skip", "pool", "conv")
PARTS = [f"{edge} {operation}" for edge in EDGES for operation in OPERATIONS]


@dataclass(frozen=True)
class Config:
    """Settings; the command line's options."""

    images: Annotated[int, "to train weights on, and as many to choose the architecture by"] = 400
    channels: Annotated[int, "of the cell"] = 8
    steps: Annotated[int, "of the search"] = 300
    lr: Annotated[float, "learning rate of the weights"] = 0.1
    mix_lr: Annotated[float, "Adam's learning rate of the mixture"] = 0.03
    warmup: Annotated[int, "steps of the weights before the mixture moves"] = 50
    final_steps: Annotated[int, "of training an architecture alone"] = 100
    batch: Annotated[int, "images in a step"] = 100
    seed: Annotated[int, "of the data, the batches and the starts"] = 0
    threads: Annotated[int, "CPU threads; part of the numbers' last digits"] = 1


class Network(nn.Module):
    """A convolution, the cell, and a linear classifier of the mean over pixels."""

    def __init__(self, channels: int, seed: int) -> None:
        super().__init__()
        torch.manual_seed(seed)  # the same start for every architecture
        normalize = partial(nn.BatchNorm2d, channels, affine=False, track_running_stats=False)
        self.stem = nn.Sequential(nn.Conv2d(1, channels, 3, 2, 1, bias=False), normalize())

        def operations() -> nn.ModuleList:
            pool = nn.Sequential(nn.AvgPool2d(3, 1, 1, count_include_pad=False), normalize())
            conv = nn.Conv2d(channels, channels, 3, 1, 1, bias=False)
            return nn.ModuleList([nn.Identity(), pool, nn.Sequential(nn.ReLU(), conv, normalize())])

        self.cell = nn.ModuleList(operations() for _ in EDGES)
        self.head = nn.Linear(channels, 10)

    def forward(self, x: torch.Tensor, alpha: torch.Tensor) -> torch.Tensor:
        """Return the logits of images, for a mixture with a row for each edge."""

        def mix(e: int, x: torch.Tensor) -> Any:
            return sum(w * f(x) for w, f in zip(alpha[e, 1:], self.cell[e].children(), strict=True))

        start = self.stem(x.view(-1, 1, 8, 8))
        middle = mix(0, start)
        return self.head((mix(1, start) + mix(2, middle)).relu().mean((2, 3)))


def make_engine(config: Config, train: Data, judge: Data, report: Report) -> multilevel.Engine:
    """Return the program; the weights are differentiated through one step."""

    class Weights(multilevel.Problem):  # lower: train the network with the present mixture
        def training_step(self, batch: list[torch.Tensor]) -> torch.Tensor:
            return cross_entropy(self.module(batch[0], self.mixture.params.softmax(-1)), batch[1])

    class Mixture(multilevel.Problem):  # upper: the trained network should read other images
        def training_step(self, batch: list[torch.Tensor]) -> torch.Tensor:
            return cross_entropy(self.weights(batch[0], self.params.softmax(-1)), batch[1])

    class Search(multilevel.Engine):
        def validation(self) -> dict[str, torch.Tensor]:
            return dict(zip(PARTS, self.mixture.params.softmax(-1).flatten(), strict=True))

    def batches(data: Data, seed: int) -> DataLoader[Any]:
        images, g = TensorDataset(*data), torch.Generator().manual_seed(seed)
        return DataLoader(images, config.batch, shuffle=True, drop_last=True, generator=g)

    net, alpha = Network(config.channels, config.seed), torch.zeros(3, 4, requires_grad=True)
    mode = multilevel.Config(diff=OneStep(config.lr), warmup_steps=config.warmup)
    sgd = torch.optim.SGD(net.parameters(), config.lr, momentum=0.9)
    adam = torch.optim.Adam([alpha], config.mix_lr, betas=(0.5, 0.999))
    lower, upper = batches(train, config.seed), batches(judge, config.seed + 1)
    weights = Weights("weights", mode, net, sgd, train_data_loader=lower)
    mixture = Mixture("mixture", params=alpha, optimizer=adam, train_data_loader=upper)
    edges = {"u2l": {mixture: [weights]}, "l2u": {weights: [mixture]}}
    settings = engine_config(report, config.warmup + config.steps, valid_step=20)
    return Search([mixture, weights], settings, edges)


def train_alone(config: Config, architecture: list[int], train: Data, test: Data) -> float:
    """Return the accuracy of a network of one architecture."""
    net = Network(config.channels, config.seed)
    generator = torch.Generator().manual_seed(config.seed)
    mixture = torch.eye(4)[architecture]
    optimizer = torch.optim.SGD(net.parameters(), config.lr, momentum=0.9)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.01, config.final_steps)
    for _ in range(config.final_steps):
        batch = torch.randperm(len(train.y), generator=generator)[: config.batch]
        optimizer.zero_grad()
        cross_entropy(net(train.x[batch], mixture), train.y[batch]).backward()
        optimizer.step()
        schedule.step()
    return (net(test.x, mixture).argmax(1) == test.y).double().mean().item()


def run(config: Config, report: Report = Report()) -> dict[str, float]:
    """Search an architecture; return the accuracy of a network of it, and of simple ones."""
    train, judge, test = split_digits(config.seed, config.images, config.images)
    engine = make_engine(config, train, judge, report)
    curves = run_engine(engine, report, "search")
    both = Data(*map(torch.cat, zip(train, judge, strict=True)))
    named = {"found": engine.mixture.params.argmax(-1).tolist(), "skip": [1] * 3, "pool": [2] * 3}
    result = {name: train_alone(config, each, both, test) for name, each in named.items()}
    rows = [(k, *(OPERATIONS[i] for i in named[k]), f"{100 * a:.2f} %") for k, a in result.items()]
    report.table("architectures, trained alone", ("architecture", *EDGES, "accuracy"), rows)
    figure = Figure(figsize=(11, 3), layout="constrained")
    for axes, edge in zip(figure.subplots(1, 3, sharey=True), EDGES, strict=True):
        for operation in OPERATIONS:
            axes.plot(*zip(*curves[f"validation/{edge} {operation}"], strict=True), label=operation)
        axes.set(xlabel="step", title=f"edge {edge}", ylim=(0, 1))
    axes.legend()
    report.picture("mixture", figure)
    return result


PRESETS = {"quick": Config(steps=150), "default": Config()}

main = command(run, PRESETS, resumable=True)

if __name__ == "__main__":
    raise SystemExit(main())
