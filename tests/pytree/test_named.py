"""What belongs to parameters one by one is a dict by name, or a tuple in their order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

import torchopt
from torchopt.pytree.named import by_name, in_order

NAMES = ["0.weight", "0.bias", "2.weight", "2.bias"]  # not in the alphabet's order
FORMS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "dict": dict,
    "dict in another order": lambda values: dict(reversed(values.items())),
    "tuple": lambda values: tuple(values.values()),
    "list": lambda values: list(values.values()),
}
X = torch.tensor([[1.0, -2.0], [0.5, 3.0], [0.25, 1.0]])


def network() -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))


def rates(net: nn.Module) -> dict[str, torch.Tensor]:
    return {
        name: torch.tensor(0.1 * k, requires_grad=True)
        for k, name in enumerate(dict(net.named_parameters()), start=1)
    }


def stepped(net: nn.Module, lr: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Return the parameters after a step of gradient descent, written out."""
    grads = torch.autograd.grad(net(X).square().sum(), [*net.parameters()])
    named = zip(net.named_parameters(), grads, strict=True)
    return {name: (p - lr[name] * g).detach() for (name, p), g in named}


def by_meta_optimizer(net: nn.Module, lr: Any) -> dict[str, torch.Tensor]:
    torchopt.MetaSGD(net, lr=lr).step(net(X).square().sum())
    return dict(net.named_parameters())


def by_solver(net: nn.Module, lr: Any) -> dict[str, torch.Tensor]:
    def loss(params: Any) -> torch.Tensor:
        return torchopt.nn.functional_call(net, params, X).square().sum()

    start = dict(net.named_parameters())
    return torchopt.minimize(loss, start, solver=torchopt.sgd(lr), steps=1).params


def by_optimizer(net: nn.Module, lr: Any) -> dict[str, torch.Tensor]:
    optimizer = torchopt.optim.SGD(net.named_parameters(), lr=lr)
    net(X).square().sum().backward()
    optimizer.step()
    return dict(net.named_parameters())


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("step", [by_meta_optimizer, by_solver, by_optimizer])
def test_learning_rates(form: str, step: Callable[..., Any]) -> None:
    net, lr = network(), rates(network())
    expected = stepped(net, lr)
    found = step(net, FORMS[form](lr))
    torch.testing.assert_close({k: p.detach() for k, p in found.items()}, expected)
    if step is not by_optimizer:
        total = sum(p.square().sum() for p in found.values())
        meta = torch.autograd.grad(total, [*lr.values()])
        assert len({*map(float, meta)}) == 4


@pytest.mark.parametrize("form", FORMS)
def test_masks(form: str) -> None:
    net, decay = network(), 0.5
    before = {name: p.detach().clone() for name, p in net.named_parameters()}
    mask = FORMS[form]({name: name == "0.bias" for name in before})
    optimizer = torchopt.optim.MetaAdamW(net, lr=0.1, weight_decay=decay, mask=mask)
    plain = torchopt.MetaAdam(other := network(), lr=0.1)
    for each, module in ((optimizer, net), (plain, other)):
        each.step(module(X).square().sum())
    for (name, p), q in zip(net.named_parameters(), other.parameters(), strict=True):
        expected = q - 0.1 * decay * before[name] if name == "0.bias" else q
        torch.testing.assert_close(p, expected)


@pytest.mark.parametrize("form", FORMS)
def test_tensors_of_a_module(form: str) -> None:
    net = network()
    new = {name: torch.randn_like(p) for name, p in net.named_parameters()}
    tensors = FORMS[form](new)
    expected = torch.func.functional_call(net, new, X)
    torch.testing.assert_close(torchopt.nn.functional_call(net, tensors, X), expected)
    with torchopt.compat.reparametrize(net, tensors):
        torch.testing.assert_close(net(X), expected)
    fmodel, params = torchopt.compat.make_functional(net)
    assert isinstance(params, tuple)
    torch.testing.assert_close(fmodel(tensors, X), expected)
    torchopt.compat.swap_state(net, tensors)
    torch.testing.assert_close(net(X), expected)


def test_names_of_frozen_parameters_may_be_left_out_of_a_dict() -> None:
    net, lr = network(), rates(network())
    net.get_parameter("0.bias").requires_grad_(False)
    lr.pop("0.bias")
    optimizer = torchopt.MetaSGD(net, lr=lr)
    bias = net.get_parameter("0.bias").clone()
    optimizer.step(net(X).square().sum())
    torch.testing.assert_close(net.get_parameter("0.bias"), bias)
    assert len(torch.autograd.grad(net(X).square().sum(), [*lr.values()])) == 3


def test_what_does_not_fit_is_refused() -> None:
    net = network()
    loss = net(X).square().sum()
    with pytest.raises(ValueError, match="`lr` has 2 values for 4 parameters: pass one for each"):
        torchopt.MetaSGD(net, lr=(0.1, 0.2)).step(loss)
    with pytest.raises(ValueError, match=r"`lr\['2.bias'\]` is missing"):
        torchopt.MetaSGD(net, lr=dict.fromkeys(NAMES[:-1], 0.1)).step(loss)
    optimizer = torchopt.optim.SGD(net.parameters(), lr=dict.fromkeys(NAMES, 0.1))
    loss.backward()
    with pytest.raises(ValueError, match="parameters are a list without names: pass"):
        optimizer.step()
    fmodel, params = torchopt.compat.make_functional(net)
    with pytest.raises(ValueError, match=r"`params` has no value for parameter `0.bias`"):
        fmodel({"0.weight": params[0]}, X)
    with pytest.raises(
        ValueError, match=r"`params` has a value for `1.weight`, which is no parameter"
    ):
        fmodel(dict(zip(NAMES, params, strict=True)) | {"1.weight": params[0]}, X)
    with pytest.raises(ValueError, match="`tensors` has 1 values for 4 parameters"):
        torchopt.nn.functional_call(net, params[:1], X)


def test_other_values_stay_as_they_are() -> None:
    size = torch.Size([2, 3])  # a tuple, but of no values
    assert by_name(0.1, NAMES, what="lr") == 0.1
    assert by_name(size, NAMES, what="lr") is size
    assert in_order((1, 2), NAMES, what="lr") == (1, 2)
