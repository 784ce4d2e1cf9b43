"""MAML by hand, with nothing but torch: the truth that the contenders are checked against.

It is also a baseline in time: no trees, no checks, no states.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from benchmarks._maml import problem

BETA1, BETA2, EPS = 0.9, 0.999, 1e-8
Step = Callable[[], tuple[Tensor, ...]]


def loop(case: dict[str, Any]) -> Step:
    """Adam as `torch.optim` has it: ``sqrt(nu / (1 - beta2 ** t)) + eps``."""
    return _loop(case, early_eps=False)


def early_eps(case: dict[str, Any]) -> Step:
    """Adam as `higher` has it: ``(sqrt(nu) + eps) / sqrt(1 - beta2 ** t)``."""
    return _loop(case, early_eps=True)


def _loop(case: dict[str, Any], *, early_eps: bool) -> Step:
    given = problem(case)
    names = [name for name, _ in given.module.named_parameters()]
    meta = tuple(given.module.parameters())

    def loss(params: list[Tensor], x: Tensor, y: Tensor) -> Tensor:
        named = dict(zip(names, params, strict=True))
        return cross_entropy(torch.func.functional_call(given.module, named, (x,)), y)

    def adapt(x: Tensor, y: Tensor) -> list[Tensor]:
        params: list[Tensor] = list(meta)
        mu = [torch.zeros_like(p) for p in params]
        nu = [torch.zeros_like(p) for p in params]
        for t in range(1, given.steps + 1):
            grads = torch.autograd.grad(loss(params, x, y), params, create_graph=True)
            if given.optimizer == "sgd":
                params = [p - given.lr * g for p, g in zip(params, grads, strict=True)]
                continue
            mu = [BETA1 * m + (1 - BETA1) * g for m, g in zip(mu, grads, strict=True)]
            nu = [BETA2 * v + (1 - BETA2) * g * g for v, g in zip(nu, grads, strict=True)]
            root = (1 - BETA2**t) ** 0.5
            eps = EPS / root if early_eps else EPS
            size = given.lr / (1 - BETA1**t)
            params = [
                p - size * m / (v.sqrt() / root + eps)
                for p, m, v in zip(params, mu, nu, strict=True)
            ]
        return params

    def step() -> tuple[Tensor, ...]:
        losses = [loss(adapt(t.x, t.y), t.query_x, t.query_y) for t in given.tasks]
        return torch.autograd.grad(torch.stack(losses).mean(), meta)

    return step
