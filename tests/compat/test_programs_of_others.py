"""What programs written for the published package do, besides what its own examples do."""

from __future__ import annotations

from collections import OrderedDict, deque
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


def test_positions_are_a_tuple_or_a_list() -> None:
    b = torch.tensor([1.0, 2.0], requires_grad=True)
    for argnums in ([1], (1,)):

        @torchopt.diff.implicit.custom_root(lambda x, b: 2 * x - b, argnums=argnums)
        def solve(x: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
            return b / 2

        (gradient,) = torch.autograd.grad(solve(torch.zeros(2), b).sum(), b)
        torch.testing.assert_close(gradient, torch.tensor([0.5, 0.5]))


@pytest.mark.parametrize(
    "pair", [[0.8, 0.9], deque([0.8, 0.9]), torch.tensor([0.8, 0.9], dtype=torch.float64)]
)
def test_betas_are_any_two_elements(pair: Any) -> None:
    params = [torch.tensor([1.0, 2.0], dtype=torch.float64)]
    grads = [torch.tensor([0.3, -4.0], dtype=torch.float64)]
    found = []
    for betas in (pair, (0.8, 0.9)):
        tx = torchopt.adam(0.1, betas=betas)
        state = tx.init(params)
        for _ in range(2):
            updates, state = tx.update(grads, state, inplace=False)
        found.append(updates)
    torch.testing.assert_close(*found)
    with pytest.raises(ValueError, match="use 2 elements"):
        torchopt.adam(0.1, betas=(0.9,))  # type: ignore[arg-type]


class Scaled(nn.Module):
    """A submodule that reads its parameter itself, in a region of its own or of its parent."""

    def __init__(self, *, buffer: bool, remat: bool) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.tensor(1.3, dtype=torch.float64))
        self.remat = remat
        if buffer:
            self.register_buffer("calls", torch.zeros(()))

    def body(self, x: torch.Tensor) -> torch.Tensor:
        return torch.tanh(self.weight * x)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return checkpoint(self.body, x, use_reentrant=False) if self.remat else self.body(x)


class Stepping(nn.Module):
    """A module whose forward steps its own parameters.

    Args:
        inner: The submodule.
        by: What calls it: itself, or a region that reads its parameter.
        kept: Whether the optimizer is made before the forward.
    """

    def __init__(self, inner: Scaled, *, by: str, kept: bool) -> None:
        super().__init__()
        self.inner, self.by = inner, by
        self.optimizer = torchopt.MetaSGD(self, lr=LR) if kept else None

    def net(self, x: torch.Tensor) -> torch.Tensor:
        if self.by == "submodule":
            return cast("torch.Tensor", self.inner(x))
        return cast("torch.Tensor", checkpoint(self.inner.body, x, use_reentrant=False))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        optimizer = self.optimizer or torchopt.MetaSGD(self, lr=LR)
        for _ in range(2):
            optimizer.step((self.net(x) ** 2).sum())
        return self.net(x)


@pytest.mark.parametrize("kept", [False, True], ids=["made_anew", "kept"])
@pytest.mark.parametrize("by", ["submodule", "region"])
@pytest.mark.parametrize("buffer", [False, True], ids=["plain", "with_buffer"])
def test_regions_of_a_forward_that_steps_are_refused(buffer: bool, by: str, kept: bool) -> None:
    x = torch.randn(5, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    net = Stepping(Scaled(buffer=buffer, remat=by == "submodule"), by=by, kept=kept)
    first = net.inner.weight
    with pytest.raises(RuntimeError, match="recomputes Scaled after its parameters were replaced"):
        torch.autograd.grad(net(x).sum(), first)


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


def test_a_region_around_a_reparametrized_module_is_refused() -> None:
    net, x = nn.Linear(3, 2), torch.randn(4, 3, requires_grad=True)
    with torchopt.nn.reparametrize(net, {"weight": torch.randn(2, 3, requires_grad=True)}):
        out = checkpoint(lambda x: net(x).tanh(), x, use_reentrant=False)
    with pytest.raises(RuntimeError, match="recomputes Linear after its parameters were replaced"):
        out.sum().backward()


def test_a_flat_chain_refuses_parameters_in_another_order_than_the_gradients() -> None:
    tx = torchopt.chain.flat(torchopt.transform.add_decayed_weights(0.5))
    params = OrderedDict(w=torch.ones(1), b=torch.zeros(1))
    grads = {"w": torch.zeros(1), "b": torch.zeros(1)}
    with pytest.raises(ValueError, match="`params` does not have the tree structure of the upd"):
        tx.update(grads, tx.init(params), params=params)
    assert tx.update(grads, tx.init(params), params=dict(params))[0]["w"].tolist() == [0.5]


def test_a_state_of_other_parameters_and_hyperparameters_is_refused_in_words() -> None:
    state = torchopt.adam(0.1).init([torch.ones(1), torch.ones(2)])
    with pytest.raises(ValueError, match="the number of leaves of `updates` is 1, but that"):
        torchopt.adam(0.1, amsgrad=True).update([torch.ones(1)], state)
