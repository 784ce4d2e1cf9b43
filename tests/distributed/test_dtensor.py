"""Parameters stored as DTensors, gathered inside of the graph: derivatives to the third order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
import torch
import torch.distributed as dist
from _ranks import WORLD, Ranks, shared_ranks
from torch import nn

import torchopt
from _cases import diagonal
from torchopt.distributed import spmd

pytestmark = pytest.mark.processes

Tensor = torch.Tensor
GEN = torch.Generator().manual_seed(0)
X, Y = (torch.randn(8, n, generator=GEN, dtype=torch.float64) for n in (3, 1))
# 5 is no multiple of 4 nor of 2: shards of 2, 2, 1 and 0 rows, or of 3 and 2.
START = {
    "0.weight": torch.randn(5, 3, generator=GEN, dtype=torch.float64),
    "0.bias": torch.randn(5, generator=GEN, dtype=torch.float64),
    "2.weight": torch.randn(1, 5, generator=GEN, dtype=torch.float64),
    "2.bias": torch.randn(1, generator=GEN, dtype=torch.float64),
}
# The mesh, and how each parameter is placed on it: the dimensions it is sharded along, or None.
LAYOUTS: dict[str, tuple[tuple[int, ...], dict[str, Sequence[int | None]]]] = {
    "sharded": ((4,), {"0.weight": [0], "0.bias": [0], "2.weight": [1], "2.bias": [None]}),
    "hybrid": ((2, 2), {k: [None, 0] for k in START}),
    "in two dimensions": (
        (2, 2),
        {"0.weight": [0, 1], "0.bias": [0, 0], "2.weight": [1, None], "2.bias": [None, None]},
    ),
}


@pytest.fixture(scope="module")
def ranks() -> Ranks:
    return shared_ranks()


def net(width: int = 5) -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(3, width), nn.Tanh(), nn.Linear(width, 1)).double()


def adapted(params: dict[str, Tensor], x: Tensor, y: Tensor, total: Any) -> Tensor:
    """Two inner steps and the outer loss; ``total`` adds up what ranks have."""

    def loss(params: dict[str, Tensor]) -> Tensor:
        return (torchopt.nn.functional_call(model, params, (x,)) - y).square().sum() / len(X)

    model = net()
    for _ in range(2):
        grads = torch.autograd.grad(loss(params), list(params.values()), create_graph=True)
        params = {k: p - 0.1 * g for (k, p), g in zip(params.items(), grads, strict=True)}
    return total(loss(params))


def orders(value: Tensor, params: list[Tensor], count: int = 3) -> list[list[Tensor]]:
    """Derivatives: each of the sum of cubes of those before it."""
    found = []
    for order in range(count):
        grads = torch.autograd.grad(value, params, create_graph=order + 1 < count)
        found.append([whole(g).detach() for g in grads])
        value = torch.stack([(whole(g) ** 3).sum() for g in grads]).sum()
    return found


def whole(tensor: Tensor) -> Tensor:
    return spmd.unshard(tensor, varying=False)


def distributed(group: Any, layout: str, varying: bool) -> list[list[Tensor]]:
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor

    shape, places = LAYOUTS[layout]
    mesh = init_device_mesh("cpu", shape)
    params = {
        name: distribute_tensor(
            p, mesh, [Replicate() if d is None else Shard(d) for d in places[name]]
        ).requires_grad_()
        for name, p in START.items()
    }
    mine = slice(2 * dist.get_rank(), 2 * dist.get_rank() + 2) if varying else slice(None)
    full = spmd.unshard(params, varying=varying)
    value = adapted(full, X[mine], Y[mine], spmd.psum if varying else lambda x: x)
    (grad, *_) = torch.autograd.grad(value, list(params.values()), retain_graph=True)
    assert isinstance(grad, DTensor)
    assert grad.placements == params["0.weight"].placements
    return [[value.detach()], *orders(value, list(params.values()))]


@pytest.mark.parametrize(("layout", "varying"), diagonal([*LAYOUTS], [True, False]))
def test_derivatives_of_sharded_parameters_are_those_of_whole_ones(
    ranks: Ranks, layout: str, varying: bool
) -> None:
    params = {name: p.clone().requires_grad_() for name, p in START.items()}
    # The inner loss of a rank is that of its data; the outer one is the sum.
    parts = [slice(2 * r, 2 * r + 2) for r in range(WORLD)] if varying else [slice(None)]
    value = torch.stack([adapted(params, X[k], Y[k], lambda x: x) for k in parts]).sum()
    expected = [[value.detach()], *orders(value, list(params.values()))]
    for found in ranks.run(distributed, layout, varying):
        torch.testing.assert_close(found, expected, rtol=1e-12, atol=1e-12)


def partial(group: Any) -> str:
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor import DTensor, Partial

    mesh = init_device_mesh("cpu", (WORLD,))
    try:
        spmd.unshard({"w": DTensor.from_local(torch.ones(2), mesh, [Partial()])})
    except ValueError as error:
        return str(error)
    return "nothing was raised"


def test_partial_sums_are_no_parameters(ranks: Ranks) -> None:
    assert all("`tree['w']` is placed as P" in text for text in ranks.run(partial))
