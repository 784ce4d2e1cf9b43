"""Variants of MAML on the same letters: first-order MAML, ANIL, Meta-SGD and Reptile.

- First-order MAML takes the inner gradients for constants (Finn et al., 2017).
- ANIL adapts the last layer only (Raghu et al., *Rapid Learning or Feature Reuse?*, 2020).
- Meta-SGD learns a learning rate for each weight, too (Li et al., *Meta-SGD*, 2017).
- Reptile moves the start towards the adapted parameters (Nichol et al., *On First-Order
  Meta-Learning Algorithms*, 2018); it needs no queries and several inner steps.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import torch
from torch import nn
from torch.nn.functional import cross_entropy

import torchopt
from examples import maml
from examples.maml import Params, Reader, make_network, reader
from examples.tools import letters
from examples.tools.command import command
from examples.tools.report import Report
from examples.tools.statistics import interval
from examples.tools.tasks import Tasks
from torchopt.nn import functional_call


@dataclass(frozen=True)
class Config(maml.Config):
    """The settings of ``maml``; fewer meta-steps."""

    iterations: Annotated[int, "meta-steps"] = 200
    test_tasks: Annotated[int, "tasks in the final test"] = 100
    reptile_steps: Annotated[int, "steps within a task, of Reptile"] = 5


class Meta(NamedTuple):
    """What Meta-SGD learns: a start, and a learning rate for each weight."""

    params: Params
    rates: Params


def adapt(network: nn.Module, params: Params, task: Tasks, lr: Any, steps: int) -> Params:
    """Return parameters after some steps of gradient descent on the support examples of a task."""

    def loss(params: Params) -> torch.Tensor:
        return cross_entropy(functional_call(network, params, task.support_x), task.support_y)

    return torchopt.minimize(loss, params, solver=torchopt.sgd(lr), steps=steps).params


def meta_sgd(network: nn.Module, steps: int) -> Reader:
    """Return the reader of the example ``maml``, with learning rates that are learned."""

    def read(meta: Meta, task: Tasks) -> torch.Tensor:
        adapted = adapt(network, meta.params, task, meta.rates, steps)
        return functional_call(network, adapted, task.query_x)

    return torchopt.vmap_tasks(read, (None, 0), chunk_size=25)


def anil(network: nn.Sequential, lr: float, steps: int) -> Reader:
    """Return the reader of the example ``maml``, with descent in the last layer only."""
    head = f"{len(network) - 1}."  # what the names of its parameters start with

    def read(params: Params, task: Tasks) -> torch.Tensor:
        def loss(moving: Params) -> torch.Tensor:
            outputs = functional_call(network, {**params, **moving}, task.support_x)
            return cross_entropy(outputs, task.support_y)

        moving = {name: p for name, p in params.items() if name.startswith(head)}
        adapted = torchopt.minimize(loss, moving, solver=torchopt.sgd(lr), steps=steps)
        return functional_call(network, {**params, **adapted.params}, task.query_x)

    return torchopt.vmap_tasks(read, (None, 0), chunk_size=25)


def away(network: nn.Module, params: Params, tasks: Tasks, lr: float, steps: int) -> Params:
    """Return Reptile's direction: from the mean of the adapted parameters to the start."""

    def adapt_one(params: Params, x: torch.Tensor, y: torch.Tensor) -> Params:
        return adapt(network, params, Tasks(x, y, x, y), lr, steps)

    x = torch.cat([tasks.support_x, tasks.query_x], 1)  # all examples of a task
    y = torch.cat([tasks.support_y, tasks.query_y], 1)
    with torch.no_grad():
        adapted = torchopt.vmap_tasks(adapt_one, (None, 0, 0))(params, x, y)
    return {name: p - adapted[name].mean(0) for name, p in params.items()}


def reptile(
    network: nn.Module, params: Params, images: torch.Tensor, config: Config, report: Report
) -> Params:
    """Do the meta-steps of Reptile."""
    lr = torchopt.schedule.linear_schedule(config.outer_lr, 0.0, config.iterations)
    outer, generator = torchopt.adam(lr), torch.Generator().manual_seed(config.seed)
    state = outer.init(params)
    size = (config.meta_batch, config.ways, config.shots, config.queries)
    with report.progress("meta-training", config.iterations) as advance:
        for _ in range(config.iterations):
            tasks = letters.sample(images, *size, generator)
            direction = away(network, params, tasks, config.inner_lr, config.reptile_steps)
            updates, state = outer.update(direction, state, params=params)
            params = torchopt.apply_updates(params, updates, inplace=False)
            advance("")
    return params


def run(config: Config, report: Report = Report()) -> dict[str, torch.Tensor]:
    """Meta-train each from the same start on the same tasks; return the accuracies of test tasks."""
    images, lr = letters.load(config.omniglot), config.inner_lr
    network, start = make_network(config.ways, config.channels, config.seed)
    rates = {name: torch.full_like(p, lr) for name, p in start.items()}
    steps, more = config.inner_steps, config.test_steps
    variants: dict[str, tuple[Any, Reader, Reader]] = {
        "MAML": (start, reader(network, lr, steps), reader(network, lr, more)),
        "first-order MAML": (start, reader(network, lr, steps, True), reader(network, lr, more)),
        "ANIL": (start, anil(network, lr, steps), anil(network, lr, more)),
        "Meta-SGD": (Meta(start, rates), meta_sgd(network, steps), meta_sgd(network, more)),
        "Reptile": (start, reader(network, lr, steps), reader(network, lr, 2 * more)),
    }
    size = (config.test_tasks, config.ways, config.shots, config.test_queries)
    tasks = letters.sample(images["test"], *size, torch.Generator().manual_seed(config.seed))
    scores, rows = {}, []
    for name, (meta, read, test) in variants.items():
        report.console.print(name)
        began, quiet = time.process_time(), Report(report.console)  # without checkpoints
        if name == "Reptile":
            meta = reptile(network, meta, images["train"], config, quiet)
        else:
            meta, _ = maml.meta_train(read, meta, images["train"], config, quiet)
        seconds = (time.process_time() - began) / config.iterations
        with torch.no_grad():
            scores[name] = letters.accuracy(test(meta, tasks), tasks)
        rows.append((name, interval(scores[name], percent=True), f"{seconds:.2f}"))
    columns = ("method", "95 % interval", "CPU seconds a meta-step")
    report.table(f"accuracy on {config.test_tasks} tasks", columns, rows)
    return scores


PRESETS = {"quick": Config(iterations=20, meta_batch=4, test_tasks=25), "default": Config()}
main = command(run, PRESETS)

if __name__ == "__main__":
    raise SystemExit(main())
