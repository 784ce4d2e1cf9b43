"""States of modules and meta-optimizers."""

from __future__ import annotations

import pytest
import torch
from torch import nn

import torchopt

WAYS = {
    "reference": ["reference", "ref"],
    "copy": ["copy", "clone"],
    "deepcopy": ["deepcopy", "deepclone"],
}


def stepped(make: type = torchopt.MetaAdam) -> tuple[nn.Module, torchopt.MetaOptimizer, list]:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3), nn.Linear(3, 1))
    meta_params = list(net.parameters())
    optimizer = make(net, lr=0.1)
    optimizer.step(net(torch.randn(4, 2)).pow(2).mean())
    return net, optimizer, meta_params


def tensors(state: object) -> list[torch.Tensor]:
    if isinstance(state, torchopt.optim.ModuleState):
        return [t for c in (*state.params, *state.buffers) for t in c.values() if t is not None]
    return [t for t in torchopt.pytree.flattening.flatten(state)[0] if isinstance(t, torch.Tensor)]


@pytest.mark.parametrize("by", WAYS["reference"])
def test_by_reference_gives_the_identical_tensors_back(by: str) -> None:
    net = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
    params, buffers = list(net.parameters()), list(net.buffers())
    state = torchopt.extract_state_dict(net, by=by)
    assert isinstance(state.params, tuple)
    assert [set(c) for c in state.params] == [{"weight", "bias"}] * 2
    optimizer = torchopt.MetaSGD(net, lr=0.1)
    fresh = torchopt.extract_state_dict(optimizer, by=by)
    assert fresh == (torchopt.transform.UninitializedState(),)
    for _ in range(2):
        optimizer.step(net(torch.randn(4, 2)).sin().sum())
        torchopt.recover_state_dict(net, state)
        torchopt.recover_state_dict(optimizer, fresh)
        assert all(a is b for a, b in zip(net.parameters(), params, strict=True))
        assert all(a is b for a, b in zip(net.buffers(), buffers, strict=True))
        assert optimizer.state_dict() == fresh


@pytest.mark.parametrize("by", WAYS["copy"])
def test_by_copy_keeps_the_graph(by: str) -> None:
    net, optimizer, meta_params = stepped()
    for target in (net, optimizer):
        state = torchopt.extract_state_dict(target, by=by)
        for copied, original in zip(
            tensors(state), tensors(torchopt.extract_state_dict(target)), strict=True
        ):
            assert copied is not original
            assert torch.equal(copied, original)
    state = torchopt.extract_state_dict(net, by=by)
    weight = state.params[0]["weight"]
    assert torch.autograd.grad(weight.sum(), meta_params[0])[0].abs().sum() > 0


@pytest.mark.parametrize("by", WAYS["deepcopy"])
def test_by_deepcopy_cuts_the_graph_and_keeps_requires_grad(by: str) -> None:
    net, optimizer, _ = stepped()
    for target in (net, optimizer):
        for copied, original in zip(
            tensors(torchopt.extract_state_dict(target, by=by)),
            tensors(torchopt.extract_state_dict(target)),
            strict=True,
        ):
            assert copied is not original
            assert torch.equal(copied, original)
            assert copied.is_leaf
            assert copied.requires_grad == original.requires_grad


@pytest.mark.parametrize("by", ["reference", "copy", "deepcopy"])
def test_ties_survive_each_way(by: str) -> None:
    net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    net[1].weight = net[0].weight
    state = torchopt.extract_state_dict(net, by=by)
    assert state.params[0]["weight"] is state.params[1]["weight"]
    torchopt.recover_state_dict(net, state)
    assert net[0].weight is net[1].weight
    twin = torchopt.nn.module_clone(net, by=by)
    assert twin[0].weight is twin[1].weight


