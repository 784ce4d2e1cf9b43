"""``torchopt.Optimizer`` trains as ``torch.optim`` does, and refuses what it cannot use."""

from __future__ import annotations

import copy
import functools
import pickle
from typing import Any

import pytest
import torch
from _classes import BY_GRADIENTS, OPTIONS, PLAIN

import torchopt
from _cases import covering
from _trees import assert_trees_equal, generator, leaves, random_tensor, saved, snapshot
from torchopt.transform.chaining import rule_of

CLASSES = {
    name: functools.partial(cls, lr=0.1, **OPTIONS.get(name, {}))
    for name, cls in BY_GRADIENTS.items()
}
every_class = pytest.mark.parametrize("name", CLASSES)


def make_params(seed: int = 1) -> list[torch.Tensor]:
    gen = generator(seed)
    return [random_tensor(gen, shape).requires_grad_() for shape in ((2, 3), (), (4,))]


def give_grads(params: list[torch.Tensor], seed: int) -> None:
    gen = generator(seed)
    for p in params:
        p.grad = random_tensor(gen, tuple(p.shape))


def train(optimizer: Any, params: list[torch.Tensor], seeds: Any) -> None:
    for seed in seeds:
        give_grads(params, seed)
        optimizer.step()


@pytest.mark.parametrize(
    ("name", "alias"),
    [
        ("Adadelta", "AdaDelta"),
        ("Adagrad", "AdaGrad"),
        ("Adamax", "AdaMax"),
        ("RMSprop", "RMSProp"),
    ],
)
def test_both_spellings_name_one_class(name: str, alias: str) -> None:
    assert getattr(torchopt.optim, name) is getattr(torchopt.optim, alias)
    assert getattr(torchopt.optim, f"Meta{name}") is getattr(torchopt.optim, f"Meta{alias}")


@every_class
def test_parameters_stay_the_same_leaves_and_grads_are_only_read(name: str) -> None:
    params = make_params()
    optimizer = CLASSES[name](iter(params))
    addresses = [p.data_ptr() for p in params]
    train(optimizer, params, range(2))
    give_grads(params, 3)
    grads = [(p.grad, p.grad.clone()) for p in params]
    optimizer.step()
    for p, address, (grad, value) in zip(params, addresses, grads, strict=True):
        assert p.is_leaf
        assert p.requires_grad
        assert p.data_ptr() == address
        assert p.grad is grad
        assert torch.equal(grad, value)
    assert not any(x.requires_grad for x in leaves(optimizer.state_dict()))


def test_closure_is_evaluated_with_gradients_and_its_loss_returned() -> None:
    params = make_params()
    optimizer = torchopt.optim.SGD(params, 0.1)

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = sum(p.square().sum() for p in params)
        loss.backward()
        return loss

    before = snapshot(params)
    with torch.no_grad():
        loss = optimizer.step(closure)
    assert loss.item() == pytest.approx(sum(p.square().sum().item() for p in before), rel=1e-14)
    for p, old in zip(params, before, strict=True):
        torch.testing.assert_close(p.detach(), 0.8 * old, rtol=1e-14, atol=0)
    assert optimizer.step() is None


@every_class
def test_every_class_says_whether_kernels_are_used(name: str) -> None:
    parameters = torch.nn.Linear(2, 1).parameters()
    optimizer = getattr(torchopt.optim, name)(parameters, lr=0.1, use_accelerated_op=False)
    rules = [rule for tx in optimizer.impl.transformations if (rule := rule_of(tx))]
    assert {rule.fused for rule in rules} == {False}


@pytest.mark.parametrize(
    ("name", "way"), covering([*CLASSES], ["state_dict", "deepcopy", "pickle"])
)
def test_saved_and_copied_optimizers_go_on_alone_bit_for_bit(name: str, way: str) -> None:
    params = make_params()
    optimizer = CLASSES[name](params)
    train(optimizer, params, range(3))
    for p in params:
        p.grad = None
    if way == "state_dict":
        loaded = saved({"params": [p.detach() for p in params], "state": optimizer.state_dict()})
        copies = [p.requires_grad_() for p in loaded["params"]]
        twin = CLASSES[name](copies)
        twin.load_state_dict(loaded["state"])
    else:
        twin = (
            copy.deepcopy(optimizer) if way == "deepcopy" else pickle.loads(pickle.dumps(optimizer))
        )
        copies = twin.param_groups[0]["params"]
    before = snapshot((params, optimizer.state_dict()))
    train(twin, copies, range(3, 5))
    assert_trees_equal(snapshot((params, optimizer.state_dict())), before)
    train(optimizer, params, range(3, 5))
    assert_trees_equal(snapshot(copies), snapshot(params))
    assert_trees_equal(twin.state_dict(), optimizer.state_dict())


