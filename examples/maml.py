"""MAML: learn to read a script never seen from one example a letter.

MAML (Finn et al., *Model-Agnostic Meta-Learning*, 2017) learns the initial parameters p of a network,
from which a few steps of gradient descent on the few examples of a task lead to a small loss on others:

    minimize over p the mean over tasks of  query_loss(p - lr * gradient of support_loss at p).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import torch
from torch import nn
from torch.nn.functional import cross_entropy

import torchopt
from examples.tools import letters
from examples.tools.command import command
from examples.tools.report import Report
from examples.tools.statistics import interval
from examples.tools.tasks import Tasks
from torchopt.nn import functional_call


@dataclass(frozen=True)
class Config:
    """Settings, which determine the results."""

    omniglot: Annotated[str, "folder of Omniglot's images; by default, letters from a font"] = ""
    ways: Annotated[int, "letters in a task"] = 5
    shots: Annotated[int, "examples of each letter to learn from"] = 1
    queries: Annotated[int, "examples of each letter to be tested on, in meta-training"] = 5
    test_queries: Annotated[int, "the same in the final test"] = 15
    channels: Annotated[int, "width of the network"] = 32
    inner_lr: Annotated[float, "learning rate within a task"] = 0.1
    inner_steps: Annotated[int, "steps within a task, in meta-training"] = 1
    test_steps: Annotated[int, "steps within a task, in the final test"] = 3
    first_order: Annotated[bool, "take the inner gradients for constants"] = False
    outer_lr: Annotated[float, "Adam's learning rate; it falls to 0 along a line"] = 3e-3
    meta_batch: Annotated[int, "tasks in a meta-step"] = 16
    iterations: Annotated[int, "meta-steps"] = 600
    scratch_steps: Annotated[int, "steps of training from scratch, at its best learning rate"] = 50
    test_tasks: Annotated[int, "tasks in the final test"] = 400
    save_every: Annotated[int, "meta-steps between checkpoints"] = 100
    seed: Annotated[int, "of the network and the tasks"] = 0
    threads: Annotated[int, "CPU threads"] = 1


Params = dict[str, torch.Tensor]
Reader = Callable[[Any, Tasks], torch.Tensor]  # from what is learned and tasks to outputs


def make_network(ways: int, channels: int, seed: int) -> tuple[nn.Sequential, Params]:
    """Return four strided convolutions with a linear head, and its parameters."""
    layers: list[nn.Module] = []
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        for width in (1, channels, channels, channels):
            layers.append(nn.Conv2d(width, channels, 3, stride=2, padding=1, bias=False))
            # Statistics of the batch, also in test: the queries of a task are read together.
            layers.append(nn.BatchNorm2d(channels, track_running_stats=False))
            layers.append(nn.ReLU())
        head = nn.Linear(channels * 2 * 2, ways)  # 28 pixels, halved four times
    for p in head.parameters():
        nn.init.zeros_(p)  # no task starts with a guess of its own
    network = nn.Sequential(*layers, nn.Flatten(), head)
    return network, {name: p.detach() for name, p in network.named_parameters()}


def reader(network: nn.Module, lr: float, steps: int, first_order: bool = False) -> Reader:
    """Return a function that adapts to each task of a batch, and then reads its queries."""
    sgd, diff = torchopt.sgd(lr), torchopt.diff.Explicit(first_order=first_order)

    def loss(params: Params, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return cross_entropy(functional_call(network, params, x), y)

    def read(params: Params, task: Tasks) -> torch.Tensor:
        support = (task.support_x, task.support_y)
        adapted = torchopt.minimize(loss, params, support, solver=sgd, steps=steps, diff=diff)
        return functional_call(network, adapted.params, task.query_x)

    return torchopt.vmap_tasks(read, (None, 0), chunk_size=25)  # bounds the memory of a test


def meta_train(
    read: Reader, meta: Any, images: torch.Tensor, config: Config, report: Report
) -> tuple[Any, list[float]]:
    """Learn what the reader starts from; return it, and the accuracy at each meta-step."""

    def meta_loss(meta: Any, tasks: Tasks) -> tuple[torch.Tensor, torch.Tensor]:
        outputs = read(meta, tasks)
        loss = cross_entropy(outputs.flatten(0, 1), tasks.query_y.flatten())
        return loss, letters.accuracy(outputs, tasks).mean()

    meta_gradient = torchopt.meta_grad_and_value(meta_loss, has_aux=True)
    lr = torchopt.schedule.linear_schedule(config.outer_lr, 0.0, config.iterations)
    outer, generator = torchopt.adam(lr), torch.Generator().manual_seed(config.seed)
    start: list[Any] = [meta, outer.init(meta), generator.get_state(), []]
    meta, state, random, curve = report.load(start)  # those of an interrupted run, if any
    generator.set_state(random)
    size = (config.meta_batch, config.ways, config.shots, config.queries)
    with report.progress("meta-training", config.iterations - len(curve)) as advance:
        while len(curve) < config.iterations:
            tasks = letters.sample(images, *size, generator)
            grads, (loss, score) = meta_gradient(meta, tasks)
            updates, state = outer.update(grads, state, params=meta)
            meta = torchopt.apply_updates(meta, updates, inplace=False)
            curve.append(score.item())
            advance(f"loss {loss:.3f}  accuracy {score:.3f}")
            if len(curve) % config.save_every == 0:
                report.save([meta, state, generator.get_state(), curve])
    return meta, curve


def run(config: Config, report: Report = Report()) -> tuple[Params, dict[str, torch.Tensor]]:
    """Meta-train, and test on scripts never seen; return parameters, and accuracies by method."""
    report.console.print("letters: drawn from a font when first used, then read from a cache")
    images = letters.load(config.omniglot)
    network, start = make_network(config.ways, config.channels, config.seed)
    read = reader(network, config.inner_lr, config.inner_steps, config.first_order)
    params, _ = meta_train(read, start, images["train"], config, report)
    report.console.print("test: letters of other scripts")
    size = (config.test_tasks, config.ways, config.shots, config.test_queries)
    tasks = letters.sample(images["test"], *size, torch.Generator().manual_seed(config.seed))
    methods = {
        "training from scratch": (reader(network, 0.4, config.scratch_steps), start),
        "MAML": (reader(network, config.inner_lr, config.test_steps), params),
    }
    with torch.no_grad():
        outputs = {name: read(params, tasks) for name, (read, params) in methods.items()}
    scores = {name: letters.accuracy(output, tasks) for name, output in outputs.items()}
    rows = [("chance", f"{100 / config.ways:.2f} %")]
    rows += [(name, interval(score, percent=True)) for name, score in scores.items()]
    report.table(f"accuracy on {config.test_tasks} tasks", ("method", "95 % interval"), rows)
    report.picture("predictions", letters.draw(tasks, outputs["MAML"]))
    if report.console.encoding.startswith("utf"):
        report.console.print(letters.draw_text(tasks, outputs["MAML"]), highlight=False)
    return params, scores


PRESETS = {
    "quick": Config(iterations=120, meta_batch=4, test_tasks=50),
    "default": Config(),
    "full": Config(iterations=2000, test_tasks=1000),
}
main = command(run, PRESETS, resumable=True)

if __name__ == "__main__":
    raise SystemExit(main())
