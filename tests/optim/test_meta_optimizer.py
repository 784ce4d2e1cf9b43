"""Differentiable optimizers of modules: closed forms, and the modules that trip others up."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.func import functional_call
from torch.utils.checkpoint import checkpoint

import torchopt

DTYPE = torch.float64


def randn(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, dtype=DTYPE, generator=torch.Generator().manual_seed(seed))


def unrolled_sgd(
    net: nn.Module, x: torch.Tensor, steps: int, lr: float
) -> tuple[list[torch.Tensor], dict[str, torch.Tensor]]:
    """The meta-gradient of gradient descent, with plain functional_call; ties by their first name."""
    start = {
        k: p.detach().clone().requires_grad_() for k, p in net.named_parameters() if p.requires_grad
    }
    params = dict(start)
    for _ in range(steps):
        loss = functional_call(net, params, (x,)).pow(2).mean()
        grads = torch.autograd.grad(
            loss, list(params.values()), create_graph=True, allow_unused=True
        )
        params = {
            k: p if g is None else p - lr * g
            for (k, p), g in zip(params.items(), grads, strict=True)
        }
    outer = functional_call(net, params, (x + 0.3,)).sin().sum()
    gradients = torch.autograd.grad(outer, list(start.values()), allow_unused=True)
    return [
        torch.zeros_like(p) if g is None else g
        for g, p in zip(gradients, start.values(), strict=True)
    ], params


def meta_sgd(
    net: nn.Module, x: torch.Tensor, steps: int, lr: float
) -> tuple[list[torch.Tensor], dict[str, torch.Tensor]]:
    start = [p for p in net.parameters() if p.requires_grad]
    optimizer = torchopt.MetaSGD(net, lr=lr)
    for _ in range(steps):
        optimizer.step(net(x).pow(2).mean())
    outer = net(x + 0.3).sin().sum()
    gradients = torch.autograd.grad(outer, start, allow_unused=True)
    params = {k: p for k, p in net.named_parameters() if p.requires_grad}
    return [
        torch.zeros_like(p) if g is None else g for g, p in zip(gradients, start, strict=True)
    ], params


class Tied(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = nn.Linear(3, 3), nn.Linear(3, 3, bias=False)
        self.b.weight = self.a.weight

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.b(torch.tanh(self.a(x)))


class Frozen(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = nn.Linear(3, 4), nn.Linear(4, 2)
        self.a.requires_grad_(False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.b(torch.tanh(self.a(x)))


class Unused(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a, self.spare = nn.Linear(3, 2), nn.Linear(5, 7)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.a(x)


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.cell, self.head = nn.LSTM(3, 4, batch_first=True), nn.Linear(4, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.cell(x.unsqueeze(0))[0])


class Containers(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.items = nn.ParameterList(
            [nn.Parameter(torch.randn(3, 4)), nn.Parameter(torch.randn(4, 2))]
        )
        self.named = nn.ParameterDict({"shift": nn.Parameter(torch.randn(2))})

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.tanh(x @ self.items[0]) @ self.items[1] + self.named["shift"]


class Checkpointed(nn.Module):
    """Checkpoints through a bound method, a lambda, and a method kept as an attribute."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b, self.c = nn.Linear(3, 4), nn.Linear(4, 4), nn.Linear(4, 2)
        self.kept = self.second

    def first(self, x: torch.Tensor) -> torch.Tensor:
        return torch.tanh(self.a(x))

    def second(self, x: torch.Tensor) -> torch.Tensor:
        return torch.sin(F.linear(x, self.b.weight, self.b.bias))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = checkpoint(self.first, x, use_reentrant=False)
        x = checkpoint(self.kept, x, use_reentrant=False)
        return checkpoint(lambda y: torch.tanh(self.c(y)), x, use_reentrant=False)


class Rematerialized(Checkpointed):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torchopt.remat(self.kept)(torchopt.remat(self.first)(x))
        return torchopt.remat(lambda y: torch.tanh(self.c(y)))(x)


class Plain(Checkpointed):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.tanh(self.c(self.second(self.first(x))))


class Positive(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.softplus(x)


def positive() -> nn.Module:
    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
    nn.utils.parametrize.register_parametrization(net[0], "weight", Positive())
    return net


def normalized() -> nn.Module:
    return nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Linear(4, 2))


