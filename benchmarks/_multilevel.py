"""One outer step of a bilevel program, by the engine and by hand: class weights of a large network.

The inner problem trains a network of about a million parameters with Adam on a weighted loss; the outer
one moves the ten class weights. A contender is built warm, so that optimizer states are there already.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, softplus

import torchopt
from torchopt import linear_solve
from torchopt.multilevel import Config, Engine, EngineConfig, Problem

Step = Callable[[], tuple[Tensor, ...]]
CLASSES, FEATURES, LR = 10, 256, 1e-3
NEUMANN, CG = 3, 3


class _Weights(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.raw = nn.Parameter(torch.linspace(-0.5, 0.5, CLASSES))

    def forward(self, y: Tensor) -> Tensor:
        return softplus(self.raw)[y]


class _Setting:
    """The same network, data and weights for every contender."""

    def __init__(self, case: dict[str, Any]) -> None:
        dtype, width, batch = getattr(torch, case["dtype"]), case["width"], case["batch"]
        generator = torch.Generator().manual_seed(0)
        torch.manual_seed(0)
        layers = [nn.Linear(FEATURES, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh()]
        self.net = nn.Sequential(*layers, nn.Linear(width, CLASSES)).to(dtype)
        self.weights = _Weights().to(dtype)
        self.data = [
            (
                torch.randn(batch, FEATURES, generator=generator, dtype=dtype),
                torch.randint(CLASSES, (batch,), generator=generator),
            )
            for _ in range(2)
        ]
        self.steps = case["steps"]
        self.inner = torch.optim.Adam(self.net.parameters(), lr=LR)
        self.outer = torch.optim.SGD(self.weights.parameters(), lr=0.1)

    def inner_loss(self, net: Any = None) -> Tensor:
        x, y = self.data[0]
        return (self.weights(y) * cross_entropy((net or self.net)(x), y, reduction="none")).mean()

    def outer_loss(self, net: Any = None) -> Tensor:
        x, y = self.data[1]
        return cross_entropy((net or self.net)(x), y)

    def train(self) -> None:
        params = list(self.net.parameters())
        for _ in range(self.steps):
            for p, g in zip(params, torch.autograd.grad(self.inner_loss(), params), strict=True):
                p.grad = g
            self.inner.step()
            self.inner.zero_grad()

    def ascend(self, gradient: Tensor) -> tuple[Tensor, ...]:
        self.weights.raw.grad = gradient
        self.outer.step()
        self.outer.zero_grad()
        return (gradient,)


# By the engine


class _Inner(Problem):
    def training_step(self, batch: Any) -> Tensor:
        x, y = batch
        return (self.outer(y) * cross_entropy(self.module(x), y, reduction="none")).mean()


class _Outer(Problem):
    gradient: Tensor

    def training_step(self, batch: Any) -> Tensor:
        x, y = batch
        return cross_entropy(self.inner(x), y)

    def grad_callback(self) -> None:
        self.gradient = self.module.raw.grad.clone()


def _engine(case: dict[str, Any], **config: Any) -> Step:
    given = _Setting(case)
    settings = Config(unroll_steps=given.steps, **config)
    inner = _Inner("inner", settings, given.net, given.inner, train_data_loader=[given.data[0]])
    outer = _Outer("outer", None, given.weights, given.outer, train_data_loader=[given.data[1]])
    edges = {"u2l": {outer: [inner]}, "l2u": {inner: [outer]}}
    engine = Engine([outer, inner], EngineConfig(train_iters=0), edges)

    def run() -> tuple[Tensor, ...]:
        for _ in range(given.steps):
            engine.train_step()
        return (outer.gradient,)

    run()
    return run


_SERIES = linear_solve.Neumann(step_size=0.1, maxiter=NEUMANN + 1, rtol=0.0, on_failure="ignore")
_GRADIENTS = linear_solve.CG(maxiter=CG, on_failure="ignore")

darts = functools.partial(_engine)
sama = functools.partial(_engine, diff=torchopt.diff.OneStep())
neumann = functools.partial(_engine, diff=torchopt.diff.Implicit(_SERIES))
cg = functools.partial(_engine, diff=torchopt.diff.Implicit(_GRADIENTS))
unroll = functools.partial(_engine, diff=torchopt.diff.Explicit())
unroll_step = functools.partial(_engine, diff=torchopt.diff.Explicit(memory="step"))


# By hand


def plain(case: dict[str, Any]) -> Step:
    """Train the network, and evaluate the outer gradient in it, without any hypergradient."""
    given = _Setting(case)
    params = list(given.net.parameters())

    def run() -> tuple[Tensor, ...]:
        given.train()
        torch.autograd.grad(given.outer_loss(), params)
        return ()

    run()
    return run


def by_hand(case: dict[str, Any], response: Callable[[_Setting, list[Tensor]], Tensor]) -> Step:
    given = _Setting(case)
    params = list(given.net.parameters())

    def run() -> tuple[Tensor, ...]:
        given.train()
        v = list(torch.autograd.grad(given.outer_loss(), params))
        return given.ascend(response(given, v))

    run()
    return run


def _mixed(
    given: _Setting, solve: Callable[[Callable[[list[Tensor]], Sequence[Tensor]]], list[Tensor]]
) -> Tensor:
    params = list(given.net.parameters())
    grads = torch.autograd.grad(given.inner_loss(), params, create_graph=True)

    def product(x: list[Tensor]) -> Sequence[Tensor]:
        return torch.autograd.grad(grads, params, x, retain_graph=True)

    u = solve(product)
    return -torch.autograd.grad(grads, [given.weights.raw], u)[0]


def _step(given: _Setting, v: list[Tensor]) -> Tensor:
    """One step of gradient descent, as DARTS takes it, but by autograd."""
    return _mixed(given, lambda _: [LR * t for t in v])


def _series(given: _Setting, v: list[Tensor]) -> Tensor:
    def solve(product: Callable[[list[Tensor]], Sequence[Tensor]]) -> list[Tensor]:
        term, total = v, list(v)
        for _ in range(NEUMANN):
            term = [t - 0.1 * h for t, h in zip(term, product(term), strict=True)]
            total = [a + b for a, b in zip(total, term, strict=True)]
        return [0.1 * t for t in total]

    return _mixed(given, solve)


def _conjugate(given: _Setting, v: list[Tensor]) -> Tensor:
    def dot(a: Sequence[Tensor], b: Sequence[Tensor]) -> Tensor:
        return torch.stack([(s * t).sum() for s, t in zip(a, b, strict=True)]).sum()

    def solve(product: Callable[[list[Tensor]], Sequence[Tensor]]) -> list[Tensor]:
        x = [torch.zeros_like(t) for t in v]
        r, p = list(v), list(v)
        gamma = dot(r, r)
        for _ in range(CG):
            q = product(p)
            curvature = dot(p, q)
            if curvature <= 0:
                break
            alpha = gamma / curvature
            x = [a + alpha * b for a, b in zip(x, p, strict=True)]
            r = [a - alpha * b for a, b in zip(r, q, strict=True)]
            gamma, last = dot(r, r), gamma
            p = [a + gamma / last * b for a, b in zip(r, p, strict=True)]
        return x

    return _mixed(given, solve)


darts_by_hand = functools.partial(by_hand, response=_step)
neumann_by_hand = functools.partial(by_hand, response=_series)
cg_by_hand = functools.partial(by_hand, response=_conjugate)


def unroll_by_hand(case: dict[str, Any]) -> Step:
    """Unroll Adam by functional calls, as a user would write it with this library."""
    given = _Setting(case)
    params: dict[str, Tensor] = dict(given.net.named_parameters())
    solver = torchopt.adam(LR)
    state = [solver.init(params)]

    def run() -> tuple[Tensor, ...]:
        now, carried = params, state[0]
        for _ in range(given.steps):
            call = functools.partial(torch.func.functional_call, given.net, now)
            grads = torch.autograd.grad(
                given.inner_loss(call), list(now.values()), create_graph=True
            )
            updates, carried = solver.update(
                dict(zip(now, grads, strict=True)), carried, params=now, inplace=False
            )
            now = torchopt.apply_updates(now, updates, inplace=False)
        loss = given.outer_loss(functools.partial(torch.func.functional_call, given.net, now))
        (gradient,) = torch.autograd.grad(loss, [given.weights.raw])
        with torch.no_grad():
            for name, p in params.items():
                p.copy_(now[name])
        state[0] = torchopt.pytree.tree_map(lambda t: t.detach(), carried)
        return given.ascend(gradient)

    run()
    return run
