"""Code that ``torch.compile`` leaves alone, without the two seconds that importing it takes."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from torch._compile import _disable_dynamo

__all__ = ["uncompiled"]

_P = ParamSpec("_P")
_R = TypeVar("_R")


def uncompiled(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Run a function eagerly in compiled code, as ``torch.compiler.disable`` does."""
    disabled: Callable[_P, _R] = _disable_dynamo(function)

    @functools.wraps(function)
    def run(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        # Who compiles has imported the compiler.
        chosen = disabled if "torch._dynamo" in sys.modules else function
        return chosen(*args, **kwargs)

    return run
