"""What a compiled meta-step reads may change between calls: its numbers are never those of before.

Each change is made after the function has been compiled; eager code tells what the numbers are then.
Tests stop after tracing, as those of compiled steps: it is the calls that are tested here.
"""

from __future__ import annotations

import itertools
import types
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from _traced import TRACED
from torchopt import meta_grad_and_value, pytree
from torchopt.autodiff import compiler

F64 = torch.float64
pytestmark = pytest.mark.compiled


@pytest.fixture(autouse=True)
def traced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "current", TRACED)


class Scaled(nn.Module):
    """A module with all that modules have: attributes, buffers, and modes."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(3, dtype=F64)
        self.register_buffer("shift", torch.arange(3, dtype=F64))
        self.factor = 2.0
        self.activation = torch.tanh

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.factor * self.activation(self.norm(x) + self.shift)


GLOBAL = 1.5


def helper(x: torch.Tensor) -> torch.Tensor:
    return x.sin()


class World:
    """What an objective reads."""

    def __init__(self) -> None:
        self.net = Scaled()
        self.options = {"power": 2, "rates": [0.1, 0.2]}
        self.module = types.ModuleType("settings")
        self.module.scale = 3.0  # type: ignore[attr-defined]
        self.data = torch.linspace(-1, 1, 12, dtype=F64).view(4, 3)
        self.lr = 0.1

    def loss(self, name: str) -> Callable[..., torch.Tensor]:
        """Return one that reads what is changed under a name."""
        net, options, module = self.net, self.options, self.module

        def of_network(x: torch.Tensor) -> torch.Tensor:
            return net(self.data * x).square().sum()

        def of_values(x: torch.Tensor) -> torch.Tensor:
            weight = helper(x) * GLOBAL * module.scale
            value = ((self.data * weight) ** options["power"]).sum()
            step = 4 * x**3 * self.lr * options["rates"][0]
            return value + step.square().sum() + (x @ x.new_ones(3)) * torch.ones(()).itemsize

        return of_network if name in OF_NETWORK else of_values


def set_global(_: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "GLOBAL", 0.5)


def set_helper(_: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "helper", torch.cos)


def change(**places: Any) -> Callable[[World, Any], None]:
    def apply(world: World, _: Any) -> None:
        for path, value in places.items():
            *owners, name = path.split("__")
            owner: Any = world
            for each in owners:
                owner = getattr(owner, each)
            setattr(owner, name, value)

    return apply


def set_default_dtype(_: World, monkeypatch: pytest.MonkeyPatch) -> None:
    torch.set_default_dtype(F64)


CHANGES: dict[str, Callable[[World, Any], Any]] = {
    "a global": set_global,
    "a global function": set_helper,
    "an attribute of a Python module": change(module__scale=0.3),
    "an attribute of a network": change(net__factor=0.7),
    "an activation": change(net__activation=torch.sigmoid),
    "a buffer": change(net__shift=torch.tensor([3.0, 0.5, -1.0], dtype=F64)),
    "a buffer in place": lambda world, _: world.net.shift.add_(1),
    "the mode of a network": lambda world, _: world.net.eval(),
    "the mode of a part": lambda world, _: world.net.norm.eval(),
    "a parameter that is frozen": lambda world, _: world.net.norm.weight.requires_grad_(False),
    "an entry of a dict": lambda world, _: world.options.update(power=4),
    "an entry of a list": lambda world, _: world.options["rates"].insert(0, 0.9),
    "a number": change(lr=0.9),
    "closed-over data": change(data=torch.linspace(0, 3, 12, dtype=F64).view(4, 3)),
    "the shape of data": change(data=torch.linspace(0, 3, 15, dtype=F64).view(5, 3)),
    "strides": change(data=torch.linspace(0, 3, 12, dtype=F64).view(3, 4).T),
    "data that require grad": lambda world, _: world.data.requires_grad_(),
    "a method": lambda world, _: setattr(world.net, "forward", lambda x: x.exp()),
    "the default dtype": set_default_dtype,
}


#: Of the network; the others are of what Python reads by itself.
OF_NETWORK = {
    *("an attribute of a network", "an activation", "a buffer", "a buffer in place", "a method"),
    *("the mode of a network", "the mode of a part", "a parameter that is frozen"),
}


def assert_same(found: Any, expected: Any) -> None:
    a, spec = pytree.tree_flatten(found)
    b, expected_spec = pytree.tree_flatten(expected)
    assert spec == expected_spec
    torch.testing.assert_close(a, b, rtol=1e-9, atol=1e-12)


#: One of each kind; the others are noticed in the same ways.
FAST = {
    *("a global", "an attribute of a network", "a buffer in place", "the mode of a part"),
    *("a parameter that is frozen", "a number", "an entry of a dict", "closed-over data"),
    *("strides", "a method", "the default dtype"),
}


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(
            [n for n in CHANGES if (n in OF_NETWORK) == network and (n in FAST) == fast],
            marks=() if fast else pytest.mark.slow,
            id="of the network" if network else "of values",
        )
        for network, fast in itertools.product([True, False], repeat=2)
    ],
)
def test_a_change_of_what_is_read_is_noticed(
    names: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One after the other, as each of them compiles anew."""
    torch._dynamo.reset()
    world, x = World(), torch.linspace(0.2, 0.8, 3, dtype=F64)
    loss = world.loss(names[0])
    compiled, eager = meta_grad_and_value(loss, compile=True), meta_grad_and_value(loss)
    assert_same(compiled(x), eager(x))
    try:
        for name in names:
            before = compiled(x)
            CHANGES[name](world, monkeypatch)
            for _ in range(2):
                assert_same(compiled(x), eager(x))
            same = torch.equal(compiled(x)[1], before[1])
            assert same == (name in ("a parameter that is frozen", "data that require grad")), name
    finally:
        torch.set_default_dtype(torch.float32)


