"""MAML written for what the published TorchOpt and ours share: the same program runs on either."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

import torchopt
from benchmarks._maml import Problem, Task, problem

Step = Callable[[], tuple[Tensor, ...]]


def oop(case: dict[str, Any]) -> Step:
    """`MetaSGD` or `MetaAdam`, the states extracted once and recovered after each task."""
    given = problem(case)
    module = given.module
    params = tuple(module.parameters())
    meta = {"sgd": torchopt.MetaSGD, "adam": torchopt.MetaAdam}[given.optimizer]
    inner = meta(module, lr=given.lr)

    def step() -> tuple[Tensor, ...]:
        start = torchopt.extract_state_dict(module, by="reference", detach_buffers=True)
        fresh = torchopt.extract_state_dict(inner, by="reference")
        losses = []
        for task in given.tasks:
            for _ in range(given.steps):
                inner.step(given.loss(module(task.x), task.y))
            losses.append(given.loss(module(task.query_x), task.query_y))
            torchopt.recover_state_dict(module, start)
            torchopt.recover_state_dict(inner, fresh)
        return torch.autograd.grad(torch.stack(losses).mean(), params)

    return step


def functional(case: dict[str, Any]) -> Step:
    """`init`, `update` and `apply_updates`, one task after the other."""
    given = problem(case)
    params: dict[str, Tensor] = dict(given.module.named_parameters())

    def gradient(loss: Callable[..., Tensor], at: dict[str, Tensor], task: Task) -> Any:
        grads = torch.autograd.grad(loss(at, task.x, task.y), list(at.values()), create_graph=True)
        return dict(zip(at, grads, strict=True))

    def step() -> tuple[Tensor, ...]:
        losses = [_query_loss(given, gradient, params, task) for task in given.tasks]
        return torch.autograd.grad(torch.stack(losses).mean(), list(params.values()))

    return step


def vmapped(case: dict[str, Any]) -> Step:
    """`init`, `update` and `apply_updates` inside `torch.func.vmap` over tasks."""
    given = problem(case)
    params: dict[str, Tensor] = dict(given.module.named_parameters())
    tasks = given.stacked

    def gradient(loss: Callable[..., Tensor], at: dict[str, Tensor], task: Task) -> Any:
        return torch.func.grad(loss)(at, task.x, task.y)

    def query_loss(at: dict[str, Tensor], *task: Tensor) -> Tensor:
        return _query_loss(given, gradient, at, Task(*task))

    def step() -> tuple[Tensor, ...]:
        # The published `adam.update` writes into its moments: they need the tasks' axis at once.
        own = {name: x.expand(len(given.tasks), *x.shape) for name, x in params.items()}
        loss = torch.func.vmap(query_loss)(own, *tasks).mean()
        return torch.autograd.grad(loss, list(params.values()))

    return step


def _query_loss(
    given: Problem, gradient: Callable[..., Any], params: dict[str, Tensor], task: Task
) -> Tensor:
    def loss(at: dict[str, Tensor], x: Tensor, y: Tensor) -> Tensor:
        return given.loss(torch.func.functional_call(given.module, at, (x,)), y)

    solver = getattr(torchopt, given.optimizer)(given.lr)
    state = solver.init(params)
    for _ in range(given.steps):
        grads = gradient(loss, params, task)
        updates, state = solver.update(grads, state, params=params, inplace=False)
        params = torchopt.apply_updates(params, updates, inplace=False)
    return loss(params, task.query_x, task.query_y)
