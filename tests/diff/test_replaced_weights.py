"""Weights that are replaced for a time around a solve are what its derivative is taken by."""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import _public
import torchopt
from _cases import covering
from torchopt.diff import Explicit, Implicit
from torchopt.errors import ReplayError

DTYPE = torch.float64
STEPS = 4
START = torch.tensor([1.0, -0.5], dtype=DTYPE)
MODES = {
    "graph": Explicit(),
    **_public.POLICIES,
    "hvp": Explicit("step", hvp="forward"),
    "implicit": Implicit(),
}


def objective(z: Tensor, w: Tensor) -> Tensor:
    return (z - w**2).square().sum()


def solution(of: Callable[[Tensor], Tensor], mode: Any) -> Tensor:
    solver = torchopt.solver.LBFGS() if isinstance(mode, Implicit) else torchopt.sgd(0.1)
    start = torch.zeros(2, dtype=DTYPE)
    steps = None if isinstance(mode, Implicit) else STEPS
    return torchopt.minimize(of, start, solver=solver, steps=steps, diff=mode).params.sum()


def slope(mode: Any) -> float:
    """The solution of each element is this times ``w ** 2``."""
    return 1.0 if isinstance(mode, Implicit) else 1 - 0.8**STEPS


class Reads(nn.Module):
    """Solves a problem that reads its own weight, which has the values of what replaces it."""

    def __init__(self) -> None:
        super().__init__()
        self.w = nn.Parameter(START.clone())

    def forward(self, mode: Any) -> Tensor:
        return solution(lambda z: objective(z, self.w), mode)


class Calls(nn.Module):
    """Solves a problem that calls a submodule, which nothing but a call shows."""

    class Slot:
        __slots__ = ("module",)

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(2, 1, bias=False, dtype=DTYPE)
        self.inner.weight.data.copy_(START)

    def forward(self, mode: Any) -> Tensor:
        slot = self.Slot()
        slot.module = self.inner
        eye = torch.eye(2, dtype=DTYPE)
        return solution(lambda z: objective(z, slot.module(eye)[:, 0]), mode)


def replaced_reads(call: Any) -> Callable[[Tensor, Any], Tensor]:
    module = Reads()
    return lambda w, mode: call(module, {"w": w}, (mode,))


def replaced_calls(call: Any) -> Callable[[Tensor, Any], Tensor]:
    module = Calls()
    return lambda w, mode: call(module, {"inner.weight": w[None]}, (mode,))


def replaced_buffers(call: Any) -> Callable[[Tensor, Any], Tensor]:
    module = Reads()
    del module.w
    module.register_buffer("w", START.clone())
    return lambda w, mode: call(module, {"w": w}, (mode,))


CALLS = {"ours": torchopt.nn.functional_call, "torch": torch.func.functional_call}
AROUND = {
    f"{call}-{kind.__name__}": kind(function)
    for call, function in CALLS.items()
    for kind in (replaced_reads, replaced_calls, replaced_buffers)
}


def derivatives() -> dict[str, Callable[[Callable[[Tensor], Tensor]], tuple[Tensor, ...]]]:
    def eager(f: Callable[[Tensor], Tensor]) -> tuple[Tensor, ...]:
        w = START.clone().requires_grad_()
        (first,) = torch.autograd.grad(f(w), w, create_graph=True)
        return first, torch.autograd.grad(first.sum(), w)[0]

    def functional(f: Callable[[Tensor], Tensor]) -> tuple[Tensor, ...]:
        return torch.func.grad(f)(START), torch.func.hessian(f)(START).sum(0)

    def later(f: Callable[[Tensor], Tensor]) -> tuple[Tensor, ...]:
        value, pull = torch.func.vjp(f, START)
        return pull(torch.ones_like(value))

    def batched(f: Callable[[Tensor], Tensor]) -> tuple[Tensor, ...]:
        w = START.clone().requires_grad_()
        values = torch.func.vmap(lambda s: f(s * w))(torch.ones(3, dtype=DTYPE))
        return tuple(torch.autograd.grad(values.mean(), w))

    def tasks(f: Callable[[Tensor], Tensor]) -> tuple[Tensor, ...]:
        w = START.clone().requires_grad_()
        values = torchopt.vmap_tasks(lambda s: f(s * w))(torch.ones(3, dtype=DTYPE))
        return tuple(torch.autograd.grad(values.mean(), w))

    return {f.__name__: f for f in (eager, functional, later, batched, tasks)}