MODULES: dict[str, Callable[[], nn.Module]] = {
    "mlp": lambda: nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2)),
    "tied": Tied,
    "frozen": Frozen,
    "unused": Unused,
    "lstm": Recurrent,
    "parameter containers": Containers,
    "parametrized": positive,
    "batch norm": normalized,
    "one layer twice": lambda: nn.Sequential(layer := nn.Linear(3, 3), nn.Tanh(), layer),
}


@pytest.mark.parametrize("name", MODULES)
def test_meta_gradient_equals_the_unrolled_one(name: str) -> None:
    torch.manual_seed(0)
    net = MODULES[name]().to(DTYPE)
    x = randn(5, 3)
    expected, params = unrolled_sgd(copy.deepcopy(net), x, steps=3, lr=0.1)
    gradients, stepped = meta_sgd(net, x, steps=3, lr=0.1)
    for a, b in zip(gradients, expected, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-10, atol=1e-12)
    assert stepped.keys() == params.keys()
    for key, value in params.items():
        torch.testing.assert_close(stepped[key], value, rtol=1e-12, atol=1e-14)


def test_tied_weights_stay_tied() -> None:
    net = Tied().to(DTYPE)
    optimizer = torchopt.MetaAdam(net, lr=0.1)
    for _ in range(2):
        optimizer.step(net(randn(5, 3)).pow(2).mean())
    assert net.a.weight is net.b.weight
    assert not net.a.weight.is_leaf


@pytest.mark.parametrize("make", [torchopt.MetaSGD, torchopt.MetaAdam])
@pytest.mark.parametrize("recover_first", [False, True])
def test_blocks_are_computed_again_with_the_parameters_of_their_step(
    make: type, recover_first: bool
) -> None:
    torch.manual_seed(0)
    checked, plain = Rematerialized().to(DTYPE), Plain().to(DTYPE)
    plain.load_state_dict(checked.state_dict())
    x = randn(5, 3)

    def run(net: nn.Module) -> tuple[torch.Tensor, ...]:
        meta_params = list(net.parameters())
        start = torchopt.extract_state_dict(net)
        optimizer = make(net, lr=0.3)
        for _ in range(3):
            optimizer.step(net(x).pow(2).mean())
        outer = net(x + 0.3).sin().sum()
        if recover_first:
            torchopt.recover_state_dict(net, start)
        return torch.autograd.grad(outer, meta_params)

    for actual, expected in zip(run(checked), run(plain), strict=True):
        torch.testing.assert_close(actual, expected, rtol=1e-12, atol=1e-14)


def small() -> tuple[torch.nn.Module, torch.Tensor]:
    torch.manual_seed(3)
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
    return net, torch.randn(6, 3)


@pytest.mark.parametrize("make", [torchopt.MetaSGD, torchopt.MetaAdam])
@pytest.mark.parametrize("recovered", ["nothing", "module", "both", "cut"])
def test_a_forgotten_recovery_is_said_in_the_backward_pass(make: Any, recovered: str) -> None:
    net, x = small()
    weight = torch.ones((), requires_grad=True)
    optimizer = make(net, lr=0.1)
    before = torchopt.extract_state_dict(net), torchopt.extract_state_dict(optimizer)
    complete = recovered in ("both", "cut") or (recovered == "module" and make is torchopt.MetaSGD)
    for iteration in range(3):
        for _ in range(2):
            optimizer.step((net(x) * weight).square().mean())
        outer = (net(x) - 1).square().mean()
        if iteration and not complete:
            with pytest.raises(
                RuntimeError, match=r"by `torchopt.recover_state_dict`, of the module"
            ):
                outer.backward()
            return
        outer.backward()
        if recovered == "cut":
            torchopt.stop_gradient(net)
        if recovered in ("module", "both"):
            torchopt.recover_state_dict(net, before[0])
        if recovered == "both":
            torchopt.recover_state_dict(optimizer, before[1])


def test_steps_after_the_last_backward_pass_need_no_recovery() -> None:
    net, x = small()
    optimizer = torchopt.MetaAdam(net, lr=0.1)
    optimizer.step(net(x).square().mean())
    net(x).square().mean().backward(retain_graph=True)
    kept = net(x).square().mean()
    optimizer.step(net(x).square().mean())
    kept.backward()  # the graph of the first step was retained, and is used up here
    losses = []
    for _ in range(3):
        losses.append(net(x).square().mean())
        optimizer.step(losses[-1])
    assert losses[2] < losses[0]


