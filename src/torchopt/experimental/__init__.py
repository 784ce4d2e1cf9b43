"""Names that may change in any release: functions for your own formulas, Monarch, elastic runs."""

from torchopt.distributed.monarch import MonarchExecutor
from torchopt.experimental import elastic
from torchopt.io.names import publish as _publish
from torchopt.native import memory_stats, set_memory_limit, status, trim
from torchopt.ops import (
    running_mean,
    safe_sqrt,
    sqrt,
    trace,
    where,
)

__all__ = [
    "MonarchExecutor",
    "elastic",
    "memory_stats",
    "running_mean",
    "safe_sqrt",
    "set_memory_limit",
    "sqrt",
    "status",
    "trace",
    "trim",
    "where",
]

_publish(__name__)
