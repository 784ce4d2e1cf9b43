"""Calls leave no tensor behind, most of them not even until the garbage collector runs."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch

import torchopt
from torchopt import diff, multilevel, visual

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


def custom_fixed_point() -> None:
    a = torch.full((4,), 2.0, requires_grad=True)
    decorate = diff.implicit.custom_fixed_point(lambda z, a: (z + a / z) / 2, argnums=1)
    decorate(lambda z, a: a.sqrt())(torch.ones(4), a).sum().backward()


def fixed_point() -> None:
    a = torch.full((4,), 2.0, requires_grad=True)
    solution = torchopt.fixed_point(lambda z, a: (z + a / z) / 2, torch.ones(4), (a,))
    solution.params.sum().backward()


def least_squares() -> None:
    y = torch.full((4,), 0.5, requires_grad=True)
    solution = torchopt.least_squares(lambda x, y: torch.exp(-x) - y, torch.full((4,), 0.1), (y,))
    solution.params.sum().backward()


def forward_memory() -> None:
    a = torch.tensor(0.5, requires_grad=True)
    mode = diff.Explicit(memory="forward")
    solution = torchopt.minimize(
        lambda w: (w - a).cosh().sum(), X, solver=torchopt.adam(0.1), steps=3, diff=mode
    )
    solution.params.sum().backward()


def one_step() -> None:
    a = torch.tensor(0.5, requires_grad=True)
    solution = torchopt.minimize(
        lambda w, a: (w - a).cosh().sum(), X, (a,),
        solver=torchopt.sgd(0.1), steps=2, diff=diff.OneStep(),
    )  # fmt: skip
    solution.params.sum().backward()


def vmap_tasks() -> None:
    start = torch.zeros(5, requires_grad=True)

    def adapted(target: torch.Tensor) -> torch.Tensor:
        return torchopt.minimize(
            lambda w: (w - target).cosh().sum(), start, solver=torchopt.sgd(0.1), steps=2
        ).params.sum()

    torchopt.vmap_tasks(adapted)(torch.arange(3.0)).sum().backward()


def higher_order() -> None:
    x = torch.ones(5, requires_grad=True)
    with torchopt.higher_order():
        y = torch.nn.functional.layer_norm(x * X, (5,))[1]
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    g.sum().backward()


def level() -> None:
    lower = multilevel.Level(
        "weight",
        lambda w, values, _: (w - 3).square() + values["penalty"] * w.square(),
        optimizer=torchopt.adam(0.1),
        steps=2,
    )
    program = multilevel.Level(
        "penalty",
        lambda _, values, __: (values["weight"] - 2).square(),
        optimizer=torchopt.sgd(0.1),
        lowers=[lower],
    )
    state = program.init({"penalty": torch.tensor(0.1), "weight": torch.tensor(0.0)})
    for _ in range(2):
        state, _ = program.step(state)


class Inner(multilevel.Problem):
    def training_step(self, batch: Any) -> torch.Tensor:
        return ((self.module.weight - batch[0] * self.outer.module.weight) ** 2).sum()


class Outer(multilevel.Problem):
    def training_step(self, batch: Any) -> torch.Tensor:
        return (self.module.weight * self.inner.module.weight).sum()


def engine() -> None:
    def problem(cls: type[multilevel.Problem], name: str, **config: Any) -> multilevel.Problem:
        module = torch.nn.Linear(1, 1, bias=False)
        optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
        return cls(name, multilevel.Config(**config), module=module, optimizer=optimizer,
                   train_data_loader=[(torch.ones(1),)])  # fmt: skip

    inner = problem(Inner, "inner", type="unroll", unroll_steps=2)
    outer = problem(Outer, "outer")
    edges = {"u2l": {outer: [inner]}, "l2u": {inner: [outer]}}
    multilevel.Engine([outer, inner], multilevel.EngineConfig(train_iters=4), edges).run()


def explain() -> None:
    w = torch.tensor([0.3, 1.7], requires_grad=True)
    with visual.record() as recording:
        y = (w.detach() * w.round()).sum()
    str(visual.explain(y, {"w": w}, recording=recording))
    visual.GradGraph(w.sin().sum(), {"w": w})


CASES: dict[str, Callable[[], None]] = {
    f.__name__: f
    for f in (
        plan, remat, meta_grad_and_value, root, custom_root, zero_order, meta_optimizer,
        custom_fixed_point, fixed_point, least_squares, forward_memory, one_step, vmap_tasks,
        higher_order, level, engine, explain,
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


# An engine holds itself until the collector runs.
IN_CYCLES = ("engine",)


def alive() -> int:
    kinds = (torch.Tensor, torch._C._FunctionBase)
    return sum(issubclass(type(x), kinds) for x in gc.get_objects())


@pytest.mark.usefixtures("without_collector")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CASES)
def test_calls_leave_no_tensors(name: str) -> None:
    call = CASES[name]
    call()
    call()  # what is kept once
    before = alive()
    for _ in range(50 if name.startswith("minimize") else 10):
        call()
    if name in IN_CYCLES:
        gc.collect()
    assert alive() <= before + 5
