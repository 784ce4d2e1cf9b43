"""MAML on several workers: each adapts to a part of the tasks, and derivatives go through.

The example ``maml_sinusoid``, with the tasks of a meta-step spread over processes of this machine,
workers of PyTorch's RPC, actors of Ray, or ranks that all run this program (SPMD; on several machines
by ``torchrun``). The losses are those of one process, up to rounding.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import torch
from matplotlib.figure import Figure
from torch import distributed

import torchopt
from examples import maml_sinusoid
from examples.maml_sinusoid import Params, make_network, meta_loss, meta_train, predict
from examples.tools.command import command
from examples.tools.report import Report
from examples.tools.statistics import interval
from examples.tools.tasks import ZERO_ERROR, Tasks, sample_waves
from examples.tools.workers import executor_of, joined, ranks
from torchopt.distributed import Executor, remote_map
from torchopt.distributed.spmd import task_map

# ``map(loss, params, parts)`` returns the loss of each part, differentiably.
Map = Callable[[Callable[..., torch.Tensor], Params, Sequence[Tasks]], Any]


@dataclass(frozen=True)
class Config(maml_sinusoid.Config):
    """The settings of ``maml_sinusoid``, and where it runs."""

    on: Annotated[Literal["process", "rpc", "ray", "spmd"], "what adapts to the tasks"] = "process"
    workers: Annotated[int, "how many; under torchrun, those that it started"] = 2

    def __post_init__(self) -> None:
        if self.compile:
            raise ValueError("`--compile` is for one process: use the example `maml_sinusoid`.")


def split(tasks: Tasks, parts: int) -> list[Tasks]:
    """Return the tasks in parts of about the same size."""
    pieces = (t.tensor_split(min(parts, len(t))) for t in tasks)
    return [Tasks(*part) for part in zip(*pieces, strict=True)]


def learn(config: Config, map: Map, parts: int, report: Report) -> tuple[Params, list[float]]:
    """Meta-train; this process takes the outer steps, workers compute the losses of their tasks."""
    network, start = make_network(config.width, config.seed, getattr(torch, config.dtype))
    part_loss = partial(meta_loss, network, config)

    def loss(params: Params, tasks: Tasks) -> torch.Tensor:
        pieces = split(tasks, parts)
        weights = [len(piece.query_y) / len(tasks.query_y) for piece in pieces]
        losses = map(part_loss, params, pieces)
        return torch.stack([w * x for w, x in zip(weights, losses, strict=True)]).sum()

    return meta_train(torchopt.meta_grad_and_value(loss), start, config, report)


def learn_with(executor: Executor, config: Config, report: Report) -> tuple[Params, list[float]]:
    """Meta-train with workers that this process controls; a lost worker's tasks are tried again."""

    def map(loss: Callable[..., torch.Tensor], params: Params, parts: Sequence[Tasks]) -> Any:
        return remote_map(loss, [params] * len(parts), parts, executor=executor)

    return learn(config, map, len(executor.workers), report)


def learn_on_ranks(config: Config, report: Report) -> tuple[Params, list[float]]:
    """Meta-train as one of the ranks, all of which take the same outer steps."""
    with joined():
        quiet = Report(folder=report.folder)
        shown = report if distributed.get_rank() == 0 else quiet
        return learn(config, task_map, distributed.get_world_size(), shown)


def follow(config: Config, folder: Path | None) -> None:
    """Be another rank, which this program has started."""
    torch.set_num_threads(config.threads)
    learn_on_ranks(config, Report(folder=folder))


def run(config: Config, report: Report = Report()) -> tuple[Params, list[float]]:
    """Meta-train on workers; return the start that is learned, and the loss of each meta-step."""
    if config.on == "spmd":
        alone = "WORLD_SIZE" not in os.environ  # else torchrun has started the ranks
        started = ranks(config.workers, follow, config, report.folder) if alone else nullcontext()
        with started:
            params, losses = learn_on_ranks(config, report)
    else:
        with executor_of(config.on, config.workers, config.threads) as executor:
            params, losses = learn_with(executor, config, report)
    network, _ = make_network(config.width, config.seed, getattr(torch, config.dtype))
    generator = torch.Generator().manual_seed(config.seed + 1)  # other waves
    size = (config.test_tasks, config.shots, config.test_queries)
    tasks = sample_waves(*size, generator, getattr(torch, config.dtype))
    with torch.no_grad():
        outputs = predict(network, params, tasks, torchopt.sgd(config.inner_lr), config.inner_steps)
    rows = [("predicting zero", f"{ZERO_ERROR:.3f}")]
    rows.append(("MAML", interval((outputs - tasks.query_y).square().mean((1, 2)))))
    report.table(f"squared error on {config.test_tasks} waves", ("method", "95 % interval"), rows)
    figure = Figure(figsize=(6, 3.5), layout="constrained")
    axes = figure.subplots()
    axes.plot(losses)
    axes.set(xlabel="meta-step", ylabel="squared error after adaptation")
    report.picture("learning_curve", figure)
    return params, losses


PRESETS = {"quick": Config(iterations=200, test_tasks=200), "default": Config(iterations=2000)}
main = command(run, PRESETS, resumable=True)

if __name__ == "__main__":
    raise SystemExit(main())
