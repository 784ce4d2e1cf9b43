"""Regions of activations that ``torch.utils.checkpoint`` computes again in the backward pass.

PyTorch restores random numbers and autocast there. Modes of operators and buffers of modules are what
they are in the backward pass, unless a context of the region restores them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from contextvars import ContextVar
from typing import Any

import torch
from torch.utils.checkpoint import _CheckpointFrame

from torchopt.autodiff.graph import nodes_reached
from torchopt.autodiff.tracking import without_hooks


class Recomputation:
    """The function that computes a region again, in contexts.

    Attributes:
        contexts: Factories of the contexts, each by a key of its own.
    """

    def __init__(self, recompute: Callable[..., None]) -> None:
        self._recompute = recompute
        self.contexts: dict[Any, Callable[[], AbstractContextManager[Any]]] = {}

    def __call__(self, *args: Any) -> None:
        """Compute the region again, in its contexts."""
        with ExitStack() as stack:
            for context in self.contexts.values():
                stack.enter_context(context())
            self._recompute(*args)


top_hooks: Callable[[bool], Any] = torch._C._autograd._top_saved_tensors_default_hooks
"""The innermost hooks on saved tensors, or None; with False, unless they are hidden by tracing."""

AROUND: ContextVar[tuple[Recomputation, ...]] = ContextVar(
    "regions whose hooks are aside", default=()
)


def regions() -> list[Recomputation]:
    """Return the regions that are being evaluated, the innermost first."""
    if torch.compiler.is_compiling():
        return []
    if top_hooks(True) is None:
        return list(AROUND.get())
    with without_hooks() as hooks:
        closures = [inspect.getclosurevars(unpack).nonlocals for _, unpack in hooks]
    active = []
    # PyTorch cannot be asked for them, nor add a context afterwards.
    for frame in (closure.get("frame") for closure in closures):
        if isinstance(frame, _CheckpointFrame):
            if not isinstance(frame.recompute_fn, Recomputation):
                frame.recompute_fn = Recomputation(frame.recompute_fn)
            active.append(frame.recompute_fn)
    return [*active, *AROUND.get()]


@contextmanager
def hooks_aside() -> Iterator[None]:
    """Turn hooks on saved tensors off in an evaluation that their regions will do again."""
    token = AROUND.set(tuple(regions()))
    try:
        with without_hooks():
            yield
    finally:
        AROUND.reset(token)


def refuse_reentrant(output: torch.Tensor) -> None:
    """Raise if a graph has a region of which ``torch.autograd.grad`` finds no gradients of parameters.

    Args:
        output: The root of the graph; some of its gradients are None.

    Raises:
        RuntimeError: If activations are checkpointed with ``use_reentrant=True``.
    """
    for node in nodes_reached([output]):
        if node.name() == "CheckpointFunctionBackward":
            raise RuntimeError(
                "a part of the program checkpoints activations with use_reentrant=True, so that "
                "`torch.autograd.grad` finds no gradient of the parameters in it: use "
                "`checkpoint(..., use_reentrant=False)`."
            )
