"""Implicit MAML: meta-learning without backpropagation through the steps within a task.

Rajeswaran et al., *Meta-Learning with Implicit Gradients*, 2019. Each task is solved near the start p,

    w(p) = argmin over w of  support_loss(w) + penalty / 2 * |w - p|^2,

whose derivative needs one linear system with the Hessian at w(p), however many steps led there. MAML
with the same steps, tasks and start runs beside it. Both start from features that tell letters apart.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import torch
from torch import nn
from torch.nn.functional import cross_entropy

import torchopt
from examples.maml import Params, Reader, make_network, reader
from examples.tools import letters
from examples.tools.command import command
from examples.tools.pictures import line_figure
from examples.tools.report import Report
from examples.tools.statistics import interval
from examples.tools.tasks import Tasks
from torchopt.nn import functional_call


@dataclass(frozen=True)
class Config:
    """Settings, which determine the results."""

    ways: Annotated[int, "letters in a task"] = 5
    shots: Annotated[int, "examples of each letter to learn from"] = 1
    queries: Annotated[int, "examples of each letter to be tested on, in meta-training"] = 5
    test_queries: Annotated[int, "the same in the final test"] = 15
    channels: Annotated[int, "width of the network"] = 32
    inner_lr: Annotated[float, "learning rate within a task"] = 0.1
    inner_steps: Annotated[int, "steps within a task, in meta-training and in the test"] = 16
    penalty: Annotated[float, "of the squared distance to the start (implicit MAML)"] = 0.5
    cg_steps: Annotated[int, "of conjugate gradients in a meta-gradient (implicit MAML)"] = 5
    warmup: Annotated[int, "steps of ordinary classification that both start from"] = 800
    outer_lr: Annotated[float, "Adam's learning rate; it falls to 0 along a line"] = 3e-3
    meta_batch: Annotated[int, "tasks in a meta-step"] = 4
    iterations: Annotated[int, "meta-steps"] = 50
    test_tasks: Annotated[int, "tasks in the final test"] = 200
    seed: Annotated[int, "of the network and the tasks"] = 0
    threads: Annotated[int, "CPU threads"] = 1


class Learned(NamedTuple):
    """Parameters learned, the accuracy at each meta-step, and the seconds of a meta-step."""

    params: Params
    curve: list[float]
    seconds: float


def implicit_reader(network: nn.Module, config: Config) -> Reader:
    """Return a function that solves each task near the start, and then reads its queries."""
    solver = torchopt.sgd(config.inner_lr)
    # Few iterations are enough: the penalty bounds the condition number (section 3.2).
    cg = torchopt.linear_solve.CG(maxiter=config.cg_steps, on_failure="ignore")
    diff = torchopt.diff.Implicit(linear_solve=cg)

    def objective(w: Params, start: Params, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        distance = sum((p - start[name]).square().sum() for name, p in w.items())
        return cross_entropy(functional_call(network, w, x), y) + 0.5 * config.penalty * distance

    def read(start: Params, task: Tasks) -> torch.Tensor:
        args = (start, task.support_x, task.support_y)
        steps = config.inner_steps
        near = torchopt.minimize(objective, start, args, solver=solver, steps=steps, diff=diff)
        return functional_call(network, near.params, task.query_x)

    return torchopt.vmap_tasks(read, (None, 0), chunk_size=25)


def meta_train(
    read: Reader, params: Params, images: torch.Tensor, config: Config, report: Report, name: str
) -> Learned:
    """Learn what the reader starts from."""

    def meta_loss(params: Params, tasks: Tasks) -> tuple[torch.Tensor, torch.Tensor]:
        outputs = read(params, tasks)
        loss = cross_entropy(outputs.flatten(0, 1), tasks.query_y.flatten())
        return loss, letters.accuracy(outputs, tasks).mean()

    meta_gradient = torchopt.meta_grad_and_value(meta_loss, has_aux=True)
    lr = torchopt.schedule.linear_schedule(config.outer_lr, 0.0, config.iterations)
    outer, generator = torchopt.adam(lr), torch.Generator().manual_seed(config.seed)
    state, curve, began = outer.init(params), [], time.monotonic()
    size = (config.meta_batch, config.ways, config.shots, config.queries)
    with report.progress(name, config.iterations) as advance:
        for _ in range(config.iterations):
            grads, (loss, score) = meta_gradient(params, letters.sample(images, *size, generator))
            updates, state = outer.update(grads, state, params=params)
            params = torchopt.apply_updates(params, updates, inplace=False)
            curve.append(score.item())
            advance(f"loss {loss:.3f}  accuracy {score:.3f}")
    return Learned(params, curve, (time.monotonic() - began) / config.iterations)


def run(config: Config, report: Report = Report()) -> dict[str, Learned]:
    """Meta-train both from one start on the same tasks, and test on scripts never seen."""
    images = letters.load()
    network, _ = make_network(config.ways, config.channels, config.seed)
    letters.learn_features(network, images["train"], config.warmup, config.seed, report)
    start = {name: p.detach() for name, p in network.named_parameters()}
    explicit = reader(network, lr=config.inner_lr, steps=config.inner_steps)
    readers = {"MAML": explicit, "implicit MAML": implicit_reader(network, config)}
    learned = {
        name: meta_train(read, start, images["train"], config, report, name)
        for name, read in readers.items()
    }
    size = (config.test_tasks, config.ways, config.shots, config.test_queries)
    tasks = letters.sample(images["test"], *size, torch.Generator().manual_seed(config.seed))
    rows = [("chance", f"{100 / config.ways:.2f} %", "")]
    with torch.no_grad():
        score = letters.accuracy(explicit(start, tasks), tasks)
        rows.append(("their start", interval(score, percent=True), ""))
        for name, read in readers.items():
            outputs, seconds = read(learned[name].params, tasks), learned[name].seconds
            score = letters.accuracy(outputs, tasks)
            rows.append((name, interval(score, percent=True), f"{seconds:.2f}"))
    columns = ("method", "95 % interval", "seconds a meta-step")
    report.table(f"accuracy on {config.test_tasks} tasks", columns, rows)
    report.picture("predictions", letters.draw(tasks, outputs))
    curves = {name: result.curve for name, result in learned.items()}
    figure = line_figure(curves, xlabel="meta-step", ylabel="accuracy")
    report.picture("learning_curves", figure)
    return learned


PRESETS = {
    "quick": Config(channels=16, warmup=300, iterations=15, test_tasks=50),
    "default": Config(),
    "full": Config(meta_batch=16, iterations=400, test_tasks=1000),
}
main = command(run, PRESETS)

if __name__ == "__main__":
    raise SystemExit(main())
