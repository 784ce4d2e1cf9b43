"""The meta-step of the benchmark of distributed runtimes, and what a process is measured by."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.nn import functional

from benchmarks import _lane

Tensors = tuple[torch.Tensor, ...]


@dataclass(frozen=True)
class Size:
    """How large a meta-step is: 5-way tasks of images, a network of three convolutions."""

    tasks: int = 16
    shots: int = 5
    queries: int = 15
    width: int = 32
    image: int = 28
    steps: int = 5
    lr: float = 0.4


WAYS, LAYERS, GROUPS = 5, 3, 4


def start(size: Size) -> Tensors:
    """Return the network's parameters, which a meta-step differentiates by."""
    generator = torch.Generator().manual_seed(0)

    def normal(*shape: int) -> torch.Tensor:
        fan = torch.Size(shape[1:]).numel()
        return torch.randn(shape, generator=generator) * (2 / fan) ** 0.5

    params: list[torch.Tensor] = []
    for k in range(LAYERS):
        params += [normal(size.width, size.width if k else 1, 3, 3), torch.zeros(size.width)]
        params += [torch.ones(size.width), torch.zeros(size.width)]
    features = size.width * (size.image // 2**LAYERS) ** 2
    params += [normal(WAYS, features), torch.zeros(WAYS)]
    return tuple(p.requires_grad_() for p in params)


def tasks(size: Size) -> list[Tensors]:
    """Return for each task inputs to learn from and their labels, and the same to be judged on."""
    generator = torch.Generator().manual_seed(1)

    def examples(each: int) -> Tensors:
        x = torch.randn(WAYS * each, 1, size.image, size.image, generator=generator)
        return x, torch.arange(WAYS).repeat_interleave(each)

    return [(*examples(size.shots), *examples(size.queries)) for _ in range(size.tasks)]


def network(params: Sequence[torch.Tensor], x: torch.Tensor) -> torch.Tensor:
    """Return the logits, by functions only: a module's parameters cannot be swapped by two threads."""
    for k in range(LAYERS):
        weight, bias, scale, shift = params[4 * k : 4 * k + 4]
        x = functional.conv2d(x, weight, bias, padding=1)
        x = functional.max_pool2d(functional.group_norm(x, GROUPS, scale, shift).relu(), 2)
    return functional.linear(x.flatten(1), params[-2], params[-1])


def task_loss(params: Tensors, task: Tensors, steps: int, lr: float) -> torch.Tensor:
    """Return the loss on a task after some steps of gradient descent on it."""
    x, y, query_x, query_y = task
    adapted = params
    for _ in range(steps):
        loss = functional.cross_entropy(network(adapted, x), y)
        grads = torch.autograd.grad(loss, adapted, create_graph=torch.is_grad_enabled())
        adapted = tuple(p - lr * g for p, g in zip(adapted, grads, strict=True))
    return functional.cross_entropy(network(adapted, query_x), query_y)


def serial(size: Size) -> Any:
    """Return the meta-step in one process, which frees the graph of a task before the next."""
    params, given = start(size), tasks(size)

    def step() -> Tensors:
        total = [torch.zeros_like(p) for p in params]
        for task in given:
            loss = task_loss(params, task, size.steps, size.lr) / size.tasks
            for t, g in zip(total, torch.autograd.grad(loss, params), strict=True):
                t += g
        return tuple(total)

    return step


def cpu(pid: int) -> float:
    """Return the CPU time of a process, all of its threads together, in seconds (Linux)."""
    return time.clock_gettime(~pid << 3 | 2)  # the clock of `clock_getcpuclockid(3)`


def lower_peak(*_: Any) -> None:
    """Let the peak of this process's memory begin here."""
    _lane._lower_peak()


def peak(*_: Any) -> float:
    """Return the peak of this process's resident memory, in MiB."""
    return _lane._peak_resident() / 2**20
