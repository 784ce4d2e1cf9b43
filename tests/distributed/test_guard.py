"""Wrapped modules are refused."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from _ranks import WORLD, Ranks, shared_ranks
from torch import nn

import torchopt
from torchopt.distributed import remote_map
from torchopt.modules.wrapped import refuse_wrapped

pytestmark = pytest.mark.processes


@pytest.fixture(scope="module")
def ranks() -> Ranks:
    return shared_ranks()


def net() -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1)).double()


def refusals(group: Any) -> dict[str, str]:
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import FullyShardedDataParallel, fully_shard
    from torch.nn.parallel import DistributedDataParallel

    def message(module: nn.Module) -> str:
        try:
            refuse_wrapped(module, what="functional_call")
        except TypeError as error:
            return str(error)
        return "nothing was raised"

    def raised(function: Any, *args: Any) -> str:
        try:
            function(*args)
        except TypeError as error:
            return str(error)
        return "nothing was raised"

    x = torch.ones(2, 4, dtype=torch.float64)
    mesh = init_device_mesh("cpu", (WORLD,))
    ddp = DistributedDataParallel(net(), process_group=group)
    part = net()
    fully_shard(part[2], mesh=mesh)
    found = {
        "plain": message(net()),
        "DDP": message(ddp),
        "DDP inside": message(nn.Sequential(nn.Identity(), ddp)),
        "fully_shard": message(part),
        "FSDP1": message(FullyShardedDataParallel(net(), process_group=group, device_id=CPU)),
    }
    for name, call in {
        "functional_call": lambda: torchopt.nn.functional_call(ddp, {}, x),
        "make_functional": lambda: torchopt.compat.make_functional(part),
        "a meta-optimizer": lambda: torchopt.MetaSGD(ddp, lr=0.1),
        "a remote call": lambda: remote_map(ddp, [x], executor="local"),
    }.items():
        found[f"used by {name}"] = raised(call)
    return found


CPU = torch.device("cpu")


def test_wrapped_modules_are_refused_with_the_supported_route(ranks: Ranks) -> None:
    for found in ranks.run(refusals):
        assert found["plain"] == "nothing was raised"
        assert "a module that is wrapped in DistributedDataParallel" in found["DDP"]
        assert "spmd.pvary" in found["DDP"]
        assert "`1` is wrapped in DistributedDataParallel" in found["DDP inside"]
        assert "functional_call was given" in found["fully_shard"]
        assert "submodule `2` is wrapped in fully_shard (FSDP2)" in found["fully_shard"]
        assert "outside of `torch.func`" in found["fully_shard"]
        assert "FullyShardedDataParallel (FSDP1)" in found["FSDP1"]
        assert "divide it by `fully_shard`" in found["FSDP1"]
        for name in ("functional_call", "make_functional", "a meta-optimizer", "a remote call"):
            assert f"{name}" in found[f"used by {name}"]
            assert "is wrapped in" in found[f"used by {name}"]