@pytest.mark.parametrize(
    ("around", "derivative", "mode"), covering([*AROUND], [*derivatives()], [*MODES])
)
def test_derivatives_by_replaced_weights_are_those_of_the_formula(
    around: str, derivative: str, mode: str
) -> None:
    diff = MODES[mode]
    found = derivatives()[derivative](lambda w: AROUND[around](w, diff))
    truth = (2 * slope(diff) * START, torch.full((2,), 2 * slope(diff), dtype=DTYPE))
    for derived, true in zip(found, truth, strict=False):
        torch.testing.assert_close(derived, true, rtol=1e-9, atol=1e-12)


@contextmanager
def held(holder: dict[str, Tensor], w: Tensor) -> Iterator[None]:
    before, holder["w"] = holder["w"], w
    try:
        yield
    finally:
        holder["w"] = before


@pytest.mark.parametrize(
    ("derivative", "mode"), covering([*derivatives()], [name for name in MODES if name != "graph"])
)
def test_what_is_put_back_where_it_cannot_be_found_is_an_error(derivative: str, mode: str) -> None:
    holder, diff = {"w": START.clone()}, MODES[mode]

    def around(w: Tensor) -> Tensor:
        with held(holder, w):
            return solution(lambda z: objective(z, holder["w"]), diff)

    with pytest.raises(ReplayError):
        derivatives()[derivative](around)


class Cell(nn.Module):
    """Holds a layer that was given a method of it, which reads a weight without a call."""

    def __init__(self) -> None:
        super().__init__()
        self.w = nn.Parameter(START.clone())
        self.equilibrium = torchopt.nn.Equilibrium(self.step, batch_dims=0)

    def step(self, z: Tensor) -> Tensor:
        return z / 4 + self.w**2 / 2

    def forward(self) -> Tensor:
        return self.equilibrium(torch.zeros_like(START)).sum()


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("derivative", derivatives())
def test_a_method_that_a_layer_was_given_reads_replaced_weights(call: str, derivative: str) -> None:
    module = Cell()
    found = derivatives()[derivative](lambda w: CALLS[call](module, {"w": w}, ()))
    for derived, true in zip(found, (START * 4 / 3, torch.full_like(START, 4 / 3)), strict=False):
        torch.testing.assert_close(derived, true, rtol=1e-6, atol=1e-7)


MODEL = Reads()


@dataclass(slots=True)
class Slots:
    module: nn.Module


class Holds(nn.Module):
    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self.up = (module,)  # no submodule


def ways(mode: Any) -> dict[str, Callable[[Tensor, Tensor], Tensor]]:
    """Objectives that read the module's weight in many ways, beside the replaced one."""
    slots, holds = Slots(MODEL), Holds(MODEL)
    deep = {"a": [(MODEL,)], 3: None}

    def default(z: Tensor, w: Tensor, module: Any = MODEL) -> Tensor:
        return objective(z, module.w) + (z - w).square().sum()

    def keyword(z: Tensor, w: Tensor, *, module: Any = MODEL) -> Tensor:
        return objective(z, module.w) + (z - w).square().sum()

    return {
        "global": lambda z, w: objective(z, MODEL.w) + (z - w).square().sum(),
        "nested": lambda z, w: (
            sum(objective(z, MODEL.w) for _ in range(1)) + (z - w).square().sum()
        ),
        "slots": lambda z, w: objective(z, slots.module.w) + (z - w).square().sum(),
        "attribute": lambda z, w: objective(z, holds.up[0].w) + (z - w).square().sum(),
        "containers": lambda z, w: objective(z, deep["a"][0][0].w) + (z - w).square().sum(),
        "default": default,
        "keyword": keyword,
    }


