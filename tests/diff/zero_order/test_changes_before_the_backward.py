"""A black box is evaluated in the backward pass: what it reads by name must still be what it was."""

from __future__ import annotations

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
    with pytest.raises(RuntimeError, match=r"`.*net`, which it reads, has changed"):
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
