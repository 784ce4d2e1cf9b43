"""MAML with `torchopt.minimize`, which the published TorchOpt does not have."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

import torchopt
from benchmarks._maml import problem

Step = Callable[[], tuple[Tensor, ...]]
Params = tuple[Tensor, ...]


def loop(case: dict[str, Any]) -> Step:
    """One task after the other."""
    params, query_loss, tasks = _parts(case)

    def step() -> tuple[Tensor, ...]:
        losses = [query_loss(params, *task) for task in zip(*tasks, strict=True)]
        return torch.autograd.grad(torch.stack(losses).mean(), params)

    return step


def vmapped(case: dict[str, Any]) -> Step:
    """All tasks at once."""
    params, query_loss, tasks = _parts(case)
    batched = _batched(query_loss)
    return lambda: torch.autograd.grad(batched(params, *tasks).mean(), params)


def compiled(case: dict[str, Any]) -> Step:
    """All tasks at once, compiled in its first call."""
    # What falls back to eager execution must not be timed as compiled.
    warnings.simplefilter("error", torchopt.errors.NotCompiledWarning)
    torch.compiler.reset()  # the compiler gives up on code that it has met in eight other cases
    params, query_loss, tasks = _parts(case)
    batched = _batched(query_loss)

    def outer(params: Params, *tasks: Tensor) -> Tensor:
        return batched(params, *tasks).mean()

    meta = torchopt.meta_grad_and_value(outer, compile=True)
    at = tuple(p.detach() for p in params)
    return lambda: meta(at, *tasks)[0]


def compiler(case: dict[str, Any]) -> Step:
    """Compile something small: what loads with the compiler is not charged to the first call."""
    x = torch.ones(2, dtype=getattr(torch, case["dtype"]), device=case["device"])
    meta = torchopt.meta_grad_and_value(lambda x: x.sin().sum(), compile=True)
    return lambda: (meta(x)[0],)


def _batched(query_loss: Callable[..., Tensor]) -> Callable[..., Tensor]:
    return torchopt.vmap_tasks(query_loss, (None, 0, 0, 0, 0))


def _parts(case: dict[str, Any]) -> tuple[Params, Callable[..., Tensor], Any]:
    given = problem(case)
    fmodel = functools.partial(torchopt.nn.functional_call, given.module)
    params = tuple(given.module.parameters())
    solver = getattr(torchopt.optimizers, given.optimizer)(given.lr, **given.options)

    def loss(at: Params, x: Tensor, y: Tensor) -> Tensor:
        return given.loss(fmodel(at, x), y)

    def query_loss(at: Params, *task: Tensor) -> Tensor:
        x, y, query_x, query_y = task
        solution = torchopt.minimize(loss, at, args=(x, y), solver=solver, steps=given.steps)
        return loss(solution.params, query_x, query_y)

    return params, query_loss, given.stacked