def test_frozen_and_missing_parameters_stay_and_a_rate_that_requires_grad_makes_no_graph() -> None:
    live, frozen = make_params()[0], make_params(2)[0].detach()
    lr = torch.tensor(0.1, dtype=torch.float64, requires_grad=True)
    optimizer = torchopt.optim.AdamW({"live": live, "frozen": frozen, "none": None}, lr)
    start, before = live.detach().clone(), frozen.clone()
    train(optimizer, [live], range(2))
    assert torch.equal(frozen, before)
    assert (live != start).all()
    assert live.is_leaf
    assert not any(x.requires_grad for x in leaves(optimizer.state_dict()["state"]))


def test_load_state_dict_refuses_another_number_of_groups() -> None:
    params = make_params()
    optimizer = torchopt.optim.Adam(params)
    before = snapshot(optimizer.state_dict())
    double = torchopt.optim.Adam([{"params": [p]} for p in make_params()]).state_dict()
    for wrong in ((), double):
        with pytest.raises(ValueError, match="groups"):
            optimizer.load_state_dict(wrong)
    assert_trees_equal(optimizer.state_dict(), before)


def test_state_of_another_optimizer_is_refused_before_anything_moves() -> None:
    params, others = make_params(1), make_params(2)
    optimizer = torchopt.optim.Adam(params)
    optimizer.add_param_group(others)
    train(optimizer, params, range(1))
    good = optimizer.state_dict()
    other = torchopt.optim.SGD(foreign := make_params(3), 0.1, momentum=0.9)
    train(other, foreign, range(1))
    moved = {k + 3: x for k, x in other.state_dict()["state"].items()}
    give_grads(others, 2)
    before = snapshot((params, others))
    optimizer.load_state_dict({**good, "state": {**good["state"], **moved}})
    with pytest.raises(ValueError, match=r"without `exp_avg`, which Adam needs"):
        optimizer.step()
    assert_trees_equal(snapshot((params, others)), before)


def test_nothing_moves_if_one_group_cannot() -> None:
    params, others = make_params(1), make_params(2)
    optimizer = torchopt.optim.Adam(params, 0.1)
    optimizer.add_param_group(others)
    train(optimizer, params, range(2))
    give_grads(others, 5)
    # A parameter whose data were replaced by others of another shape no longer fits its state.
    others[2].grad = None
    others[2].data = torch.ones(2, 2, dtype=torch.float64)
    others[2].grad = torch.ones(2, 2, dtype=torch.float64)
    before = snapshot((params, others, optimizer.state_dict()))
    with pytest.raises(ValueError, match=r"\[2\].*\(2, 2\).*\(4,\)"):
        optimizer.step()
    assert_trees_equal(snapshot((params, others, optimizer.state_dict())), before)


def after_a_meta_step() -> tuple[torch.nn.Module, list[torch.Tensor]]:
    """Return a module whose parameters are no leaves, and leaves with their values."""
    torch.manual_seed(0)
    net = torch.nn.Linear(3, 2).double()
    inner = torchopt.MetaSGD(net, lr=0.1)
    inner.step(net(torch.ones(1, 3, dtype=torch.float64)).square().sum())
    assert not any(p.is_leaf for p in net.parameters())
    return net, [p.detach().clone().requires_grad_() for p in net.parameters()]


@pytest.mark.parametrize("name", PLAIN)
def test_parameters_after_a_meta_step_are_trained_as_leaves_are(name: str) -> None:
    net, leaves = after_a_meta_step()
    x = torch.linspace(-1, 2, 12, dtype=torch.float64).reshape(4, 3)
    found = PLAIN[name](net.parameters(), lr=0.05)
    expected = PLAIN[name](leaves, lr=0.05)
    start = [p.detach().clone() for p in leaves]

    def closure(optimizer: Any, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        optimizer.zero_grad()
        loss = (torch.nn.functional.linear(x, weight, bias) - 1).square().mean()
        # Not by `backward`, which would free the graph of the meta-step.
        weight.grad, bias.grad = torch.autograd.grad(loss, [weight, bias])
        return loss.detach()

    for _ in range(3):
        found.step(lambda: closure(found, net.weight, net.bias))
        expected.step(lambda: closure(expected, *leaves))
    for p, q, r in zip(net.parameters(), leaves, start, strict=True):
        assert torch.equal(p, q)
        assert not torch.equal(p, r)
