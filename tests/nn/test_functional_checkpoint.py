"""Stateless calls of models that compute activations again: the same derivatives as without."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

import torchopt
from _cases import diagonal
from torchopt.compat import make_functional
from torchopt.modules.functional import functional_copy
from torchopt.nn import functional_call

F64 = torch.float64
Tree = dict[str, Tensor]


def randn(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=F64)


class Block(nn.Module):
    """Normalizations, dropout, attention, buffers, and a tied weight."""

    def __init__(self, remat: bool | None, first: nn.Linear | None = None) -> None:
        super().__init__()
        self.remat = remat
        self.norm, self.batch, self.drop = nn.LayerNorm(4), nn.BatchNorm1d(3), nn.Dropout(0.3)
        self.qkv, self.out = nn.Linear(4, 12), first or nn.Linear(4, 4)
        self.register_buffer("scale", torch.ones(4))

    def body(self, x: Tensor) -> Tensor:
        q, k, v = self.qkv(self.norm(x)).unflatten(-1, (3, 2, 2)).movedim(-3, 0).transpose(-2, -3)
        y = F.scaled_dot_product_attention(q, k, v).transpose(-2, -3).flatten(-2)
        return x + self.drop(self.batch(self.out(y).tanh())) * self.scale

    def forward(self, x: Tensor) -> Tensor:
        if self.remat is None:
            return self.body(x)
        if self.remat:
            return checkpoint(self.body, x, use_reentrant=True)
        return torchopt.remat(self.body)(x)


def make(remat: bool | None) -> nn.Module:
    torch.manual_seed(0)
    first = Block(remat)
    return nn.Sequential(first, Block(remat, first.out)).to(F64)


X, Y = randn(5, 3, 4), randn(5, 3, 4, seed=1)


@contextmanager
def seeded() -> Iterator[None]:
    with torch.random.fork_rng():
        torch.manual_seed(3)
        yield


def by_functional_call(net: nn.Module, params: Tree) -> Tensor:
    return F.mse_loss(functional_call(net, params, (X,)), Y)


def by_make_functional(net: nn.Module, params: Tree) -> Tensor:
    fmodel, _ = make_functional(net)
    return F.mse_loss(fmodel(tuple(params.values()), X), Y)


CALLS = {f.__name__[3:]: f for f in (by_functional_call, by_make_functional)}


def start(net: nn.Module) -> Tree:
    named = dict(net.named_parameters())
    return {n: (p.detach() + 0.1 * randn(*p.shape, seed=5)) for n, p in named.items()}


def meta_gradient(call: Callable[..., Tensor], remat: bool | None, order: int = 1) -> list[Tensor]:
    """Return the derivative of the given order through two inner steps."""
    net = make(remat)
    params = {n: p.requires_grad_() for n, p in start(net).items()}
    leaves, theta = list(params.values()), dict(params)
    with seeded(), torchopt.higher_order():
        for _ in range(2):
            grads = torch.autograd.grad(call(net, theta), list(theta.values()), create_graph=True)
            theta = {n: p - 0.1 * g for (n, p), g in zip(theta.items(), grads, strict=True)}
        value = call(net, theta)
    for k in range(order - 1):
        grads = torch.autograd.grad(value, leaves, create_graph=True)
        value = sum((g * randn(*g.shape, seed=k + 7)).sum() for g in grads)
    found = torch.autograd.grad(value, leaves)
    return [*found, *(b.detach().clone().double() for b in net.buffers())]


@pytest.mark.parametrize(("name", "order"), diagonal([*CALLS], [2, 1]))
def test_meta_gradient_is_that_without_checkpointing(name: str, order: int) -> None:
    call = CALLS[name]
    expected = meta_gradient(call, None, order)
    found = meta_gradient(call, False, order)
    for a, b in zip(found, expected, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_reentrant_checkpointing_is_refused(call: Any) -> None:
    net = nn.Sequential(nn.Linear(4, 4), Block(True)).to(F64)
    tensors = {n: t.requires_grad_() for n, t in start(net).items()}
    with pytest.raises(RuntimeError, match="use_reentrant"):
        torch.autograd.grad(call(net, tensors), list(tensors.values()), allow_unused=True)


class Spectral(nn.Module):
    """What it computes depends on its buffers, which it changes."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.utils.parametrizations.spectral_norm(nn.Linear(4, 4))

    def forward(self, x: Tensor) -> Tensor:
        return checkpoint(self.linear, x, use_reentrant=False)


