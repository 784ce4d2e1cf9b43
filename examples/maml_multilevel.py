"""MAML as a program of two levels: adaptation within a task, and the start that it sets out from.

The lower problem learns displacements d_i from the start p, one for each task i, which are put back to
zero before each round of adaptation; the upper problem learns p, through the lower problem's steps:

    lower: minimize support_loss_i(p + d_i) over d_i,  upper: minimize query_loss_i(p + d_i) over p.

The tasks are the sine waves of the example ``maml_sinusoid``, and so is every step, up to rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, NamedTuple

import torch
from matplotlib.figure import Figure
from torch.nn.functional import mse_loss

import torchopt
from examples.maml_sinusoid import make_network, predict
from examples.tools.command import command
from examples.tools.engine import engine_config, run_engine
from examples.tools.report import Report
from examples.tools.statistics import interval
from examples.tools.tasks import ZERO_ERROR, TaskLoader, sample_waves
from torchopt import multilevel
from torchopt.diff import Explicit
from torchopt.nn import functional_call

Params = dict[str, torch.Tensor]


@dataclass(frozen=True)
class Config:
    """Settings, which determine the results."""

    shots: Annotated[int, "points of a wave to learn from"] = 10
    queries: Annotated[int, "points to be tested on"] = 10
    width: Annotated[int, "of the two hidden layers"] = 40
    inner_lr: Annotated[float, "learning rate within a task"] = 0.01
    inner_steps: Annotated[int, "steps within a task"] = 2
    outer_lr: Annotated[float, "Adam's learning rate, between tasks; it falls along a line"] = 5e-3
    meta_batch: Annotated[int, "tasks in a meta-step"] = 16
    iterations: Annotated[int, "meta-steps"] = 1000
    save_every: Annotated[int, "meta-steps between checkpoints"] = 200
    test_tasks: Annotated[int, "tasks in the final test"] = 500
    seed: Annotated[int, "of the network and the tasks"] = 0
    threads: Annotated[int, "CPU threads"] = 1


def make_engine(config: Config, report: Report) -> multilevel.Engine:
    """Return the program."""
    network, first = make_network(config.width, config.seed, torch.float64)
    start = {name: p.clone().requires_grad_() for name, p in first.items()}
    zero = {n: p.new_zeros(config.meta_batch, *p.shape).requires_grad_() for n, p in first.items()}

    def losses(start: Params, displacements: Params, x: torch.Tensor, y: torch.Tensor) -> Any:
        """Return the loss of each task at its place, the start plus its displacement."""

        def loss(displacement: Params, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
            params = {name: start[name] + d for name, d in displacement.items()}
            return mse_loss(functional_call(network, params, x), y)

        return torch.vmap(loss)(displacements, x, y)

    class Adaptation(multilevel.Problem):  # lower: fit each task from the start
        def training_step(self, batch: Sequence[torch.Tensor]) -> torch.Tensor:
            x, y, _, _ = batch  # of the sum, each displacement gets the gradient of its own task
            return losses(self.meta.params, self.params, x, y).sum()

        def on_inner_loop_start(self) -> None:
            with torch.no_grad():
                for displacement in self.params.values():
                    displacement.zero_()

    class Meta(multilevel.Problem):  # upper: a small loss on new points, after adaptation
        def training_step(self, batch: Sequence[torch.Tensor]) -> torch.Tensor:
            _, _, x, y = batch
            return losses(self.params, self.adaptation.params, x, y).mean()

    def loader(times: int) -> TaskLoader:  # the lower problem steps several times on each batch
        size = (config.meta_batch, config.shots, config.queries)
        return TaskLoader(partial(sample_waves, *size, dtype=torch.float64), config.seed, times)

    steps = config.inner_steps
    adaptation = Adaptation(
        "adaptation",
        multilevel.Config(diff=Explicit(), unroll_steps=steps),
        params=zero,
        optimizer=torch.optim.SGD(zero.values(), config.inner_lr),
        train_data_loader=loader(steps),
    )
    optimizer = torch.optim.Adam(start.values(), config.outer_lr)
    meta = Meta(
        "meta",
        multilevel.Config(log_step=1),
        params=start,
        optimizer=optimizer,
        scheduler=torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, config.iterations),
        train_data_loader=loader(1),
    )
    edges = {"u2l": {meta: [adaptation]}, "l2u": {adaptation: [meta]}}
    settings = engine_config(report, config.iterations * steps, config.save_every * steps)
    return multilevel.Engine([meta, adaptation], settings, edges)


class Result(NamedTuple):
    """The start that was learned, the loss of each meta-step, the errors on held-out waves."""

    start: Params
    losses: list[float]
    errors: torch.Tensor


def run(config: Config, report: Report = Report()) -> Result:
    """Learn the start, and test it on new waves."""
    network, first = make_network(config.width, config.seed, torch.float64)
    engine = make_engine(config, report)
    losses = [loss for _, loss in run_engine(engine, report, "two levels")["meta/loss"]]
    start = {name: p.detach() for name, p in engine.meta.params.items()}
    generator = torch.Generator().manual_seed(config.seed + 1)  # other waves
    tasks = sample_waves(config.test_tasks, config.shots, 100, generator, torch.float64)
    rows, sgd = [("predicting zero", f"{ZERO_ERROR:.3f}")], torchopt.sgd(config.inner_lr)
    for name, params in (("a random start", first), ("the learned start", start)):
        with torch.no_grad():
            outputs = predict(network, params, tasks, sgd, config.inner_steps)
        errors = (outputs - tasks.query_y).square().mean((1, 2))
        rows.append((name, interval(errors)))
    report.table(f"squared error on {config.test_tasks} waves", ("from", "95 % interval"), rows)
    figure = Figure(figsize=(6, 3.5), layout="constrained")
    axes = figure.subplots()
    axes.plot(losses)
    axes.set(xlabel="meta-step", ylabel="squared error after adaptation")
    report.picture("learning_curve", figure)
    return Result(start, losses, errors)


PRESETS = {"quick": Config(iterations=150, test_tasks=200), "default": Config()}
main = command(run, PRESETS, resumable=True)

if __name__ == "__main__":
    raise SystemExit(main())
