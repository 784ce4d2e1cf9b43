"""Executors by name; all users of a name share one executor."""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Callable

from torchopt import checks
from torchopt.distributed._executor import Executor
from torchopt.distributed._local import LocalExecutor
from torchopt.distributed._process import ProcessExecutor
from torchopt.distributed._ray import RayExecutor
from torchopt.distributed._rpc import group_executor
from torchopt.distributed.monarch import MonarchExecutor

_OWN: dict[str, Callable[[], Executor]] = {
    "local": LocalExecutor,
    "process": ProcessExecutor,
    "ray": RayExecutor,
    "monarch": lambda: MonarchExecutor(os.cpu_count() or 1),
}
_NAMES = checks.Word(
    f"use an executor, or one of {', '.join(map(repr, sorted([*_OWN, 'rpc'])))}",
    holds=lambda name: name in _OWN,
)
_SHARED: dict[str, Executor] = {}
_LOCK = threading.Lock()


def executor_of(executor: Executor | str | None) -> Executor:
    """Return an executor: the argument itself, or the shared one of that name.

    Raises:
        ValueError: If the name is unknown.
    """
    if isinstance(executor, Executor):
        return executor
    name = "process" if executor is None else executor
    if name == "rpc":  # belongs to the program's group, and changes with it
        return group_executor()
    checks.check("executor", name, _NAMES)
    with _LOCK:
        if name not in _SHARED or getattr(_SHARED[name], "closed", False):
            _SHARED[name] = _OWN[name]()
            atexit.register(_SHARED[name].close)
        return _SHARED[name]