@pytest.mark.parametrize(
    ("way", "mode"), covering([*ways(None)], ["step", "tree", "forward", "hvp", "implicit"])
)
def test_a_weight_that_is_read_twice_is_followed_to_both_places(way: str, mode: str) -> None:
    diff = MODES[mode]

    class Solves(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = MODEL

        def forward(self, inner: Callable[[Tensor, Tensor], Tensor]) -> Tensor:
            theta = self.model.w
            return solution(lambda z: inner(z, theta), diff)

    # The minimum is (w ** 2 + w) / 2, and each step leaves 0.6 of the way.
    module, inner = Solves(), ways(diff)[way]
    value = lambda w: torch.func.functional_call(module, {"model.w": w}, (inner,))  # noqa: E731
    share = 1.0 if mode == "implicit" else 1 - 0.6**STEPS
    true = share * (2 * START + 1) / 2
    torch.testing.assert_close(torch.func.grad(value)(START), true, rtol=1e-9, atol=1e-12)
    w = START.clone().requires_grad_()
    (first,) = torch.autograd.grad(value(w), w, create_graph=True)
    torch.testing.assert_close(first, true, rtol=1e-9, atol=1e-12)
    (second,) = torch.autograd.grad(first.sum(), w)
    torch.testing.assert_close(second, torch.full_like(w, share), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("keeps", [False, True], ids=["", "keeps"])
@pytest.mark.parametrize("mode", MODES)
def test_a_module_that_the_objective_makes_is_no_variable(mode: str, keeps: bool) -> None:
    kept: list[nn.Module] = []

    def made(z: Tensor, w: Tensor) -> Tensor:
        layer = nn.Linear(2, 2, bias=False, dtype=DTYPE)
        layer.weight.data.copy_(torch.eye(2))
        layer.itself = (layer,)  # as many modules do in one way or another
        if keeps:
            kept.append(layer)
        return (layer(z) - w**2).square().sum()

    def value(w: Tensor) -> Tensor:
        return solution(lambda z: made(z, w), MODES[mode])

    true = 2 * slope(MODES[mode]) * START
    torch.testing.assert_close(torch.func.grad(value)(START), true, rtol=1e-9, atol=1e-12)
    w = START.clone().requires_grad_()
    if keeps and mode not in ("graph", "implicit"):
        with pytest.raises(ReplayError, match="each call makes it anew"):
            torch.autograd.grad(value(w), w)
        return
    torch.testing.assert_close(torch.autograd.grad(value(w), w)[0], true, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("mode", MODES)
def test_steps_may_read_other_tensors_than_the_step_before(mode: str) -> None:
    if mode == "implicit":  # which knows no steps
        return

    def value(a: Tensor, b: Tensor) -> Tensor:
        return torchopt.minimize(
            lambda z, k: (z - (a if k == 0 else b)).square().sum(),
            torch.zeros(2, dtype=DTYPE),
            solver=torchopt.sgd(0.1),
            steps=3,
            batches=lambda k: k,
            diff=MODES[mode],
        ).params.sum()

    a, b = START.clone().requires_grad_(), START.clone().requires_grad_()
    of_a, of_b = torch.autograd.grad(value(a, b), (a, b))
    torch.testing.assert_close(of_a, torch.full_like(a, 0.2 * 0.64), rtol=1e-6, atol=1e-9)
    torch.testing.assert_close(of_b, torch.full_like(a, 1 - 0.64), rtol=1e-6, atol=1e-9)


class Unhashable(nn.Module):
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return self is other


class LazyList(list):  # type: ignore[type-arg]
    def __len__(self) -> int:
        raise RuntimeError("looked at")


class Lazy:
    __slots__ = ("hidden",)

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError("loaded")


@pytest.mark.parametrize("mode", ["step", "implicit"])
def test_what_an_objective_can_merely_reach_is_not_touched(mode: str) -> None:
    gone = weakref.proxy(Reads())
    cycle: dict[str, Any] = {}
    cycle["self"] = cycle
    around = [Unhashable(), nn.Sequential(Unhashable()), LazyList([1]), Lazy(), gone, cycle]

    def value(w: Tensor) -> Tensor:
        return solution(lambda z: objective(z, w) + 0 * len(around), MODES[mode])

    w = START.clone().requires_grad_()
    true = 2 * slope(MODES[mode]) * START
    torch.testing.assert_close(torch.autograd.grad(value(w), w)[0], true, rtol=1e-9, atol=1e-12)


def test_an_objective_that_replaces_weights_itself_reads_the_others_where_they_are() -> None:
    # The module's own weight is read beside the replaced one, as in a proximal term.
    class Slot:
        __slots__ = ("module",)

    slot = Slot()
    slot.module = nn.Linear(1, 1, bias=False, dtype=DTYPE)
    slot.module.weight.data.fill_(0.7)
    prior = slot.module.weight

    def loss(w: Tensor) -> Tensor:
        out = torch.func.functional_call(
            slot.module, {"weight": w}, (torch.ones(1, 1, dtype=DTYPE),)
        )
        return (out - 2).square().sum() + (w - slot.module.weight).square().sum()

    for name, diff in MODES.items():
        start, solver = torch.zeros(1, 1, dtype=DTYPE), torchopt.sgd(0.25)
        w = torchopt.minimize(loss, start, solver=solver, steps=2, diff=diff).params
        true = 0.5
        assert math.isclose(torch.autograd.grad(w.sum(), prior)[0].item(), true, rel_tol=1e-9), name
