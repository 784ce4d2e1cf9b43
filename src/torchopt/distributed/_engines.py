"""Engines by name; all users of a name share one engine."""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Callable

from torchopt.distributed._engine import Engine
from torchopt.distributed._local import LocalEngine
from torchopt.distributed._process import ProcessEngine
from torchopt.distributed._ray import RayEngine
from torchopt.distributed._rpc import group_engine
from torchopt.distributed.monarch import MonarchEngine

__all__ = ["engine_of"]

_OWN: dict[str, Callable[[], Engine]] = {
    "local": LocalEngine,
    "process": ProcessEngine,
    "ray": RayEngine,
    "monarch": lambda: MonarchEngine(os.cpu_count() or 1),
}
_SHARED: dict[str, Engine] = {}
_LOCK = threading.Lock()


def engine_of(engine: Engine | str | None) -> Engine:
    """Return an engine: the argument itself, or the shared one of that name.

    Raises:
        ValueError: If the name is unknown.
    """
    if isinstance(engine, Engine):
        return engine
    name = "process" if engine is None else engine
    if name == "rpc":  # belongs to the program's group, and changes with it
        return group_engine()
    if name not in _OWN:
        known = ", ".join(repr(k) for k in sorted([*_OWN, "rpc"]))
        raise ValueError(f"`engine` is {engine!r}: use an engine, or one of {known}.")
    with _LOCK:
        if name not in _SHARED or getattr(_SHARED[name], "closed", False):
            _SHARED[name] = _OWN[name]()
            atexit.register(_SHARED[name].close)
        return _SHARED[name]
