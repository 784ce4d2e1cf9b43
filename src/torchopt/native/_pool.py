"""The pool of buffers that kernels take their outputs from."""

from __future__ import annotations

import ctypes
import functools
import sys
from collections.abc import Callable

from torchopt.native import _load


def memory_stats() -> dict[str, int]:
    """Return the state of the pool that outputs are taken from.

    Returns:
        ``bytes_in_use`` by living tensors, ``bytes_cached`` for the next ones, ``limit`` of the cached
        bytes, and how many buffers were found there (``hits``) or not (``misses``). Zeros where the
        backend is not live.

    Example:
        >>> from torchopt import experimental
        >>> sorted(experimental.memory_stats())
        ['bytes_cached', 'bytes_in_use', 'hits', 'limit', 'misses']
    """
    names = ("bytes_in_use", "bytes_cached", "limit", "hits", "misses")
    driver = _driver() if _load.is_live() else None
    values = (ctypes.c_int64 * len(names))()
    if driver is not None:
        driver.torchopt_pool_stats(values)
    return dict(zip(names, values, strict=True))


def trim(keep: int = 0) -> int:
    """Give cached buffers back to the system, those first that were freed first.

    With glibc, free pages between living blocks of the heap are given back, too.

    Args:
        keep: How many bytes may stay cached.

    Returns:
        How many bytes of buffers were given back.

    Example:
        >>> from torchopt import experimental
        >>> _ = experimental.trim()
        >>> experimental.memory_stats()["bytes_cached"]
        0
    """
    driver = _driver()  # nothing is cached before it is loaded
    given = int(driver.torchopt_pool_trim(keep)) if driver is not None else 0
    _malloc_trim()(0)
    return given


@functools.cache
def _malloc_trim() -> Callable[[int], int]:
    library = ctypes.CDLL(None) if sys.platform == "linux" else None
    return getattr(library, "malloc_trim", int)  # of other C libraries, nothing


def set_memory_limit(limit: int) -> None:
    """Set how many bytes may be cached; what is beyond is given back.

    By default an eighth of the memory, or the environment's ``TORCHOPT_POOL_BYTES``.

    Raises:
        ValueError: If the number is negative.

    Example:
        >>> from torchopt import experimental
        >>> before = experimental.memory_stats()["limit"]
        >>> experimental.set_memory_limit(before // 2)
        >>> experimental.set_memory_limit(before)
    """
    if limit < 0:
        raise ValueError(f"`limit` must be at least 0 bytes, but is {limit}.")
    driver = _driver() if _load.is_live() else None
    if driver is not None:
        driver.torchopt_pool_set_limit(limit)


def _driver() -> ctypes.CDLL | None:
    """Return the library that has the pool, if it is loaded."""
    return None if _load._runtime is None else _load._runtime.driver
