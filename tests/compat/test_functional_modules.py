"""Tensors swapped into modules, and functorch's functions of a tuple of parameters."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

import torchopt
from nn._checkpointed import DTYPE, REMATERIALIZED, Net, randn
from torchopt import compat


def swapped(net: nn.Module, new: dict[str, torch.Tensor], x: torch.Tensor) -> torch.Tensor:
    old = compat.swap_state(net, new)
    out = net(x)
    compat.swap_state(net, old)
    return out


def reparametrized(net: nn.Module, new: dict[str, torch.Tensor], x: torch.Tensor) -> torch.Tensor:
    with compat.reparametrize(net, new):
        return net(x)


@pytest.mark.parametrize("remat", REMATERIALIZED)
@pytest.mark.parametrize("call", [swapped, reparametrized])
def test_regions_of_a_module_whose_tensors_were_swapped_out_are_refused(
    call: Any, remat: str
) -> None:
    net = Net(remat).to(DTYPE)
    before = dict(net.named_parameters())
    new = {k: randn(*p.shape, seed=i).requires_grad_() for i, (k, p) in enumerate(before.items())}
    value = call(net, new, randn(4, 3)).pow(2).sum()
    with pytest.raises(RuntimeError, match="recomputes Linear after its parameters were replaced"):
        torch.autograd.grad(value, list(new.values()))
    assert all(p is before[k] for k, p in net.named_parameters())


def test_a_derivative_may_be_taken_while_tensors_are_swapped_in() -> None:
    net, new = Net("method").to(DTYPE), {"a.weight": randn(3, 3).requires_grad_()}
    with compat.reparametrize(net, new):
        (inside,) = torch.autograd.grad(net(randn(4, 3)).pow(2).sum(), new["a.weight"])
    value = torchopt.nn.functional_call(net, new, randn(4, 3)).pow(2).sum()
    after = torch.autograd.grad(value, new["a.weight"])
    torch.testing.assert_close(inside, after[0], rtol=1e-12, atol=1e-14)


def test_make_functional_gives_copies_once_each_of_what_requires_grad() -> None:
    net = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3), nn.BatchNorm1d(3)).to(DTYPE)
    net[1].weight = net[0].weight
    net[1].bias.requires_grad_(False)
    fmodel, params = compat.make_functional(net)
    assert isinstance(fmodel, compat.FunctionalModule)
    assert fmodel.names == ("0.weight", "0.bias", "2.weight", "2.bias")
    assert isinstance(params, tuple)
    assert all(p.requires_grad and p.is_leaf for p in params)
    x = randn(4, 3)
    torch.testing.assert_close(fmodel(params, x), net(x))
    with torch.no_grad():
        params[0].add_(1.0)
    assert not torch.equal(params[0], net[0].weight)
    with pytest.raises(ValueError, match="Sequential has 4 parameters, but 3 tensors were given"):
        fmodel(params[:3], x)
    with pytest.raises(ValueError, match="no parameter of Tanh requires grad"):
        compat.make_functional(nn.Tanh())


def test_reparametrize_restores_after_an_exception_and_ties() -> None:
    net = nn.Sequential(nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False))
    old = list(net.parameters())
    shared = torch.eye(2)

    def fail() -> None:
        with compat.reparametrize(net, {"0.weight": shared, "1.weight": shared}) as inner:
            assert inner is net
            assert net[0].weight is shared
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert all(a is b for a, b in zip(net.parameters(), old, strict=True))


def test_missing_names_are_refused_unless_allowed() -> None:
    net = nn.Linear(2, 2)
    weight = net.weight
    with pytest.raises(AttributeError, match="Linear has no attribute 'extra'"):
        compat.swap_state(net, {"weight": torch.eye(2), "extra": torch.ones(1)})
    assert net.weight is weight
    with compat.reparametrize(net, {"extra": torch.ones(1)}, allow_missing=True):
        assert net.extra.item() == 1.0
    assert not hasattr(net, "extra")


def test_checkpointing_around_a_module_is_refused_after_a_swap() -> None:
    net = Net().to(DTYPE)
    x = randn(4, 3)
    old = compat.swap_state(net, {"a.weight": randn(3, 3).requires_grad_()})
    out = checkpoint(net, x, use_reentrant=False).sum()
    compat.swap_state(net, old)
    with pytest.raises(RuntimeError, match="after its parameters were replaced"):
        out.backward()


@pytest.mark.parametrize("value", [3, nn.Linear])
def test_what_is_no_module_is_refused(value: Any) -> None:
    with pytest.raises(TypeError, match=r"`module` of `make_functional` is .*: (pass a|make an)"):
        compat.make_functional(value)
