"""Which processes a run has: one, replicas, or shards of `fully_shard`; and their process group."""

from __future__ import annotations

import os

import torch
from torch import distributed as dist

from torchopt.multilevel._config import EngineConfig
from torchopt.multilevel._parallel import Ranks, Replicas


def make_ranks(config: EngineConfig) -> Ranks:
    """Return the processes of a run, from the view of this process.

    Raises:
        RuntimeError: If the run is to be distributed, but this process does not know the others.
    """
    if config.strategy == "default":
        return Ranks()
    _join_group(config.backend)
    if config.strategy == "fsdp":
        from torchopt.multilevel._fsdp import Shards  # late: PyTorch's FSDP is slow to import

        return Shards()
    return Replicas()


def _join_group(backend: str | None) -> None:
    """Create the process group, unless there is one, and select this process's GPU."""
    if dist.is_initialized():
        return
    missing = [name for name in ("RANK", "WORLD_SIZE", "MASTER_ADDR") if name not in os.environ]
    if missing:
        raise RuntimeError(
            f"the run is to be distributed, but {missing[0]} is not set: start the program with "
            f"`torchrun`, or call `torch.distributed.init_process_group` before."
        )
    if torch.cuda.is_available() and backend != "gloo":
        torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
    dist.init_process_group(backend)