@pytest.mark.parametrize("steps", [0, 1])
def test_a_loss_that_was_differentiated_before_its_step_is_refused(steps: int) -> None:
    net, x = small()
    optimizer = torchopt.MetaSGD(net, lr=0.1)
    for _ in range(steps):
        optimizer.step(net(x).square().mean())
    loss = net(x).square().mean()
    loss.backward()
    with pytest.raises(RuntimeError, match=r"`step\(loss\)` differentiates the loss itself"):
        optimizer.step(loss)
    functional = torchopt.compat.FuncOptimizer(torchopt.sgd(0.1))
    p = torch.ones(2, requires_grad=True)
    loss = p.exp().sum()
    loss.backward()
    with pytest.raises(RuntimeError, match=r"`step\(loss\)` differentiates the loss itself"):
        functional.step(loss, (p,))


def test_a_deep_copy_after_a_step_names_what_copies() -> None:
    net, x = small()
    parent = torch.nn.ModuleList([net])
    optimizer = torchopt.MetaAdam(net, lr=0.1)
    twin = copy.deepcopy(parent)[0]
    torch.testing.assert_close(twin(x), net(x), rtol=0, atol=0)
    assert twin[0].weight is not net[0].weight
    optimizer.step(net(x).square().mean())
    for what in (net, parent, optimizer):
        with pytest.raises(
            RuntimeError,
            match=r"copy Linear .* `weight` has a graph; use `torchopt.nn.module_clone",
        ):
            copy.deepcopy(what)
    kept, cut = (torchopt.nn.module_clone(net, by=by) for by in ("copy", "deepcopy"))
    for clone, has_graph in ((kept, True), (cut, False)):
        torch.testing.assert_close(clone(x), net(x), rtol=0, atol=0)
        assert (clone[0].weight.grad_fn is not None) == has_graph


def test_a_head_that_joins_late_has_its_own_step_count() -> None:
    """As in torch.optim, whose count is per parameter."""
    torch.manual_seed(0)
    net = nn.ModuleDict({"a": nn.Linear(3, 1), "b": nn.Linear(3, 1)}).to(DTYPE)
    twin = copy.deepcopy(net)
    reference = torch.optim.Adam(twin.parameters(), lr=0.1)
    optimizer = torchopt.MetaAdam(net, lr=0.1)
    x = randn(4, 3)
    for head in "aabab":
        reference.zero_grad(set_to_none=True)
        twin[head](x).pow(2).mean().backward()
        reference.step()
        optimizer.step(net[head](x).pow(2).mean())
    for actual, expected in zip(net.parameters(), twin.parameters(), strict=True):
        torch.testing.assert_close(
            actual, expected.detach(), rtol=1e-12, atol=1e-14, check_dtype=True
        )


def test_several_groups_step_together() -> None:
    torch.manual_seed(0)
    a, b = nn.Linear(3, 4).to(DTYPE), nn.Linear(4, 1).to(DTYPE)
    both = nn.Sequential(copy.deepcopy(a), copy.deepcopy(b))
    x = randn(5, 3)
    optimizer = torchopt.MetaAdam(a, lr=0.1)
    optimizer.add_param_group(b)
    whole = torchopt.MetaAdam(both, lr=0.1)
    for _ in range(2):
        optimizer.step(b(a(x)).pow(2).mean())
        whole.step(both(x).pow(2).mean())
    for p, q in zip([*a.parameters(), *b.parameters()], both.parameters(), strict=True):
        assert torch.equal(p, q)
    with pytest.raises(ValueError, match="parameter `weight` is in the optimizer already"):
        optimizer.add_param_group(a)


@pytest.mark.parametrize("layer", [0, 2])
@pytest.mark.parametrize("name", ["MetaAdam", "MetaRAdam", "MetaAdamax", "MetaRMSprop"])
def test_parameters_that_were_frozen_when_the_state_was_made_are_named(
    name: str, layer: int
) -> None:
    torch.manual_seed(2)
    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2)).to(DTYPE)
    net[layer].requires_grad_(False)
    optimizer = getattr(torchopt.optim, name)(net, lr=0.1)
    optimizer.step(net(randn(5, 3)).pow(2).mean())
    net[layer].requires_grad_(True)
    before, state = list(net.parameters()), optimizer.state_dict()
    with pytest.raises(ValueError, match=rf"`updates\['{layer}.bias'\]` has a gradient.*frozen"):
        optimizer.step(net(randn(5, 3)).pow(2).mean())
    assert all(a is b for a, b in zip(before, net.parameters(), strict=True))
    assert optimizer.state_dict() == state


class Token:
    """Something whose end can be watched; a node of the graph keeps it."""


