"""The two engines, of which one works at a time.

``torch.compile`` traces the one in Python. The other is compiled C++, loaded at the first use.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any

from torchopt.pytree import _nodes, _python
from torchopt.pytree._spec import PyTreeSpec, explain_count

_HAS_GIL = getattr(sys, "_is_gil_enabled", lambda: True)()
_LOCK = threading.Lock()

_name: str | None = None  # of the engine, once one is chosen
_native: Any = None  # its module, once loaded


def backend() -> str:
    """Return which implementation works outside of ``torch.compile``: ``"native"`` or ``"python"``.

    The native one is used where its binary is there or can be compiled and Python has a GIL; set
    ``TORCHOPT_NATIVE=off`` in the environment for the other one.

    Example:
        >>> import torchopt
        >>> torchopt.pytree.backend() in ("native", "python")
        True
    """
    if _name is None:
        select("python" if _load() is None else "native")
    assert _name is not None
    return _name


def select(name: str) -> None:
    """Choose the engine.

    Raises:
        RuntimeError: If it is the native engine and there is none.
    """
    global _name
    module: Any = _python if name == "python" else _load()
    if module is None:
        raise RuntimeError("there is no native tree engine here: it could not be built, or is off.")
    globals().update((function, getattr(module, function)) for function in _FUNCTIONS)
    PyTreeSpec._make, PyTreeSpec._of_tree = staticmethod(make), staticmethod(structure)
    _name = name


def _load() -> Any:
    """Return the native engine, connected to what is written in Python, or None."""
    global _native
    with _LOCK:
        if _native is None and _HAS_GIL:
            from torchopt.native import extension

            module: Any = extension("_pytree")
            if module is not None:
                explain = (PyTreeSpec.flatten_up_to, explain_count)
                called = (_nodes.resolve, _nodes.sort_keys, *explain, _python.twin)
                module.connect(PyTreeSpec, *called)
                _nodes.forget = module.forget
            _native = module
        return _native


def _chooses(name: str) -> Callable[..., Any]:
    """Return what stands for a function of the engine until its first call chooses the engine."""

    def function(*arguments: Any) -> Any:
        backend()
        return globals()[name](*arguments)

    return function


# Of the engine that works; the arguments are positional.
_FUNCTIONS = ("flatten", "leaves", "structure", "map_trees", "is_leaf", "make")
flatten, leaves, structure, map_trees, is_leaf, make = map(_chooses, _FUNCTIONS)
PyTreeSpec._make, PyTreeSpec._of_tree = staticmethod(make), staticmethod(structure)
