"""MAML on sine waves: learn a start from which one gradient step on ten points fits a wave.

The regression problem of Finn et al., *Model-Agnostic Meta-Learning*, 2017, section 5.1. Each task is
a wave y = a sin(x - b) with an amplitude a and a phase b of its own. MAML minimizes

    over p the mean over tasks of  query_loss(p - lr * gradient of support_loss at p).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Literal

import torch
from matplotlib.figure import Figure
from torch import nn
from torch.nn.functional import mse_loss

import torchopt
from examples.tools.command import command
from examples.tools.report import Report
from examples.tools.statistics import interval
from examples.tools.tasks import ZERO_ERROR, Tasks, sample_waves
from torchopt.nn import functional_call
from torchopt.transform import GradientTransformation


@dataclass(frozen=True)
class Config:
    """Settings, which determine the results."""

    shots: Annotated[int, "points of a wave to learn from"] = 10
    queries: Annotated[int, "points to be tested on, in meta-training"] = 10
    test_queries: Annotated[int, "the same in the final test"] = 100
    width: Annotated[int, "of the two hidden layers"] = 40
    inner_lr: Annotated[float, "learning rate within a task"] = 0.01
    inner_steps: Annotated[int, "steps within a task"] = 1
    outer_lr: Annotated[float, "Adam's learning rate, between tasks"] = 1e-3
    meta_batch: Annotated[int, "tasks in a meta-step"] = 25
    iterations: Annotated[int, "meta-steps"] = 5000
    scratch_steps: Annotated[int, "steps of training from scratch, by Adam"] = 500
    test_tasks: Annotated[int, "tasks in the final test"] = 2000
    compile: Annotated[bool, "compile the meta-gradient"] = False
    dtype: Annotated[Literal["float32", "float64"], "precision"] = "float32"
    save_every: Annotated[int, "meta-steps between checkpoints"] = 500
    seed: Annotated[int, "of the network and the tasks"] = 0
    threads: Annotated[int, "CPU threads"] = 1


Params = dict[str, torch.Tensor]
MetaGradient = Callable[[Params, Tasks], tuple[Params, torch.Tensor]]


def make_network(width: int, seed: int, dtype: torch.dtype) -> tuple[nn.Module, Params]:
    """Return a perceptron with two hidden layers, and its parameters."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        hidden = (nn.Linear(1, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        network = nn.Sequential(*hidden, nn.Linear(width, 1)).to(dtype)
    return network, {name: p.detach() for name, p in network.named_parameters()}


def predict(
    network: nn.Module, params: Params, tasks: Tasks, solver: GradientTransformation, steps: int
) -> torch.Tensor:
    """Adapt to each task of a batch; return the outputs for its queries."""

    def loss(params: Params, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return mse_loss(functional_call(network, params, x), y)

    def predict_one(params: Params, task: Tasks) -> torch.Tensor:
        support = (task.support_x, task.support_y)
        adapted = torchopt.minimize(loss, params, support, solver=solver, steps=steps)
        return functional_call(network, adapted.params, task.query_x)

    return torchopt.vmap_tasks(predict_one, (None, 0))(params, tasks)


def meta_loss(network: nn.Module, config: Config, params: Params, tasks: Tasks) -> torch.Tensor:
    """Return the mean squared error after adaptation."""
    sgd = torchopt.sgd(config.inner_lr)
    outputs = predict(network, params, tasks, sgd, config.inner_steps)
    return mse_loss(outputs, tasks.query_y)


def meta_train(
    meta_gradient: MetaGradient, params: Params, config: Config, report: Report
) -> tuple[Params, list[float]]:
    """Do the meta-steps; return the start that is learned, and the loss of each step."""
    outer, generator = torchopt.adam(config.outer_lr), torch.Generator().manual_seed(config.seed)
    begin: list[Any] = [params, outer.init(params), generator.get_state(), []]
    params, state, random, losses = report.load(begin)  # those of an interrupted run, if any
    generator.set_state(random)
    size = (config.meta_batch, config.shots, config.queries)
    with report.progress("meta-training", config.iterations - len(losses)) as advance:
        while len(losses) < config.iterations:
            tasks = sample_waves(*size, generator, getattr(torch, config.dtype))
            grads, loss = meta_gradient(params, tasks)
            updates, state = outer.update(grads, state, params=params)
            params = torchopt.apply_updates(params, updates, inplace=False)
            losses.append(loss.item())
            advance(f"squared error {loss:.3f}")
            if len(losses) % config.save_every == 0:
                report.save([params, state, generator.get_state(), losses])
    return params, losses


def run(config: Config, report: Report = Report()) -> tuple[list[float], dict[str, torch.Tensor]]:
    """Meta-train, and test on new waves; return the losses, and the errors of tasks by method."""
    network, start = make_network(config.width, config.seed, getattr(torch, config.dtype))
    loss = partial(meta_loss, network, config)
    meta_gradient = torchopt.meta_grad_and_value(loss, compile=config.compile)
    params, losses = meta_train(meta_gradient, start, config, report)
    generator = torch.Generator().manual_seed(config.seed + 1)  # other waves
    size = (config.test_tasks, config.shots, config.test_queries)
    tasks = sample_waves(*size, generator, getattr(torch, config.dtype))
    sgd, adam = torchopt.sgd(config.inner_lr), torchopt.adam(0.03)  # adam: best of 16 settings
    with torch.no_grad():
        outputs = {
            "training from scratch": predict(network, start, tasks, adam, config.scratch_steps),
            "MAML": predict(network, params, tasks, sgd, config.inner_steps),
        }
    errors = {name: (y - tasks.query_y).square().mean((1, 2)) for name, y in outputs.items()}
    rows = [("predicting zero", f"{ZERO_ERROR:.3f}")]
    rows += [(name, interval(error)) for name, error in errors.items()]
    report.table(f"squared error on {len(tasks.query_y)} waves", ("method", "95 % interval"), rows)
    figure = Figure(figsize=(12, 3), layout="constrained")
    for k, axes in enumerate(figure.subplots(1, 3)):
        order = tasks.query_x[k, :, 0].argsort()
        x, y, learned = (t[k, order, 0] for t in (tasks.query_x, tasks.query_y, outputs["MAML"]))
        axes.plot(x, y, label="truth")
        axes.plot(x, learned, "--", label="after adaptation")
        axes.plot(tasks.support_x[k, :, 0], tasks.support_y[k, :, 0], "k^", label="learned from")
    axes.legend()
    report.picture("predictions", figure)
    return losses, errors


PRESETS = {
    "quick": Config(iterations=1000, test_tasks=200),
    "default": Config(),
    "full": Config(iterations=70_000),
}
main = command(run, PRESETS, resumable=True)

if __name__ == "__main__":
    raise SystemExit(main())
