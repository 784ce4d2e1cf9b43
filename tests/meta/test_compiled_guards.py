"""Compiled code notices what Dynamo takes for granted: methods, and names that begin to exist.

Each loss is a multiple of ``x.sum()``, so that the factor is its gradient, whatever is changed. Tests
stop after tracing, as those of compiled steps.
"""

from __future__ import annotations

import collections
import functools
import math
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from _traced import TRACED
from torchopt import meta_grad_and_value
from torchopt.autodiff import compiler
from torchopt.errors import NotCompiledWarning

F64 = torch.float64
pytestmark = pytest.mark.compiled


@pytest.fixture(autouse=True)
def traced(monkeypatch: pytest.MonkeyPatch) -> None:
    torch._dynamo.reset()
    monkeypatch.setattr(compiler, "current", TRACED)


def times(factor: float) -> Callable[..., torch.Tensor]:
    return lambda _, x: factor * x


class Base:
    """What a loss reads."""

    factor = 2.0
    times = times(2.0)

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        return 2 * x

    def __getitem__(self, x: torch.Tensor) -> torch.Tensor:
        return 2 * x


def fresh(*bases: type, **members: Any) -> Any:
    """Return an instance of a class of its own."""
    return type("User", bases or (Base,), members)()


def replaced(
    read: Callable[[Any, torch.Tensor], torch.Tensor],
    change: Callable[[Any], Any],
    base: Any = Base,
) -> Callable[[], Iterator[float]]:
    """A loss reads 2 of an object, and 5 after the change."""

    def case() -> Any:
        subject = fresh(base)
        yield lambda x: read(subject, x).sum()
        yield 2.0
        change(subject)
        yield 5.0

    return case


def on_class(**members: Any) -> Callable[[Any], None]:
    def change(subject: Any) -> None:
        for name, value in members.items():
            setattr(type(subject), name, value)

    return change


def on_object(**members: Any) -> Callable[[Any], None]:
    return lambda subject: vars(subject).update(members)


class Anything:
    def __getattr__(self, name: str) -> float:
        return 2.0


class Meta(type):
    def __getattr__(cls, name: str) -> float:
        return 2.0


class OfMeta(metaclass=Meta):
    pass


