"""A function compiled by ``torch.compile``, called without what that does around each call.

For a small problem that takes about as long as the problem.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import torch
from torch._C._dynamo.eval_frame import _debug_get_cache_entry_list, get_eval_frame_callback

# Hooks that modules get later are noticed, and parameters that become one.
_SETTINGS = {
    "record_runtime_overhead": False,
    "skip_nnmodule_hook_guards": False,
    "skip_no_tensor_aliasing_guards_on_parameters": False,
}


class CompiledFunction:
    """A function of arguments by position, compiled when there is no version of it for them.

    Args:
        function: The function. Its code object must be no other function's.
        **options: Those of ``torch.compile``.
    """

    def __init__(self, function: types.FunctionType, **options: Any) -> None:
        self._code, self._globals = function.__code__, function.__globals__
        self._compiled = torch.compile(function, **options)

    def __call__(self, *args: Any) -> Any:
        """Call the version whose guards hold, as ``torch.compile`` does, or compile one."""
        if torch.compiler.is_compiling():  # this is a part of what is compiled
            return self._compiled(*args)
        if (version := self.version(*args)) is not None:
            return version(*args)
        with suppress(ImportError):  # before PyTorch 2.13 there is no such table
            from torch._dynamo.variables.object_protocol import _get_cached_slots

            _get_cached_slots.cache_clear()  # a class may have got a `__bool__` since
        with torch._dynamo.config.patch(_SETTINGS):
            return self._compiled(*args)

    def version(self, *args: Any) -> Callable[..., Any] | None:
        """Return the version whose guards hold for some arguments, if there is one."""
        if not _is_special():
            values = dict(zip(self._code.co_varnames, args, strict=False))
            for version in _debug_get_cache_entry_list(self._code):
                if version.guard_manager.check(values):
                    return types.FunctionType(version.code, self._globals)
        return None


def _is_special() -> bool:
    """Whether the user has set what compiled code does, or the caller is being traced."""
    stance = torch._dynamo.eval_frame._stance
    return bool(
        stance.stance != "default" or stance.backend is not None or get_eval_frame_callback()
    )
