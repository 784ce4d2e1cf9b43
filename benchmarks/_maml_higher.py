"""MAML with `higher` (Grefenstette et al., 2019), as its documentation writes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import higher  # type: ignore[import-not-found]  # in the environment of the peers
import torch
from torch import Tensor

from benchmarks._maml import problem


def loop(case: dict[str, Any]) -> Callable[[], tuple[Tensor, ...]]:
    """One task after the other, each in an `innerloop_ctx`."""
    given = problem(case)
    module = given.module
    params = tuple(module.parameters())
    base = {"sgd": torch.optim.SGD, "adam": torch.optim.Adam}[given.optimizer]
    optimizer = base(params, lr=given.lr, **given.options)

    def step() -> tuple[Tensor, ...]:
        losses = []
        for task in given.tasks:
            with higher.innerloop_ctx(module, optimizer, copy_initial_weights=False) as (
                net,
                inner,
            ):
                for _ in range(given.steps):
                    inner.step(given.loss(net(task.x), task.y))
                losses.append(given.loss(net(task.query_x), task.query_y))
        return torch.autograd.grad(torch.stack(losses).mean(), params)

    return step
