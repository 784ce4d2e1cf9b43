"""What programs written for the published package do, besides what its own examples do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest
import torch
from torch import nn
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils.checkpoint import checkpoint

import torchopt

LR, STEPS = 0.1, 3


class Planner(nn.Module):
    """A module whose forward is an inner loop on its own parameters, as in predictive control."""

    def __init__(self, *, recover: bool, make_anew: bool) -> None:
        super().__init__()
        self.plan = nn.Parameter(torch.tensor([0.5, -1.0], dtype=torch.float64))
        self.model = nn.Linear(2, 2, dtype=torch.float64)
        self.register_buffer("calls", torch.zeros(()))
        self.recover = recover
        self.optimizer = None if make_anew else torchopt.MetaSGD(self, lr=LR)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        start = torchopt.extract_state_dict(self)
        optimizer = self.optimizer or torchopt.MetaSGD(self, lr=LR)
        for _ in range(STEPS):
            self.calls += 1
            optimizer.step(((self.model(x) + self.plan).sin() ** 2).sum())
        out = self.model(x) + self.plan
        if self.recover:
            torchopt.recover_state_dict(self, start)
        return out


def planned(params: list[torch.Tensor], x: torch.Tensor) -> tuple[torch.Tensor, list[torch.Tensor]]:
    """The same loop, written with PyTorch only."""
    for _ in range(STEPS):
        plan, weight, bias = params
        loss = ((nn.functional.linear(x, weight, bias) + plan).sin() ** 2).sum()
        grads = torch.autograd.grad(loss, params, create_graph=True)
        params = [p - LR * g for p, g in zip(params, grads, strict=True)]
    plan, weight, bias = params
    return nn.functional.linear(x, weight, bias) + plan, params


@pytest.mark.parametrize("make_anew", [False, True], ids=["kept", "made_anew"])
@pytest.mark.parametrize("recover", [True, False], ids=["recovered", "left"])
def test_a_forward_may_step_the_parameters_of_its_own_module(
    recover: bool, make_anew: bool
) -> None:
    torch.manual_seed(0)
    net = Planner(recover=recover, make_anew=make_anew)
    start = list(net.parameters())
    x = torch.randn(4, 2, dtype=torch.float64, requires_grad=True)
    params = start
    for calls in (1, 2):
        expected, stepped = planned(params, x)
        params = params if recover else stepped
        out = net(x)
        torch.testing.assert_close(out, expected)
        found = torch.autograd.grad(out.cos().sum(), [*start, x], retain_graph=True)
        truth = torch.autograd.grad(expected.cos().sum(), [*start, x], retain_graph=True)
        torch.testing.assert_close(found, truth)
        torch.testing.assert_close(list(net.parameters()), params)
        assert all(p is q for p, q in zip(net.parameters(), start, strict=True)) == recover
        assert net.calls == STEPS * calls


def test_a_forward_may_assign_parameters_and_submodules() -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.shift = nn.Parameter(torch.zeros(2))
            self.layer = nn.Linear(2, 2)
            self.none = None

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            self.shift = nn.Parameter(self.shift.detach() + 1)
            self.layer = nn.Linear(2, 2, bias=False)
            self.other = nn.Linear(2, 2)
            out: torch.Tensor = self.layer(x) + self.shift
            return out

    net = Net()
    optimizer = torchopt.MetaSGD(net, lr=LR)
    x = torch.randn(3, 2)
    for calls in (1.0, 2.0):
        out = net(x)
        assert torch.equal(net.shift, torch.full((2,), calls))
        assert set(dict(net.named_parameters())) == {
            *("shift", "layer.weight", "other.weight", "other.bias")
        }
        torch.testing.assert_close(out, nn.functional.linear(x, net.layer.weight) + net.shift)
    optimizer.step((net(x) ** 2).sum())


def test_a_region_that_was_checkpointed_before_a_step_in_the_same_forward_is_refused() -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(2, 2)
            self.optimizer = torchopt.MetaSGD(self, lr=LR)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            y = checkpoint(self.layer, x, use_reentrant=False)
            self.optimizer.step((self.layer(x) ** 2).sum())
            return y + self.layer(x)

    out = Net()(torch.randn(3, 2))
    with pytest.raises(RuntimeError, match="recomputes Linear after its parameters were replaced"):
        (out**2).sum().backward()


OPTIMIZERS: dict[str, Callable[[], Any]] = {
    "sgd": lambda: torchopt.sgd(0.1, momentum=0.9, weight_decay=0.1),
    "adam": lambda: torchopt.adam(0.1),
    "adamw": lambda: torchopt.adamw(torchopt.schedule.linear_schedule(0.1, 0.01, 5)),
    "rmsprop": lambda: torchopt.rmsprop(0.1, centered=True),
    "adagrad": lambda: torchopt.adagrad(0.1, lr_decay=0.1),
    "adadelta": lambda: torchopt.adadelta(0.1),
    "adamax": lambda: torchopt.adamax(0.1),
    "radam": lambda: torchopt.radam(0.1),
    "clipped": lambda: torchopt.chain(torchopt.clip_grad_norm(0.5), torchopt.adam(0.1)),
}


@pytest.mark.parametrize("tracing_mode", ["real", "fake"])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_make_fx_traces_a_step(name: str, tracing_mode: str) -> None:
    tx = OPTIMIZERS[name]()
    generator = torch.Generator().manual_seed(0)
    params = {"w": torch.randn(3, 2, generator=generator), "b": torch.randn(2, generator=generator)}
    x = torch.randn(4, 3, generator=generator)

    def step(params: Any, state: Any, x: torch.Tensor) -> tuple[Any, Any]:
        grads = torch.func.grad(lambda p: ((x @ p["w"] + p["b"]) ** 2).mean())(params)
        updates, state = tx.update(grads, state, params=params, inplace=False)
        return torchopt.apply_updates(params, updates, inplace=False), state

    state = tx.init(params)
    traced = make_fx(step, tracing_mode=tracing_mode)(params, state, x)
    eager = compiled = (params, state)
    for _ in range(8):  # beyond the steps in which RAdam's variance is unknown
        eager, compiled = step(*eager, x), traced(*compiled, x)
    torch.testing.assert_close(compiled[0], eager[0], rtol=1e-4, atol=1e-6)


class Leaf(nn.Module):
    """A submodule whose forward takes a step of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.tensor(0.7, dtype=torch.float64))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        torchopt.MetaSGD(self, lr=LR).step(((self.weight * x).sin() ** 2).sum())
        return self.weight * x


