"""What a checkpointed region of activations sees when it is computed again.

PyTorch restores random numbers and autocast there. Modes of operators and buffers of modules are as
they happen to be in the backward pass, unless they are noted here during the evaluation.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from contextvars import ContextVar
from typing import Any

import torch
from torch.utils._python_dispatch import _disable_current_modes
from torch.utils.checkpoint import _CheckpointFrame

from torchopt._closure import nodes_reached

__all__ = [
    "Fingerprint",
    "Recomputation",
    "ReplayWarning",
    "hooks_aside",
    "refuse_reentrant",
    "regions",
    "without_hooks",
]


class ReplayWarning(UserWarning):
    """A step, or a block of `torchopt.remat`, did not give the same bits when it was computed again."""


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


class Fingerprint:
    """What is kept of some tensors to tell later ones from them: of each, a random projection.

    The projection of a difference is about as large as its norm, whatever its direction is (Alon,
    Matias and Szegedy, *The Space Complexity of Approximating the Frequency Moments*, 1999).

    Args:
        tensors: The tensors; those that are not strided are left out.
    """

    def __init__(self, tensors: Iterable[torch.Tensor]) -> None:
        self._projections = [_projected(t) for t in map(_entries, tensors) if t is not None]

    def distance(self, tensors: Iterable[torch.Tensor]) -> float:
        """Return how far other tensors are from these, relative to their norm; 0 if no bit differs."""
        values = [t for t in map(_entries, tensors) if t is not None]
        if len(values) != len(self._projections):
            return math.inf
        apart = [0.0]
        for t, first in zip(values, self._projections, strict=True):
            found = _projected(t)
            if not (torch.equal(found, first) or bool(found.isnan() & first.isnan())):
                norm = float(torch.linalg.vector_norm(t, dtype=torch.float64))
                off = abs(float(found - first)) / norm if norm else math.inf
                apart.append(math.inf if math.isnan(off) else off)
        return max(apart)


def _entries(t: torch.Tensor) -> torch.Tensor | None:
    """Return the entries of a tensor, real and in a row."""
    if t.layout != torch.strided:
        return None
    t = t.detach()
    if t.dtype.itemsize == 1:  # which has no arithmetic
        t = t.float()
    return (torch.view_as_real(t.resolve_conj()) if t.is_complex() else t).flatten()


def _projected(t: torch.Tensor) -> torch.Tensor:
    # In parts, since each takes twice the memory of its entries for a moment.
    directions = _directions(t.device)
    if len(t) <= len(directions):
        return (t * directions[: len(t)]).sum()
    return _projected(torch.stack([_projected(part) for part in t.split(len(directions))]))


@functools.lru_cache(maxsize=16)
def _directions(device: torch.device) -> torch.Tensor:
    # A CPU is fastest within its cache, and a GPU with few launches.
    size = 1 << (16 if device.type == "cpu" else 20)
    generator = torch.Generator().manual_seed(0)
    with _disable_current_modes():  # it stays
        return torch.randn(size, generator=generator, dtype=torch.float64, device="cpu").to(device)
