"""Compiled kernels: what builds, loads, tests and feeds them; nothing else in the library compiles.

Importing this room loads nothing; the first question does, such as :func:`is_live`.
``python -m torchopt.native status`` says what is live and why.
"""

from torchopt.native._load import (
    Status,
    compile_kernels,
    extension,
    is_live,
    kernel,
    kernels,
    status,
)
from torchopt.native._pool import memory_stats, set_memory_limit, trim

__all__ = [
    "Status",
    "compile_kernels",
    "extension",
    "is_live",
    "kernel",
    "kernels",
    "memory_stats",
    "set_memory_limit",
    "status",
    "trim",
]
