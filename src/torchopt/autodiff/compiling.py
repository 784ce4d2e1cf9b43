"""Code that ``torch.compile`` leaves alone or must not touch, without two seconds of imports."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar

import torch
from torch._C._dynamo.eval_frame import get_eval_frame_callback
from torch._compile import _disable_dynamo
from torch.autograd.graph import get_gradient_edge

from torchopt import checks
from torchopt.autodiff.graph import between, nodes_reached
from torchopt.autodiff.transforms import compiler_is_imported

__all__ = [
    "break_graph",
    "eagerly",
    "has_compiled_gradient",
    "refuse_compiled",
    "uncompiled",
]

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


@contextmanager
def eagerly() -> Iterator[None]:
    """Run functions compiled by ``torch.compile`` eagerly, so that modes see their operations."""
    # Nothing is where that is not imported; and where it works already it refuses.
    if "torch._dynamo.eval_frame" not in sys.modules or get_eval_frame_callback():
        yield
        return
    with torch.compiler.set_stance("force_eager"):
        yield


def has_compiled_gradient(output: torch.Tensor) -> bool:
    """Whether an output depends on a gradient of compiled code, which cannot be differentiated."""
    if checks.transforms_active():
        return False
    return any(
        node.name() == "CompiledFunctionBackwardBackward" for node in nodes_reached([output])
    )


def refuse_compiled(
    grads: tuple[torch.Tensor, ...],
    output: torch.Tensor | Sequence[torch.Tensor],
    inputs: torch.Tensor | Sequence[torch.Tensor],
) -> tuple[torch.Tensor, ...]:
    """Return gradients that raise when they are differentiated, if they depend on compiled code.

    The backward pass of what ``torch.compile`` has compiled cannot be differentiated: some of its
    derivatives are errors, and others zero without a word.

    Args:
        grads: The gradients, taken with ``create_graph=True``.
        output: The outputs that were differentiated.
        inputs: The inputs. Gradients with respect to edges of the graph are returned as they are.
    """
    if not compiler_is_imported() or checks.transforms_active():
        return grads
    outputs = [output] if isinstance(output, torch.Tensor) else list(output)
    inputs = [inputs] if isinstance(inputs, torch.Tensor) else list(inputs)
    if not all(isinstance(t, torch.Tensor) for t in (*outputs, *inputs)):
        return grads
    ends = {get_gradient_edge(t).node for t in inputs if t.requires_grad}
    if not any(map(_is_compiled, between(outputs, ends))):
        return grads
    present = [g for g in grads if g is not None]
    given = iter(_Refuse.apply(len(outputs), *outputs, *present))
    return tuple(g if g is None else next(given) for g in grads)


def _is_compiled(node: Any) -> bool:
    return type(node).__name__ == "CompiledFunctionBackward"


class _Refuse(torch.autograd.Function):
    """The identity on gradients, which also depends on the outputs; its backward pass raises."""

    @staticmethod
    def forward(ctx: Any, size: int, *tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return tuple(g.view_as(g) for g in tensors[size:])

    @staticmethod
    def backward(ctx: Any, *cotangents: Any) -> Any:
        raise RuntimeError(
            "the function that was optimized calls what torch.compile has compiled, whose gradient "
            "cannot be differentiated again: pass the function or module as it was before "
            "torch.compile, and compile the whole by `compile=True` of torchopt.minimize or "
            "torchopt.meta_grad_and_value."
        )
