"""A black box is evaluated in the backward pass: what it reads by name must still be what it was."""

from __future__ import annotations

import functools
from collections.abc import Callable

import pytest
import torch
from torch import nn

import torchopt
from torchopt.diff import ZeroOrder
from torchopt.diff.zero_order import Antithetic

MODE = ZeroOrder(Antithetic(num_samples=4, sigma=0.1), generator=0)


def variable() -> torch.Tensor:
    return torch.ones(2, dtype=torch.float64, requires_grad=True)


@pytest.mark.parametrize("create_graph", [False, True])
def test_a_loop_variable_that_moved_on_is_an_error(create_graph: bool) -> None:
    w = variable()
    losses = []
    for X in (torch.ones(2), 2 * torch.ones(2)):
        losses.append(MODE(lambda w: (w * X).sum())(w))  # noqa: B023
    with pytest.raises(RuntimeError, match=r"`.*X`, which it reads, has changed"):
        torch.autograd.grad(sum(losses), w, create_graph=create_graph)


def test_arguments_may_move_on() -> None:
    w = variable()
    scores = [MODE(lambda w, X: (w * X).sum(), 0)(w, k * torch.ones(2)) for k in (1.0, 2.0)]
    both = torch.autograd.grad(sum(scores), w)
    each = [torch.autograd.grad(MODE(lambda w, k=k: (w * k).sum(), 0)(w), w)[0] for k in (1.0, 2.0)]
    torch.testing.assert_close(both[0], each[0] + each[1])


def nested(net: nn.Module) -> Callable[[torch.Tensor], torch.Tensor]:
    def inner(w: torch.Tensor) -> torch.Tensor:
        return net(w).sum()

    return lambda w: inner(w)


@pytest.mark.parametrize("change", ["mode", "weights"])
def test_a_module_that_changed_is_an_error(change: str) -> None:
    net = nn.Linear(2, 1, dtype=torch.float64)
    w = variable()
    value = MODE(nested(net))(w)
    if change == "mode":
        net.eval()
    else:
        with torch.no_grad():
            net.weight.mul_(2)
    with pytest.raises(RuntimeError, match=r"`.*net(\.training)?`, which it reads, has changed"):
        value.backward()


def test_counters_and_what_a_call_itself_changes_are_its_own_business() -> None:
    calls, last = 0, torch.zeros(())

    def counted(w: torch.Tensor) -> torch.Tensor:
        nonlocal calls, last
        calls, last = calls + 1, w.sum()
        return last**2

    w = variable()
    first = MODE(counted)(w)
    MODE(counted)(w)
    first.backward()
    assert w.grad is not None
    assert calls == 2 + 8


def test_an_objective_of_a_problem_is_watched_too() -> None:
    w = variable()
    target = torch.zeros(2, dtype=torch.float64)
    solution = torchopt.minimize(
        lambda p, w: ((p - w - target) ** 2).sum(),
        torch.zeros(2, dtype=torch.float64),
        (w,),
        solver=torchopt.sgd(0.25),
        steps=3,
        diff=MODE,
    )
    target = torch.ones(2, dtype=torch.float64)
    with pytest.raises(RuntimeError, match=r"`.*target`, which it reads, has changed"):
        solution.params.sum().backward()


class Scaled:
    def __init__(self, factor: float) -> None:
        self.factor = factor

    def __call__(self, w: torch.Tensor) -> torch.Tensor:
        return (self.factor * w).sum()


@pytest.mark.parametrize(
    "kind", ["argument", "keyword", "partial", "method", "object", "number", "list"]
)
def test_whatever_else_a_function_reads_is_watched(kind: str) -> None:
    w, X, scaled, factor, factors = variable(), torch.ones(2), Scaled(1.0), 1.0, [1.0]
    product: Callable[..., torch.Tensor] = lambda X, w: (w * X).sum()  # noqa: E731
    value = {
        "argument": lambda: MODE(lambda w, X: product(X, w), 0)(w, X),
        "keyword": lambda: MODE(lambda w, X: product(X, w), 0)(w, X=X),
        "partial": lambda: MODE(functools.partial(product, X))(w),
        "method": lambda: MODE(scaled.__call__)(w),
        "object": lambda: MODE(functools.partial(scaled))(w),
        "number": lambda: MODE(lambda w: (factor * w).sum())(w),
        "list": lambda: MODE(lambda w: (factors[0] * w).sum())(w),
    }[kind]()
    X.mul_(2)
    scaled.factor = factor = factors[0] = 2.0
    with pytest.raises(RuntimeError, match="has changed since"):
        value.backward()


def test_a_list_among_the_arguments_may_change() -> None:
    w, factors = variable(), [1.0]
    value = MODE(lambda w, factors: (factors[0] * w).sum(), 0)(w, factors)
    factors[0] = 100.0
    (found,) = torch.autograd.grad(value, w)
    (expected,) = torch.autograd.grad(MODE(lambda w: w.sum())(w), w)
    torch.testing.assert_close(found, expected)


def test_what_requires_grad_and_is_not_differentiated_is_told() -> None:
    w, other = variable(), variable()
    with pytest.warns(UserWarning, match="`other` requires grad"):
        MODE(lambda w, other: (w * other).sum())(w, other=other)
    with pytest.warns(UserWarning, match="other` requires grad"):
        MODE(lambda w: (w * other).sum())(w)