def test_power_iterations_that_would_go_on_are_refused() -> None:
    net = nn.Sequential(Spectral(), nn.Tanh()).to(F64)
    params = {n: p.detach().requires_grad_() for n, p in net.named_parameters()}
    value = functional_call(net, params, (X,)).square().sum()
    with pytest.raises(
        RuntimeError, match=r"has changed its buffers \(_u, _v\): call `torchopt\.rem"
    ):
        torch.autograd.grad(value, list(params.values()))
    net.eval()  # where they do not
    value = functional_call(net, params, (X,)).square().sum()
    assert all(g.any() for g in torch.autograd.grad(value, list(params.values())))


class Whitened(nn.Module):
    """Recomputes the ``forward`` of a module with buffers, which it takes from the module."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(4, dtype=F64)

    def forward(self, x: Tensor) -> Tensor:
        return checkpoint(self.norm.forward, x, use_reentrant=False).tanh()


def test_a_batch_that_would_be_counted_twice_is_refused() -> None:
    weight = randn(4, seed=1).requires_grad_()
    tensors = {"norm.weight": weight}
    y = functional_call(Whitened(), tensors, randn(7, 4, seed=2)).square().sum()
    with pytest.raises(RuntimeError, match="has changed its buffers"):
        torch.autograd.grad(y, weight)


class Averaged(nn.Module):
    """Assigns its buffer anew in each call."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones((), dtype=F64))
        self.register_buffer("mean", torch.ones((), dtype=F64))

    def inner(self, x: Tensor) -> Tensor:
        y = torch.sin(x * self.weight * self.mean)
        self.mean = 0.5 * self.mean
        return y

    def forward(self, x: Tensor) -> Tensor:
        return checkpoint(self.inner, x, use_reentrant=False)


def test_a_buffer_that_is_assigned_anew_is_refused() -> None:
    weight = torch.ones((), dtype=F64, requires_grad=True)
    y = functional_call(Averaged(), {"weight": weight}, (torch.ones((), dtype=F64),))
    with pytest.raises(RuntimeError, match=r"has changed its buffers \(mean\)"):
        torch.autograd.grad(y, weight)


@pytest.mark.parametrize(
    "read",
    [
        lambda net: net.weight,
        lambda net: net._parameters["weight"],
        lambda net: net._parameters.get("weight"),
        lambda net: next(iter(net._parameters.values())),
        lambda net: next(net.parameters()),
    ],
    ids=["attribute", "item", "get", "values", "parameters"],
)
def test_parameters_that_were_replaced_are_refused_however_they_are_read(read: Any) -> None:
    net, x = nn.Linear(1, 1, bias=False), torch.ones(1, 1)
    first, optimizer = net.weight, torchopt.MetaSGD(net, lr=0.5)
    y = checkpoint(lambda x: (x * read(net)).sin(), x, use_reentrant=False)
    optimizer.step(net(x).square().sum())
    with pytest.raises(RuntimeError, match="recomputes Linear after its parameters were replaced"):
        torch.autograd.grad(y, first)


def test_files_of_a_module_after_a_meta_step_name_nothing_of_this_package() -> None:
    net = nn.Linear(2, 1)
    optimizer = torchopt.MetaSGD(net, lr=0.5)
    optimizer.step(net(torch.ones(1, 2)).square().sum())
    torchopt.stop_gradient(net)
    assert b"torchopt" not in pickle.dumps(net)
    loaded, optimizer = pickle.loads(pickle.dumps((net, optimizer)))
    first = loaded.weight
    y = checkpoint(loaded, torch.ones(1, 2, requires_grad=True), use_reentrant=False)
    optimizer.step(loaded(torch.ones(1, 2)).square().sum())
    with pytest.raises(RuntimeError, match="after its parameters were replaced"):
        torch.autograd.grad(y, first)


def test_a_copy_of_a_view_runs_its_own_forward() -> None:
    model = nn.Sequential(nn.BatchNorm1d(4, dtype=F64)).eval()
    shown = functional_copy(model, {"0.weight": randn(4, seed=3)}).module
    x = randn(5, 4, seed=4)
    for twin in (copy.deepcopy(shown), pickle.loads(pickle.dumps(shown))):
        twin[0].weight.mul_(3)
        torch.testing.assert_close(twin(x), 3 * shown(x), rtol=1e-12, atol=0)
