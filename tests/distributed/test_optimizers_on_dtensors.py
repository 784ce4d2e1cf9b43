"""Optimizers of parameters that are DTensors: the numbers of whole tensors."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import torch
from _ranks import Ranks, shared_ranks

import torchopt
from torchopt import optimizers

pytestmark = [pytest.mark.processes, pytest.mark.slow]

GEN = torch.Generator().manual_seed(0)
PARAMS = {
    "weight": torch.randn(8, 3, generator=GEN, dtype=torch.float64),
    "bias": torch.randn(8, generator=GEN, dtype=torch.float64),
}
GRADS = [
    {k: torch.randn(p.shape, generator=GEN, dtype=torch.float64) for k, p in PARAMS.items()}
    for _ in range(2)
]
OPTIONS: dict[str, dict[str, Any]] = {
    "galore": {"rank": 2},
    **{name: {"lr": 0.1} for name in ("noisy_sgd", "optimistic_gradient_descent", "sgd")},
}


@pytest.fixture(scope="module")
def ranks() -> Ranks:
    return shared_ranks()


def loss(params: Any) -> torch.Tensor:
    total: torch.Tensor = sum((p * p).sum() for p in params.values())
    return total


def trained(name: str, place: Callable[[Any], Any]) -> Any:
    """Return parameters after two steps; what reads the loss gets a quadratic one."""
    tx = getattr(optimizers, name)(**OPTIONS.get(name, {}))
    params = place(PARAMS)
    state = tx.init(params)
    for grads in GRADS:
        extra = {}
        if tx.reads:
            extra = {"value": loss(params).detach(), "value_fn": loss}
            extra = {k: x for k, x in extra.items() if k in tx.reads}
        updates, state = tx.update(place(grads), state, params=params, inplace=False, **extra)
        params = torchopt.apply_updates(params, updates, inplace=False)
    return params


def placing(group: Any) -> Callable[[Any], Any]:
    from torch.distributed.device_mesh import DeviceMesh
    from torch.distributed.tensor import Shard, distribute_tensor

    mesh = DeviceMesh.from_group(group, "cpu")
    return lambda tree: {k: distribute_tensor(x, mesh, [Shard(0)]) for k, x in tree.items()}


def distributed(group: Any, name: str) -> Any:
    from torch.distributed.tensor import DTensor

    params = trained(name, placing(group))
    assert all(isinstance(p, DTensor) for p in params.values())
    return {k: p.full_tensor() for k, p in params.items()}


@pytest.mark.parametrize("name", sorted({*optimizers.__all__} - {"lbfgs"}))
def test_an_optimizer_updates_sharded_parameters_as_whole_ones(ranks: Ranks, name: str) -> None:
    expected = trained(name, dict)
    for result in ranks.run(distributed, name, size=2):
        torch.testing.assert_close(result, expected, rtol=1e-9, atol=1e-9)


def refused(group: Any) -> None:
    params = placing(group)(PARAMS)
    calls: list[Callable[[], Any]] = [
        partial(torchopt.minimize, loss, params, solver=torchopt.solver.LBFGS()),
        partial(torchopt.minimize, loss, params, solver=torchopt.solver.Newton()),
        partial(torchopt.minimize, loss, params),
        partial(torchopt.fixed_point, dict, params),
        partial(torchopt.root, dict, params),
        partial(torchopt.least_squares, dict, params),
        partial(optimizers.lbfgs().init, params),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=r"not for DTensors, .* one vector .*: use a gradient"):
            call()


def test_what_computes_with_one_vector_refuses_sharded_parameters(ranks: Ranks) -> None:
    ranks.run(refused, size=2)
