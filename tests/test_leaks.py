"""Calls leave no tensor behind, not even until the garbage collector runs."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch

import torchopt
from torchopt import diff

X = torch.linspace(-1, 1, 5)


@pytest.fixture
def without_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def objective(w: torch.Tensor) -> torch.Tensor:
    return ((X * w).tanh().exp()).mean() + (w**2).sum()


def solve(mode: Any) -> None:
    start = torch.zeros(5, requires_grad=True)
    options = {"solver": torchopt.adam(0.1), "steps": 3, "diff": mode}
    solution = torchopt.minimize(objective, start, **options)  # type: ignore[arg-type]
    torch.autograd.grad(solution.params.sum(), start)


def plan() -> None:
    torchopt.plan(objective, torch.zeros(5), solver=torchopt.adam(0.1), steps=10)


def remat() -> None:
    w = torch.ones(5, requires_grad=True)
    y = torchopt.remat(lambda a: (a * X).tanh().exp())(w)
    (g,) = torch.autograd.grad(y.sum(), w, create_graph=True)
    torch.autograd.grad(g.sum(), w)


def meta_grad_and_value() -> None:
    torchopt.meta_grad_and_value(
        lambda p: torchopt.minimize(objective, p, solver=torchopt.sgd(0.1), steps=2).params.sum()
    )(torch.zeros(5))


def root() -> None:
    a = torch.full((4,), 2.0, requires_grad=True)
    solver = torchopt.solver.Newton()
    torchopt.root(lambda z, a: z**3 - a, torch.ones(4), (a,), solver=solver).params.sum().backward()


def custom_root() -> None:
    a = torch.full((4,), 2.0, requires_grad=True)
    solve = diff.implicit.custom_root(lambda z, a: z**3 - a, argnums=1)(lambda z, a: a ** (1 / 3))
    solve(torch.ones(4), a).sum().backward()


def zero_order() -> None:
    mode = diff.ZeroOrder(diff.zero_order.Antithetic(num_samples=2), generator=0)
    mode(objective)(torch.ones(5, requires_grad=True)).backward()


def meta_optimizer() -> None:
    net = torch.nn.Linear(3, 2)
    optimizer = torchopt.MetaAdam(net, lr=0.1)
    for _ in range(2):
        optimizer.step(net(torch.ones(1, 3)).tanh().sum())
    net(torch.ones(1, 3)).sum().backward()


CASES: dict[str, Callable[[], None]] = {
    f.__name__: f
    for f in (
        plan, remat, meta_grad_and_value, root, custom_root, zero_order, meta_optimizer,
    )
} | {
    f"minimize-{name}": (lambda mode=mode: solve(mode))  # type: ignore[misc]
    for name, mode in {
        **{f"{m}": diff.Explicit(memory=m) for m in ("graph", "step", "sqrt", "tree", 2)},
        "forward products": diff.Explicit(memory="step", hvp="forward"),
        "offloaded": diff.Explicit(memory="step", offload="cpu"),
        "offloaded graph": diff.Explicit(offload="cpu"),
        "implicit": diff.Implicit(),
        "first order": diff.Explicit(first_order=True),
    }.items()
}  # fmt: skip


def alive() -> int:
    return sum(issubclass(type(x), torch.Tensor) for x in gc.get_objects())


@pytest.mark.usefixtures("without_collector")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CASES)
def test_fifty_calls_leave_no_tensors(name: str) -> None:
    call = CASES[name]
    call()
    call()  # what is kept once
    before = alive()
    for _ in range(50):
        call()
    assert alive() <= before + 5