def test_the_graph_of_earlier_steps_is_freed_when_it_is_cut() -> None:
    net = Checkpointed().to(DTYPE)
    optimizer = torchopt.MetaSGD(net, lr=0.1, momentum=0.9)
    optimizer.step(net(randn(5, 3)).pow(2).mean())
    token = Token()
    net.a.weight.grad_fn.metadata["token"] = token
    watched = weakref.ref(token)
    del token
    gc.collect()
    assert watched() is not None
    torchopt.stop_gradient(net)
    gc.collect()
    assert watched() is None


def test_a_meta_optimizer_copies_and_pickles_with_its_module() -> None:
    torch.manual_seed(0)
    net = nn.Linear(3, 1).to(DTYPE)
    optimizer = torchopt.MetaSGD(net, lr=0.1, momentum=0.9)
    optimizer.step(net(randn(4, 3)).pow(2).mean())
    torchopt.stop_gradient(net)
    for twin in (copy.deepcopy(optimizer), pickle.loads(pickle.dumps(optimizer))):
        module = twin.param_groups[0].module
        assert module is not net
        twin.step(module(randn(4, 3)).pow(2).mean())
        torchopt.stop_gradient(module)
        leaves = torchopt.pytree.flattening.flatten(twin.state_dict())[0]
        assert all(t.is_leaf for t in leaves if isinstance(t, torch.Tensor))


def test_attributes_that_forward_assigns_are_kept() -> None:
    class Remembers(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(2, 2)
            self.calls = 0
            self.register_buffer("last", torch.zeros(1))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            self.calls += 1
            self.hidden = self.layer(x)
            self.last = x.sum().reshape(1)
            return self.hidden.sum()

    net = Remembers()
    optimizer = torchopt.MetaSGD(net, lr=0.1)
    for k in range(1, 3):
        optimizer.step(net(torch.ones(1, 2)))
        assert net.calls == k
        assert net.hidden.shape == (1, 2)
        assert net.last.item() == 2.0


class Outside(Checkpointed):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.tanh(self.c(self.second(self.first(x))))

    def energy(self, x: torch.Tensor) -> torch.Tensor:
        return self.c(checkpoint(self.first, x, use_reentrant=False)).sum()


@pytest.mark.parametrize("recover_first", [False, True])
@pytest.mark.parametrize(
    "run",
    [
        lambda net, x: checkpoint(net, x, use_reentrant=False).pow(2).mean(),
        lambda net, x: checkpoint(lambda y: net(y).pow(2).mean(), x, use_reentrant=False),
        lambda net, x: net.energy(x),
        lambda net, x: Checkpointed.forward(net, x).pow(2).mean(),
        lambda net, x: checkpoint(
            lambda y: (y @ net.a.weight.T).cos(), x, use_reentrant=False
        ).sum(),
        lambda net, x: checkpoint(
            lambda y: (y @ next(net.a.parameters()).T).cos(), x, use_reentrant=False
        ).sum(),
    ],
    ids=[
        *("the module", "a function of it", "another method", "within its forward"),
        *("a parameter", "an iterator"),
    ],
)
def test_checkpointing_is_refused_where_it_would_be_wrong(
    run: Callable[..., torch.Tensor], recover_first: bool
) -> None:
    torch.manual_seed(0)
    net = Outside().to(DTYPE)
    meta_params = list(net.parameters())
    start = torchopt.extract_state_dict(net)
    optimizer = torchopt.MetaSGD(net, lr=0.3)
    x = randn(5, 3)
    for _ in range(2):
        optimizer.step(run(net, x))  # its own gradient recomputes with the right parameters
    outer = run(net, x)
    if recover_first:
        torchopt.recover_state_dict(net, start)
    with pytest.raises(RuntimeError, match="after its parameters were replaced"):
        torch.autograd.grad(outer, meta_params, allow_unused=True)


def test_stopping_a_parent_or_a_child_stops_the_optimizer_between() -> None:
    for stopped in ("parent", "child"):
        torch.manual_seed(0)
        net = nn.Sequential(nn.Sequential(nn.Linear(3, 3), nn.Tanh()), nn.Linear(3, 1)).to(DTYPE)
        middle = net[0]
        optimizer = torchopt.MetaSGD(middle, lr=0.1, momentum=0.9)
        optimizer.step(net(randn(4, 3)).pow(2).mean())
        torchopt.stop_gradient(net if stopped == "parent" else middle[0])
        leaves = torchopt.pytree.flattening.flatten(optimizer.state_dict())[0]
        assert all(t.is_leaf for t in leaves if isinstance(t, torch.Tensor))
