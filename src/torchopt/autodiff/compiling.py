"""Code that ``torch.compile`` leaves alone or must not touch, without two seconds of imports."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import torch
from torch._compile import _disable_dynamo

from torchopt import checks
from torchopt.autodiff.graph import nodes_reached
from torchopt.autodiff.transforms import compiler_is_imported

_P = ParamSpec("_P")
_R = TypeVar("_R")


def uncompiled(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Run a function eagerly in compiled code, as ``torch.compiler.disable`` does."""

    @functools.wraps(function)
    def run(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        if not compiler_is_imported():
            return function(*args, **kwargs)
        return _disabled(function, *args, **kwargs)

    return run


def break_graph(reason: str) -> None:
    """Run what comes eagerly, where code is traced; with ``fullgraph=True`` this raises."""
    torch._dynamo.graph_break(msg=reason)


# One for all, since what is disabled holds itself.
@_disable_dynamo
def _disabled(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    return function(*args, **kwargs)


def has_compiled_gradient(output: torch.Tensor) -> bool:
    """Whether an output depends on a gradient of compiled code, which cannot be differentiated."""
    if checks.transforms_active():
        return False
    return any(
        node.name() == "CompiledFunctionBackwardBackward" for node in nodes_reached([output])
    )
