r"""Three levels: learn which examples pretraining should ignore, judged after finetuning.

Most digits of the source have a wrong label or are upside down. Weights of them minimize the loss on
clean digits of a network that was finetuned on other clean digits, near the pretrained parameters:

.. math::
    \min_w\; \ell(\phi^*; \text{judge}) \quad\text{with}\quad \phi^* = \arg\min_\phi\,
    \ell(\phi; \text{tune}) + \tfrac\nu2 \|\phi - \theta^*\|^2, \quad \theta^* = \arg\min_\theta\,
    \textstyle\sum_i \sigma(w_i)\, \ell_i(\theta; \text{source})
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import torch
from matplotlib.figure import Figure
from torch import nn

from examples.tools.command import command
from examples.tools.digits import Data, accuracy, split_digits
from examples.tools.engine import engine_config, run_engine
from examples.tools.report import Report
from torchopt import multilevel
from torchopt.diff import Implicit
from torchopt.linear_solve import CG

NEARNESS = (0.03, 0.1, 0.3, 1.0)  # of finetuning, in the comparison: it must not decide who wins


@dataclass(frozen=True)
class Config:
    """Settings; the command line's options."""

    source: Annotated[int, "doubtful examples, to pretrain on"] = 1200
    width: Annotated[int, "of the networks' hidden layer"] = 32
    lr: Annotated[float, "learning rate of pretraining"] = 0.3
    tune_lr: Annotated[float, "learning rate of finetuning"] = 0.1
    nearness: Annotated[float, "penalty on leaving what was pretrained, in the search"] = 1.0
    ignore_lr: Annotated[float, "Adam's learning rate of the weights"] = 0.1
    steps: Annotated[int, "of all three levels"] = 600
    warmup: Annotated[int, "steps of the lower two before"] = 50
    final_steps: Annotated[int, "of two levels with fixed weights"] = 300
    cg_steps: Annotated[int, "of conjugate gradients through a level"] = 5
    seed: Annotated[int, "of the data and of the networks' start"] = 0
    threads: Annotated[int, "CPU threads; part of the numbers' last digits"] = 1


def make_data(config: Config) -> tuple[torch.Tensor, list[Data]]:
    """Return the kinds of the source, and the source, and the clean digits: tune, judge and test."""
    source, tune, judge, test = split_digits(config.seed, config.source, 20, 80)
    generator = torch.Generator().manual_seed(config.seed)
    place = torch.randperm(config.source, generator=generator) / config.source
    kind = (place < 0.7).long() + (place < 0.3).long()  # 30, 40 and 30 percent
    other = (source.y + torch.randint(1, 10, (config.source,), generator=generator)) % 10
    x = torch.where((kind == 2)[:, None], source.x.flip(1), source.x)  # turned by 180 degrees
    return kind, [Data(x, torch.where(kind == 1, other, source.y)), tune, judge, test]


def make_network(config: Config, lr: float) -> tuple[nn.Module, torch.optim.Optimizer]:
    """Return a network, which always starts the same, and its optimizer."""
    torch.manual_seed(config.seed)
    net = nn.Sequential(nn.Linear(64, config.width), nn.Tanh(), nn.Linear(config.width, 10))
    return net, torch.optim.SGD(net.parameters(), lr)


def pretraining_loss(net: nn.Module, data: Data, weights: torch.Tensor) -> torch.Tensor:
    """Return the weighted loss."""
    return (weights * nn.functional.cross_entropy(net(data.x), data.y, reduction="none")).mean()


def finetuning_loss(net: nn.Module, start: nn.Module, data: Data, nearness: float) -> torch.Tensor:
    """Return the loss with the penalty on the distance to the start."""
    pairs = zip(net.parameters(), start.parameters(), strict=True)
    distance = sum((p - q).square().sum() for p, q in pairs)
    return nn.functional.cross_entropy(net(data.x), data.y) + 0.5 * nearness * distance


def make_engine(config: Config, parts: list[Data], report: Report) -> multilevel.Engine:
    """Return the program of three levels; the gradient of the weights passes both lower ones."""
    source, tune, judge, _ = parts

    class Pretrain(multilevel.Problem):  # the lowest
        def training_step(self, batch: None) -> torch.Tensor:
            return pretraining_loss(self.module, source, self.ignore.params.sigmoid())

    class Finetune(multilevel.Problem):
        def training_step(self, batch: None) -> torch.Tensor:
            return finetuning_loss(self.module, self.pretrain.module, tune, config.nearness)

    class Ignore(multilevel.Problem):  # the uppermost
        def training_step(self, batch: None) -> torch.Tensor:
            return nn.functional.cross_entropy(self.finetune(judge.x), judge.y)

    solve = CG(maxiter=config.cg_steps, on_failure="ignore")
    mode = multilevel.Config(diff=Implicit(solve), warmup_steps=config.warmup)
    w = torch.zeros(config.source, requires_grad=True)
    pretrain = Pretrain("pretrain", mode, *make_network(config, config.lr))
    finetune = Finetune("finetune", mode, *make_network(config, config.tune_lr))
    log = multilevel.Config(log_step=25)
    ignore = Ignore("ignore", log, params=w, optimizer=torch.optim.Adam([w], config.ignore_lr))
    edges = {"u2l": {ignore: [pretrain]}, "l2u": {pretrain: [finetune], finetune: [ignore]}}
    settings = engine_config(report, config.warmup + config.steps, valid_step=25)
    return multilevel.Engine([ignore, finetune, pretrain], settings, edges)


def train(config: Config, parts: list[Data], weights: torch.Tensor, nearness: float) -> float:
    """Pretrain with fixed weights while finetuning on all clean digits; return the test accuracy."""
    source, tune, judge, test = parts
    clean = Data(*map(torch.cat, zip(tune, judge, strict=True)))
    lower, first = make_network(config, config.lr)
    upper, second = make_network(config, config.tune_lr)
    for step in range(1, config.final_steps + 1):
        first.zero_grad()
        pretraining_loss(lower, source, weights).backward()
        first.step()
        if step >= config.warmup:
            second.zero_grad()
            finetuning_loss(upper, lower, clean, nearness).backward()
            second.step()
    return accuracy(upper, test)


def run(config: Config, report: Report = Report()) -> dict[str, list[float]]:
    """Learn the weights, and train with them; return the test accuracy for each nearness."""
    kind, parts = make_data(config)
    engine = make_engine(config, parts, report)
    run_engine(engine, report, "three levels")
    learned = engine.ignore.params.detach().sigmoid()
    weights = {"equal": torch.ones_like(learned), "learned": learned, "known": (kind == 0).float()}
    result = {}
    with report.progress("two levels", len(weights)) as advance:
        for name, each in weights.items():
            result[name] = [train(config, parts, each, nearness) for nearness in NEARNESS]
            advance(f"{name} weights")
    rows = [(name, *(f"{100 * a:.1f} %" for a in scores)) for name, scores in result.items()]
    report.table("accuracy, by the nearness of finetuning", ("weights", *map(str, NEARNESS)), rows)
    figure = Figure(figsize=(6, 3.5), layout="constrained")
    axes, groups = figure.subplots(), [learned[kind == number].numpy() for number in range(3)]
    axes.hist(groups, bins=20, label=["right", "wrong label", "upside down"])
    axes.set(xlabel="learned weight", ylabel="examples")
    axes.legend(loc="upper center")
    report.picture("weights", figure)
    return result


PRESETS = {"quick": Config(steps=200), "default": Config()}

main = command(run, PRESETS, resumable=True)

if __name__ == "__main__":
    raise SystemExit(main())
