"""Which of the compiler's guards are checked at each call: those on code of libraries are not.

Dynamo guards on all that it has read. Most guards are on functions, classes and modules of this package
and of PyTorch, and on constants of this package, which are the same in each call; to check them takes
longer than a small problem.
"""

from __future__ import annotations

import re
import sys
import types
from collections.abc import Sequence
from typing import Any

__all__ = ["checked_at_calls"]

_LIBRARIES = {"torch", "torchopt", "optree", *sys.stdlib_module_names}
_CODE = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodDescriptorType,
    types.CodeType,
    types.ModuleType,
    type,
)
_OUR_CONSTANT = re.compile(r"G\['__import_torchopt_dot_\w+'\]\._?[A-Z][A-Z_]+\b")


def checked_at_calls(guards: Sequence[Any]) -> list[bool]:
    """Return for each guard whether it is checked, as a ``guard_filter_fn`` of ``torch.compile``.

    All are that are on what the user's code reads, and on flags and registries wherever they are.
    PyTorch itself has none on hooks of modules (``torch._dynamo.config.skip_nnmodule_hook_guards``).
    """
    return [
        not _OUR_CONSTANT.search(g.orig_guard.name)
        and not (isinstance(g.value, _CODE) and _in_library(g.orig_guard))
        for g in guards
    ]


def _in_library(guard: Any) -> bool:
    """Whether what is guarded was reached from a module of a library."""
    source = guard.originating_source
    while (base := getattr(source, "base", None)) is not None:
        source = base
    module = getattr(source, "global_name", "")
    return module.removeprefix("__import_").split("_dot_")[0] in _LIBRARIES
