"""One program on many data: typed collectives, and what is built of them."""

from torchopt.collectives.checking import check_replicated, checked
from torchopt.collectives.dtensor import unshard
from torchopt.collectives.typed import (
    all_gather,
    broadcast,
    pmean,
    ppermute,
    psum,
    pvary,
    reduce_scatter,
    shard,
)
from torchopt.distributed.spmd._batch_norm import SyncBatchNorm, sync_batch_norm
from torchopt.distributed.spmd._es import Sharded, es_map
from torchopt.distributed.spmd._hvp import sharded_hessian_operator
from torchopt.distributed.spmd._reduce import all_reduce_grads
from torchopt.distributed.spmd._tasks import task_map

__all__ = [
    "Sharded",
    "SyncBatchNorm",
    "all_gather",
    "all_reduce_grads",
    "broadcast",
    "check_replicated",
    "checked",
    "es_map",
    "pmean",
    "ppermute",
    "psum",
    "pvary",
    "reduce_scatter",
    "shard",
    "sharded_hessian_operator",
    "sync_batch_norm",
    "task_map",
    "unshard",
]
