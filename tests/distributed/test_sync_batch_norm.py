"""Synchronized batch normalization is that of one process on the concatenated batch."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch
import torch.distributed as dist
from _ranks import Ranks, shared_ranks
from torch import nn

import torchopt
from torchopt.distributed import spmd

pytestmark = pytest.mark.processes

Tensor = torch.Tensor


@pytest.fixture(scope="module")
def ranks() -> Ranks:
    return shared_ranks()


def network(kind: str, momentum: float | None) -> nn.Module:
    with torch.random.fork_rng():
        torch.manual_seed(0)
        if kind == "1d":
            norm, layer, last = nn.BatchNorm1d, nn.Linear(3, 4), nn.Linear(4, 1)
        else:
            norm, layer, last = nn.BatchNorm2d, nn.Conv2d(3, 4, 3), nn.Linear(16, 1)
        norms = norm(4, momentum=momentum), norm(4, affine=False)
        return nn.Sequential(
            layer, norms[0], nn.Tanh(), norms[1], nn.Flatten(), last, nn.Tanh()
        ).double()


def data(kind: str, samples: int) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(3)
    shape = (samples, 3) if kind == "1d" else (samples, 3, 4, 4)
    x = torch.randn(*shape, generator=generator, dtype=torch.float64)
    scale = torch.linspace(0.2, 3, samples, dtype=torch.float64)
    y = torch.randn(samples, 1, generator=generator, dtype=torch.float64)
    return x * scale.reshape(-1, *[1] * (x.dim() - 1)) + 5, y


def derivatives(
    group: Any, kind: str, momentum: float | None, sizes: tuple[int, ...]
) -> list[list[Tensor]]:
    """Return a loss, three derivatives, buffers, and outputs in evaluation mode."""
    net, (x, y) = network(kind, momentum), data(kind, sum(sizes))
    params, whole = dict(net.named_parameters()), x
    alone = group is None
    if not alone:
        net = spmd.sync_batch_norm(net, group=group)
        x, y = (t.split(sizes)[dist.get_rank(group)] for t in (x, y))

    def loss() -> Tensor:
        own = params if alone else spmd.pvary(params, group=group)
        errors = (torchopt.nn.functional_call(net, own, x) - y).square()
        mean = (errors * (0.1 * errors.detach()).exp()).mean()
        return mean if alone else spmd.pmean(mean, group=group, weight=len(x))

    tensors = list(params.values())
    with torchopt.higher_order():
        value = loss()
    found = [[value.detach()]]
    for _ in range(3):
        grads = torch.autograd.grad(value, tensors, create_graph=True)
        found.append([g.detach() for g in grads])
        value = sum((g.square().sum() for g in grads), torch.zeros(()))
    found.append([b.double() for b in net.buffers()])
    net.eval()
    return [*found, [net(whole).detach()]]


@pytest.mark.parametrize(
    ("kind", "momentum", "sizes"),
    [("1d", 0.1, (7, 3)), ("1d", None, (1, 4, 2)), ("2d", 0.3, (3, 1, 2, 1))],
)
def test_derivatives_and_statistics_of_unequal_parts(
    ranks: Ranks, kind: str, momentum: float | None, sizes: tuple[int, ...]
) -> None:
    wanted = derivatives(None, kind, momentum, sizes)
    for found in ranks.run(derivatives, kind, momentum, sizes, size=len(sizes)):
        for mine, truth in zip(found, wanted, strict=True):
            # Together: that of what is before a normalization is a sum to zero of large numbers.
            a, b = (torch.cat([t.flatten() for t in tensors]) for tensors in (mine, truth))
            assert (a - b).norm() <= 1e-12 * b.norm()


def test_modules_are_replaced_in_place_and_keep_their_tensors() -> None:
    norm = nn.BatchNorm2d(3)
    net = nn.Sequential(norm, nn.ReLU(), nn.ModuleDict({"same": norm}), nn.InstanceNorm2d(3)).eval()
    tensors = [*net.parameters(), *net.buffers()]
    assert spmd.sync_batch_norm(net) is net
    assert isinstance(net[0], spmd.SyncBatchNorm)
    assert net[0] is net[2]["same"]
    assert type(net[3]) is nn.InstanceNorm2d
    assert not net[0].training
    for a, b in zip(tensors, [*net.parameters(), *net.buffers()], strict=True):
        assert a is b
    again = copy.deepcopy(spmd.sync_batch_norm(net))
    x = torch.randn(2, 3, 4, 4, generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(again[0].train()(x), nn.BatchNorm2d(3)(x))  # a process alone
    assert spmd.sync_batch_norm(nn.BatchNorm1d(2)).num_features == 2


class Activated(nn.BatchNorm1d):
    def forward(self, input: Tensor) -> Tensor:
        return super().forward(input).relu()


def test_what_cannot_be_replaced_is_refused() -> None:
    with pytest.raises(TypeError, match="`1` is a Activated, whose own `forward` would be lost"):
        spmd.sync_batch_norm(nn.Sequential(nn.ReLU(), Activated(2)))
    with pytest.raises(ValueError, match="has not seen its first batch"):
        spmd.sync_batch_norm(nn.Sequential(nn.LazyBatchNorm1d()))
