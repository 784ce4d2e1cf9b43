"""One long unroll with each memory policy of `torchopt.diff.Explicit`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

import torchopt
from benchmarks._maml import problem

Step = Callable[[], tuple[Tensor, ...]]


def graph(case: dict[str, Any]) -> Step:
    """Keep the whole graph."""
    return _step(case, torchopt.diff.Explicit(memory="graph"))


def step(case: dict[str, Any]) -> Step:
    """Rematerialize each inner step in the backward pass."""
    return _step(case, torchopt.diff.Explicit(memory="step"))


def _step(case: dict[str, Any], mode: torchopt.diff.Explicit) -> Step:
    given = problem(case)
    [task] = given.tasks
    fmodel, params = torchopt.nn.make_functional(given.module)
    solver = getattr(torchopt, given.optimizer)(given.lr)

    def loss(at: tuple[Tensor, ...], x: Tensor, y: Tensor) -> Tensor:
        return cross_entropy(fmodel(at, x), y)

    def run() -> tuple[Tensor, ...]:
        solution = torchopt.minimize(
            loss, params, args=(task.x, task.y), solver=solver, steps=given.steps, diff=mode
        )
        return torch.autograd.grad(loss(solution.params, task.query_x, task.query_y), params)

    return run