class Layer(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return 2 * x


def attempt(subject: Any, x: torch.Tensor) -> torch.Tensor:
    try:
        return subject.later * x
    except AttributeError:
        return 2 * x


def mapping(table: Any, change: Callable[[Any], Any]) -> Callable[[], Iterator[Any]]:
    def case() -> Iterator[Any]:
        made = table()
        yield lambda x: (made["k"] * x).sum()
        yield 2.0
        change(made)
        yield 5.0

    return case


def shadowed_builtin() -> Iterator[Any]:
    names: dict[str, Any] = {}
    exec("def loss(x): return len((1, 2)) * x.sum()", names)
    yield names["loss"]
    yield 2.0
    names["len"] = lambda _: 5.0
    yield 5.0


def class_in_a_cell() -> Iterator[Any]:
    kind = type("A", (), {"factor": 2.0})

    def swap() -> None:
        nonlocal kind
        kind = type("B", (), {"factor": 5.0})

    yield lambda x: kind.factor * x.sum()
    yield 2.0
    swap()
    yield 5.0


def class_held(place: Callable[[Any, type], Any]) -> Callable[[], Iterator[Any]]:
    """A class is held by an object, and another one takes its place."""

    def case() -> Iterator[Any]:
        kinds = [type("C", (), {"times": times(k)}) for k in (2.0, 5.0)]
        held = types.SimpleNamespace(x=place(None, kinds[0]))
        get = (lambda: held.x()) if callable(held.x) else (lambda: held.x[0]())
        yield lambda x: get().times(x).sum()
        yield 2.0
        held.x = place(held.x, kinds[1])
        yield 5.0

    return case


def put(held: list[type] | None, kind: type) -> list[type]:
    if held is None:
        return [kind]
    held[0] = kind
    return held


def default_of_a_method() -> Iterator[Any]:
    kind = type("C", (), {"times": lambda self, x, k=2.0: k * x})
    yield lambda x: kind().times(x).sum()
    yield 2.0
    kind.times.__defaults__ = (5.0,)  # type: ignore[attr-defined]
    yield 5.0


def attribute_of_a_function() -> Iterator[Any]:
    def factor() -> float:
        return float(getattr(factor, "later", 2.0))

    yield lambda x: factor() * x.sum()
    yield 2.0
    factor.later = 5.0  # type: ignore[attr-defined]
    yield 5.0


def tied_parameters() -> Iterator[Any]:
    layers = nn.ModuleList([nn.Linear(1, 1, bias=False) for _ in range(2)])
    yield lambda x: sum((8 - 3 * p.new_ones(())) for p in layers.parameters()) / 5 * x.sum()
    yield 2.0
    layers[1].weight = layers[0].weight
    yield 1.0


def code_of_a_method() -> Iterator[Any]:
    subject = fresh(times=lambda self, x: 2 * x)
    yield lambda x: subject.times(x).sum()
    yield 2.0
    type(subject).times.__code__ = (lambda self, x: 5 * x).__code__
    yield 5.0


def order_of_entries() -> Iterator[Any]:
    table = collections.OrderedDict(a=2.0, b=5.0)
    yield lambda x: next(iter(table.values())) * x.sum()
    yield 2.0
    table.move_to_end("a")
    yield 5.0


def sign_of_zero() -> Iterator[Any]:
    options = {"zero": 0.0}
    yield lambda x: (3.5 - math.copysign(1.5, options["zero"])) * x.sum()
    yield 2.0
    options["zero"] = -0.0
    yield 5.0


def is_leaf() -> Iterator[Any]:
    held = types.SimpleNamespace(w=torch.ones(1, requires_grad=True))
    yield lambda x: (2.0 if held.w.is_leaf else 5.0) * x.sum()
    yield 2.0
    held.w = held.w * 1
    yield 5.0


def hook(module: nn.Module) -> Any:
    return module.register_forward_hook(lambda module, args, out: 2.5 * out)


def call(subject: Any, x: torch.Tensor) -> torch.Tensor:
    return subject(x)


CASES: dict[str, Callable[[], Iterator[Any]]] = {
    "a method": replaced(lambda s, x: s.times(x), on_class(times=times(5))),
    "the bases": replaced(
        lambda s, x: s.times(x),
        lambda s: setattr(type(s), "__bases__", (type("C", (), {"times": times(5)}),)),
        type("B", (Base,), {}),
    ),
    "the code of a method": code_of_a_method,
    "__call__": replaced(call, on_class(__call__=times(5))),
    "an operator": replaced(lambda s, x: s[x], on_class(__getitem__=times(5))),
    "a truth value": replaced(
        lambda s, x: 2 * x if s else 5 * x, on_class(__bool__=lambda self: False)
    ),
    "a property": replaced(
        lambda s, x: s.factor * x, on_class(factor=property(lambda self: 5.0)), Base
    ),
    "forward": replaced(call, on_class(forward=times(5)), Layer),
    "an attribute before __getattr__": replaced(
        lambda s, x: s.factor * x, on_object(factor=5.0), Anything
    ),
    "__getattr__ of a metaclass": replaced(
        lambda s, x: type(s).factor * x, on_class(factor=5.0), OfMeta
    ),
    "an attribute that was missing": replaced(attempt, on_object(later=5.0), Base),
    "a map before another": mapping(
        lambda: collections.ChainMap({}, {"k": 2.0}), lambda m: m.maps[0].update(k=5.0)
    ),
    "a builtin": shadowed_builtin,
    "a class in a closure": class_in_a_cell,
    "a class in an attribute": class_held(lambda held, kind: kind),
    "a class in a list": class_held(put),
    "a class in a partial": class_held(lambda held, kind: functools.partial(kind)),
    "a default of a method": default_of_a_method,
    "an attribute of a function": attribute_of_a_function,
    "parameters that become one": tied_parameters,
    "the order of entries": order_of_entries,
    "the sign of zero": sign_of_zero,
    "a leaf": is_leaf,
    "a hook": replaced(call, hook, Layer),
}

FAST = {
    *("a method", "an attribute before __getattr__", "a map before another", "a hook"),
    *("a class in a closure", "a truth value", "a class in an attribute"),
}


@pytest.mark.filterwarnings("ignore:The .grad attribute:UserWarning")  # Dynamo reads it
@pytest.mark.parametrize(
    "name", [n if n in FAST else pytest.param(n, marks=pytest.mark.slow) for n in CASES]
)
def test_what_begins_to_be_read_is_noticed(name: str) -> None:
    case, x = CASES[name](), torch.linspace(0.2, 0.8, 3, dtype=F64)
    compiled = meta_grad_and_value(next(case), compile=True)
    for factor in case:
        for _ in range(2):
            gradient, value = compiled(x)
            assert gradient.tolist() == [factor] * 3
            assert float(value) == pytest.approx(factor * 1.5)


def test_a_numpy_scalar_runs_eagerly() -> None:
    def loss(x: torch.Tensor, k: Any) -> torch.Tensor:
        return (2.0 if isinstance(k, np.floating) else 5.0) * (x.sum() * k)

    compiled, x = meta_grad_and_value(loss, compile=True), torch.ones(3)
    with pytest.warns(NotCompiledWarning, match="NumPy scalar"):
        assert compiled(x, np.float64(1.5))[0].tolist() == [3.0] * 3
