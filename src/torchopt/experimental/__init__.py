"""Names that may change in any release: functions for your own formulas, and Monarch."""

from torchopt.distributed.monarch import MonarchExecutor
from torchopt.io.names import publish as _publish
from torchopt.native import memory_stats, set_memory_limit, status, trim
from torchopt.ops import running_mean, safe_sqrt, sqrt, trace, where

__all__ = [
    "MonarchExecutor",
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