def test_detached_buffers_can_be_recovered_many_times() -> None:
    net = nn.BatchNorm1d(3)
    state = torchopt.extract_state_dict(net, detach_buffers=True)
    for _ in range(2):
        net(torch.randn(5, 3))
        assert net.num_batches_tracked.item() == 1
        torchopt.recover_state_dict(net, state)
        assert net.num_batches_tracked.item() == 0
    assert torchopt.extract_state_dict(net, with_buffers=False).buffers == ()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda: nn.Linear(2, 2),
            "state has parameters for 2 submodules, but Linear has them in 1",
        ),
        (
            lambda: nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2)),
            r"`0.weight` has shape \(2, 2\) in the state, but \(2, 3\) in the module",
        ),
        (
            lambda: nn.Sequential(nn.Bilinear(2, 2, 2), nn.PReLU()),
            "`1.bias` is not in both|`0.weight` has shape",
        ),
    ],
)
def test_a_state_that_does_not_fit_is_refused_and_nothing_changes(
    change: object, message: str
) -> None:
    state = torchopt.extract_state_dict(nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)))
    net = change()  # type: ignore[operator]
    before = list(net.parameters())
    with pytest.raises(ValueError, match=message):
        torchopt.recover_state_dict(net, state)
    assert all(a is b for a, b in zip(net.parameters(), before, strict=True))


def test_wrong_kinds_are_refused() -> None:
    net, optimizer, _ = stepped()
    with pytest.raises(ValueError, match="`by` is 'value'"):
        torchopt.extract_state_dict(net, by="value")
    for wrong in (3, torchopt.optim.Adam(nn.Linear(1, 1).parameters())):
        with pytest.raises(TypeError, match="pass a module or a meta-optimizer"):
            torchopt.extract_state_dict(wrong)
        with pytest.raises(TypeError, match="pass a module or a meta-optimizer"):
            torchopt.recover_state_dict(wrong, ())
    with pytest.raises(TypeError, match="a state of type tuple was given for a module"):
        torchopt.recover_state_dict(net, torchopt.extract_state_dict(optimizer))
    with pytest.raises(TypeError, match="a module's state was given for a meta-optimizer"):
        torchopt.recover_state_dict(optimizer, torchopt.extract_state_dict(net))


@pytest.mark.parametrize("way", ["net", "optimizer", "states", "tree"])
def test_stop_gradient_cuts_in_place(way: str) -> None:
    net, optimizer, _ = stepped()
    params = list(net.parameters())
    target = {
        "net": net,
        "optimizer": optimizer,
        "states": torchopt.extract_state_dict(net),
        "tree": {"p": params, "other": 3, "none": None},
    }[way]
    assert torchopt.stop_gradient(target) is None
    cut = tensors(optimizer.state_dict()) if way == "optimizer" else params
    assert all(t.is_leaf for t in cut)
    assert all(t.requires_grad for t in cut if t.is_floating_point())
    assert all(a is b for a, b in zip(net.parameters(), params, strict=True))


def test_stopping_a_module_also_stops_the_states_of_its_optimizers() -> None:
    """Otherwise the graph of every earlier step stays alive through the moments."""
    net, optimizer, meta_params = stepped()
    torchopt.stop_gradient(net)
    assert all(t.is_leaf for t in tensors(optimizer.state_dict()))
    optimizer.step(net(torch.randn(4, 2)).pow(2).mean())
    outer = net(torch.randn(4, 2)).sum()
    assert torch.autograd.grad(outer, meta_params[0], allow_unused=True)[0] is None


def test_clones_by_reference_share_tensors_but_not_tables() -> None:
    net = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
    twin = torchopt.nn.module_clone(net)
    assert type(twin) is type(net)
    assert all(a is b for a, b in zip(twin.parameters(), net.parameters(), strict=True))
    assert all(a is b for a, b in zip(twin.buffers(), net.buffers(), strict=True))
    twin[0]._parameters["weight"] = None
    assert net[0].weight is not None
    apart = torchopt.nn.module_clone(net, detach_buffers=True)
    apart(torch.randn(5, 3)[:, :2])
    assert net[1].num_batches_tracked.item() == 0


def test_clones_by_copy_stay_in_the_graph_and_by_deepcopy_leave_it() -> None:
    net, _, meta_params = stepped()
    x = torch.randn(4, 2)
    copied = torchopt.nn.module_clone(net, by="copy")
    assert torch.autograd.grad(copied(x).sin().sum(), meta_params[0])[0].abs().sum() > 0
    apart = torchopt.nn.module_clone(net, by="deepcopy")
    assert all(p.is_leaf and p.requires_grad for p in apart.parameters())
    torch.testing.assert_close(apart(x), copied(x))


def test_module_detach_returns_the_module() -> None:
    net, _, _ = stepped()
    assert torchopt.module_detach_(net) is net
    assert all(p.is_leaf and p.requires_grad for p in net.parameters())
