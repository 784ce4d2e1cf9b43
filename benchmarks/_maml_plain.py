"""MAML by hand, with nothing but torch: the truth that the contenders are checked against.

It is also a baseline in time: no trees, no checks, no states.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from benchmarks._maml import Problem, Task, problem

BETA1, BETA2 = 0.9, 0.999
Step = Callable[[], tuple[Tensor, ...]]


def loop(case: dict[str, Any]) -> Step:
    """Adam as `torch.optim` has it: ``sqrt(nu / (1 - beta2 ** t)) + eps``."""
    return _loop(case, early_eps=False)


def early_eps(case: dict[str, Any]) -> Step:
    """Adam as `higher` has it: ``(sqrt(nu) + eps) / sqrt(1 - beta2 ** t)``."""
    return _loop(case, early_eps=True)


def vmapped(case: dict[str, Any]) -> Step:
    """All tasks at once, written with `torch.func.grad` and `torch.func.vmap`."""
    given = problem(case)
    meta = {name: p.detach() for name, p in given.module.named_parameters()}
    tasks = given.stacked

    def loss(params: dict[str, Tensor], x: Tensor, y: Tensor) -> Tensor:
        return given.loss(torch.func.functional_call(given.module, params, (x,)), y)

    def query_loss(params: dict[str, Tensor], *task: Tensor) -> Tensor:
        x, y, query_x, query_y = task
        return loss(_adapt(given, torch.func.grad(loss), params, x, y), query_x, query_y)

    def outer(params: dict[str, Tensor]) -> Tensor:
        return torch.func.vmap(query_loss, (None, 0, 0, 0, 0))(params, *tasks).mean()

    return lambda: tuple(torch.func.grad(outer)(meta).values())


def _loop(case: dict[str, Any], *, early_eps: bool) -> Step:
    given = problem(case)
    meta: dict[str, Tensor] = dict(given.module.named_parameters())

    def loss(params: dict[str, Tensor], x: Tensor, y: Tensor) -> Tensor:
        return given.loss(torch.func.functional_call(given.module, params, (x,)), y)

    def gradient(params: dict[str, Tensor], x: Tensor, y: Tensor) -> dict[str, Tensor]:
        grads = torch.autograd.grad(loss(params, x, y), list(params.values()), create_graph=True)
        return dict(zip(params, grads, strict=True))

    def query_loss(task: Task) -> Tensor:
        params = _adapt(given, gradient, meta, task.x, task.y, early_eps=early_eps)
        return loss(params, task.query_x, task.query_y)

    def step() -> tuple[Tensor, ...]:
        losses = [query_loss(task) for task in given.tasks]
        return torch.autograd.grad(torch.stack(losses).mean(), list(meta.values()))

    return step


def _adapt(
    given: Problem,
    gradient: Callable[..., dict[str, Tensor]],
    params: dict[str, Tensor],
    x: Tensor,
    y: Tensor,
    *,
    early_eps: bool = False,
) -> dict[str, Tensor]:
    mu = {k: torch.zeros_like(p) for k, p in params.items()}
    nu = dict(mu)
    for t in range(1, given.steps + 1):
        grads = gradient(params, x, y)
        if given.optimizer == "sgd":
            params = {k: p - given.lr * grads[k] for k, p in params.items()}
            continue
        mu = {k: BETA1 * mu[k] + (1 - BETA1) * g for k, g in grads.items()}
        nu = {k: BETA2 * nu[k] + (1 - BETA2) * g * g for k, g in grads.items()}
        root = (1 - BETA2**t) ** 0.5
        eps = given.eps / root if early_eps else given.eps
        size = given.lr / (1 - BETA1**t)
        params = {k: p - size * mu[k] / (nu[k].sqrt() / root + eps) for k, p in params.items()}
    return params
