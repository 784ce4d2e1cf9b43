"""MAML with `torchopt.minimize`, which the published TorchOpt does not have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

import torchopt
from benchmarks._maml import problem

Step = Callable[[], tuple[Tensor, ...]]


def loop(case: dict[str, Any]) -> Step:
    """One task after the other."""
    params, query_loss, tasks = _parts(case)

    def step() -> tuple[Tensor, ...]:
        losses = [query_loss(*task) for task in zip(*tasks, strict=True)]
        return torch.autograd.grad(torch.stack(losses).mean(), params)

    return step


def vmapped(case: dict[str, Any]) -> Step:
    """All tasks at once."""
    params, query_loss, tasks = _parts(case)

    def step() -> tuple[Tensor, ...]:
        return torch.autograd.grad(torch.func.vmap(query_loss)(*tasks).mean(), params)

    return step


def _parts(case: dict[str, Any]) -> tuple[tuple[Tensor, ...], Callable[..., Tensor], Any]:
    given = problem(case)
    fmodel, params = torchopt.nn.make_functional(given.module)
    solver = getattr(torchopt, given.optimizer)(given.lr)

    def loss(at: tuple[Tensor, ...], x: Tensor, y: Tensor) -> Tensor:
        return cross_entropy(fmodel(at, x), y)

    def query_loss(x: Tensor, y: Tensor, query_x: Tensor, query_y: Tensor) -> Tensor:
        solution = torchopt.minimize(loss, params, args=(x, y), solver=solver, steps=given.steps)
        return loss(solution.params, query_x, query_y)

    return params, query_loss, given.stacked
