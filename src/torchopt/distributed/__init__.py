"""The distributed runtime: many programs on many workers, and one program on many data."""

import torch.distributed as _distributed
import torch.distributed.rpc as _rpc_of_torch

from torchopt.distributed import autograd, spmd
from torchopt.distributed._executor import Executor
from torchopt.distributed._local import LocalExecutor
from torchopt.distributed._parallelize import (
    TensorDimensionPartitioner,
    batch_partitioner,
    dim_partitioner,
    mean_reducer,
    parallelize,
    parallelize_async,
    parallelize_sync,
    remote_async_call,
    remote_sync_call,
    sum_reducer,
)
from torchopt.distributed._population import Workers
from torchopt.distributed._process import ProcessExecutor
from torchopt.distributed._ray import RayExecutor
from torchopt.distributed._remote_map import remote_map
from torchopt.distributed._rpc import RpcExecutor
from torchopt.distributed._world import (
    WorldInfo,
    auto_init_rpc,
    barrier,
    get_local_rank,
    get_local_world_size,
    get_rank,
    get_worker_id,
    get_world_info,
    get_world_rank,
    get_world_size,
    not_on_rank,
    on_rank,
    rank_non_zero_only,
    rank_zero_only,
)
from torchopt.io.names import publish as _publish

__all__ = [
    "Executor",
    "LocalExecutor",
    "ProcessExecutor",
    "RayExecutor",
    "RpcExecutor",
    "TensorDimensionPartitioner",
    "Workers",
    "WorldInfo",
    "auto_init_rpc",
    "autograd",
    "barrier",
    "batch_partitioner",
    "dim_partitioner",
    "get_local_rank",
    "get_local_world_size",
    "get_rank",
    "get_worker_id",
    "get_world_info",
    "get_world_rank",
    "get_world_size",
    "is_available",
    "mean_reducer",
    "not_on_rank",
    "on_rank",
    "parallelize",
    "parallelize_async",
    "parallelize_sync",
    "rank_non_zero_only",
    "rank_zero_only",
    "remote_async_call",
    "remote_map",
    "remote_sync_call",
    "spmd",
    "sum_reducer",
]


def is_available() -> bool:
    """Whether this torch was built with all that the functions on RPC need."""
    return _distributed.is_available() and _rpc_of_torch.is_available() and autograd.is_available()


_publish(__name__)