def test_inputs_may_be_of_another_kind() -> None:
    torch._dynamo.reset()

    def loss(x: torch.Tensor, y: Any) -> torch.Tensor:
        return (x * y).square().sum()

    compiled, eager = meta_grad_and_value(loss, compile=True), meta_grad_and_value(loss)
    x, y = torch.linspace(1, 2, 4, dtype=F64), torch.linspace(0, 1, 4, dtype=F64)
    kinds = [
        (x, y),
        (x.float(), y.float()),
        (x.view(2, 2), y.view(2, 2)),
        (x, y.clone().requires_grad_()),
        (x, x),
        (x, 3.0),
        (x, 2),
    ]
    for given in [*kinds, *kinds]:
        assert_same(compiled(*given), eager(*given))


def test_autocast_and_grad_mode_are_noticed() -> None:
    torch._dynamo.reset()
    w = torch.linspace(-1, 1, 9).view(3, 3)

    def loss(x: torch.Tensor) -> torch.Tensor:
        return (x @ w @ w).float().square().sum()

    compiled, eager = meta_grad_and_value(loss, compile=True), meta_grad_and_value(loss)
    x = torch.linspace(0.1, 1, 6).view(2, 3)
    plain = compiled(x)
    with torch.autocast("cpu", torch.bfloat16):
        found, expected = compiled(x), eager(x)
    torch.testing.assert_close(found, expected, rtol=1e-2, atol=1e-2)
    assert not torch.equal(found[1], plain[1])
    with torch.no_grad():
        assert_same(compiled(x), plain)
    assert_same(compiled(x), plain)


def test_buffers_are_updated_at_each_call() -> None:
    torch._dynamo.reset()
    x, runs = torch.linspace(0, 1, 12, dtype=F64).view(4, 3), []
    for compile in (True, False):
        net = nn.BatchNorm1d(3, dtype=F64)
        meta = meta_grad_and_value(lambda x, net=net: net(x).pow(3).sum(), compile=compile)
        runs.append([(meta(x + k), net.running_mean.clone()) for k in range(3)])
    assert_same(*runs)


def test_errors_are_those_of_eager_code() -> None:
    torch._dynamo.reset()
    x = torch.ones(2, dtype=F64)
    for loss, has_aux, text in (
        (lambda x: torch.zeros(()), False, "does not require grad"),
        (lambda x: x * 1, False, "must be a scalar"),
        (lambda x: (x.sum() - 3).log(), False, "is NaN"),
        (lambda x: x.sum(), True, "must return a pair"),
    ):
        for compile in (False, True):
            with pytest.raises((ValueError, TypeError), match=text):
                meta_grad_and_value(loss, has_aux=has_aux, compile=compile)(x)
