"""How many bytes a computation takes."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

__all__ = ["PeakMemory", "saved_bytes"]


def saved_bytes(function: Callable[..., torch.Tensor], *args: torch.Tensor) -> int:
    """Return how many bytes ``function(*args)`` keeps for the backward pass of its result."""
    kept: dict[int, int] = {}

    def pack(t: torch.Tensor) -> torch.Tensor:
        storage = t.untyped_storage()
        kept[storage.data_ptr()] = storage.nbytes()
        return t

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        result = function(*args)
    assert result.requires_grad  # the graph lives until here, so that no address is used twice
    return sum(kept.values())


class PeakMemory(TorchDispatchMode):
    """Count the bytes of the tensors that are made within it and are alive at the same time.

    Unlike the peak of the process, it is the same in every run.

    Attributes:
        peak: The most bytes so far.
    """

    def __init__(self) -> None:
        super().__init__()
        self.peak = self._now = 0
        # Addresses of the storages that are alive; those made outside are not counted.
        self._known: set[int] = set()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run an operation and count what it makes."""
        for tensor in _tensors((args, kwargs)):
            self._meet(tensor, made=False)
        out = func(*args, **(kwargs or {}))
        for tensor in _tensors(out):
            self._meet(tensor, made=True)
        return out

    def _meet(self, tensor: torch.Tensor, *, made: bool) -> None:
        storage = tensor.untyped_storage()
        key, size = storage._cdata, storage.nbytes() if made else 0
        if key in self._known:
            return
        self._known.add(key)
        self._now += size
        self.peak = max(self.peak, self._now)
        weakref.finalize(storage, self._forget, key, size)

    def _forget(self, key: int, size: int) -> None:
        self._known.discard(key)
        self._now -= size


def _tensors(tree: Any) -> list[torch.Tensor]:
    return [x for x in tree_leaves(tree) if isinstance(x, torch.Tensor)]
