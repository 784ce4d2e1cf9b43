"""A function that is evaluated again sees the environment of its first evaluation."""

from __future__ import annotations

import gc
import weakref

import torch
from torch import nn

import torchopt
from torchopt.autodiff.environment import Environment
from torchopt.diff import Implicit


def normalized(seed: int = 0) -> tuple[nn.Module, torch.Tensor]:
    torch.manual_seed(seed)
    return nn.Sequential(nn.BatchNorm1d(3), nn.Dropout(0.5)), torch.randn(7, 3)


def state(net: nn.Module) -> list[torch.Tensor]:
    return [b.clone() for b in net.buffers()] + [torch.get_rng_state()]


def same(a: list[torch.Tensor], b: list[torch.Tensor]) -> bool:
    return all(map(torch.equal, a, b))


def test_a_log_goes_back_to_each_of_its_snapshots() -> None:
    net, x = normalized()
    log = Environment()
    snapshots, states, results = [], [], []
    for _ in range(3):
        with log.recording():
            snapshots.append(log.snapshot())
            states.append(state(net))
            results.append(net(x))
    after = state(net)
    with log.again():
        for k in (2, 0, 1):
            log.rewind(snapshots[k])
            assert same(state(net), states[k])
            assert torch.equal(net(x), results[k])
    assert same(state(net), after)


def test_a_snapshot_shares_large_buffers_that_have_not_changed() -> None:
    net, x = nn.LayerNorm(4), torch.ones(4)
    net.register_buffer("mask", torch.ones(1 << 15))
    log = Environment()
    with log.recording():
        net(x)
    first, second = log.snapshot(), log.snapshot()
    assert first.buffers
    assert all(second.buffers[key] is value for key, value in first.buffers.items())


def test_a_block_is_evaluated_again_under_its_default_dtype() -> None:
    x = torch.tensor([0.3, -0.7], dtype=torch.float64, requires_grad=True)
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        y = torchopt.remat(lambda x: (x * torch.tensor(0.1)).sin())(x)
    finally:
        torch.set_default_dtype(before)
    (g,) = torch.autograd.grad(y.sum(), x)
    torch.testing.assert_close(g, 0.1 * (0.1 * x).cos(), rtol=1e-15, atol=0)
    assert torch.get_default_dtype() == before


def test_the_class_of_what_an_objective_reads_is_not_kept():
    def solve():
        class Data:
            scale = torch.tensor(2.0)

        data, target = Data(), torch.ones(2, requires_grad=True)
        solution = torchopt.minimize(
            lambda x, target: (data.scale * x - target).square().sum(),
            torch.zeros(2),
            (target,),
            solver=torchopt.solver.LBFGS(),
            diff=Implicit(),
        )
        solution.params.sum().backward()
        return weakref.ref(Data)

    kept = solve()
    gc.collect()
    assert kept() is None
