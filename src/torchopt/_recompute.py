"""What a checkpointed region of activations sees when it is computed again.

PyTorch restores random numbers and autocast there. Modes of operators and buffers of modules are as
they happen to be in the backward pass, unless they are noted here during the evaluation.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from contextvars import ContextVar
from typing import Any

import torch
from torch.utils.checkpoint import _CheckpointFrame

from torchopt._closure import nodes_reached

__all__ = ["Recomputation", "hooks_aside", "refuse_reentrant", "regions", "without_hooks"]


class Recomputation:
    """The recomputation of a region, in contexts.

    Attributes:
        contexts: Makes each context, by a key of its own.
    """

    def __init__(self, recompute: Callable[..., None]) -> None:
        self._recompute = recompute
        self.contexts: dict[Any, Callable[[], AbstractContextManager[Any]]] = {}

    def __call__(self, *args: Any) -> None:
        with ExitStack() as stack:
            for context in self.contexts.values():
                stack.enter_context(context())
            self._recompute(*args)


_AROUND: ContextVar[tuple[Recomputation, ...]] = ContextVar(
    "regions whose hooks are aside", default=()
)


def regions() -> list[Recomputation]:
    """Return the regions that are being evaluated, the innermost first."""
    if torch.compiler.is_compiling():
        return []
    if torch._C._autograd._top_saved_tensors_default_hooks(True) is None:
        return list(_AROUND.get())
    with without_hooks() as hooks:
        closures = [inspect.getclosurevars(unpack).nonlocals for _, unpack in hooks]
    found = []
    # PyTorch has no way to ask for them, or to add a context afterwards.
    for frame in (closure.get("frame") for closure in closures):
        if isinstance(frame, _CheckpointFrame):
            if not isinstance(frame.recompute_fn, Recomputation):
                frame.recompute_fn = Recomputation(frame.recompute_fn)
            found.append(frame.recompute_fn)
    return [*found, *_AROUND.get()]


@contextmanager
def without_hooks() -> Iterator[list[Any]]:
    """Put hooks on saved tensors aside, and yield them."""
    hooks: list[Any] = []
    top: Callable[[bool], Any] = torch._C._autograd._top_saved_tensors_default_hooks
    while (pair := top(True)) is not None:
        hooks.append(pair)
        torch._C._autograd._pop_saved_tensors_default_hooks()
    try:
        yield hooks
    finally:
        for pack, unpack in reversed(hooks):
            torch._C._autograd._push_saved_tensors_default_hooks(pack, unpack)


@contextmanager
def hooks_aside() -> Iterator[None]:
    """Put hooks on saved tensors aside in an evaluation that their regions do again."""
    token = _AROUND.set(tuple(regions()))
    try:
        with without_hooks():
            yield
    finally:
        _AROUND.reset(token)


def refuse_reentrant(output: torch.Tensor) -> None:
    """Raise where a graph has a region whose parameters ``autograd.grad`` takes for unread.

    Args:
        output: Of which some gradients are None.

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