class Root(nn.Module):
    """A module whose forward steps all parameters between calls of such a submodule."""

    def __init__(self) -> None:
        super().__init__()
        self.leaf, self.bias = Leaf(), nn.Parameter(torch.tensor(0.4, dtype=torch.float64))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        optimizer = torchopt.MetaSGD(self, lr=0.2)
        for _ in range(2):
            optimizer.step(((self.bias + self.leaf(x)) ** 2).sum())
        return cast("torch.Tensor", self.bias * self.leaf(x))


def test_forwards_that_step_may_be_nested() -> None:
    def stepped_leaf(w: torch.Tensor) -> torch.Tensor:
        loss = ((w * x).sin() ** 2).sum()
        return w - LR * torch.autograd.grad(loss, w, create_graph=True)[0]

    x = torch.randn(5, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    net = Root()
    torchopt.MetaSGD(net, lr=0.0)
    start = (w, b) = (net.leaf.weight, net.bias)
    for _ in range(2):
        u = stepped_leaf(w)
        grads = torch.autograd.grad(((b + u * x) ** 2).sum(), (u, b), create_graph=True)
        w, b = u - 0.2 * grads[0], b - 0.2 * grads[1]
    expected, out = b * stepped_leaf(w) * x, net(x)
    torch.testing.assert_close(out, expected)
    found = torch.autograd.grad(out.sum(), start, retain_graph=True)
    torch.testing.assert_close(found, torch.autograd.grad(expected.sum(), start))
