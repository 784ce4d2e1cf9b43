"""Storages that operations have made and nobody has freed."""

from __future__ import annotations

import weakref
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from torchopt import pytree


class Alive(TorchDispatchMode):
    """Counts the bytes of the storages that operations in its block have made.

    Args:
        size: Count only storages of so many bytes.
    """

    def __init__(self, size: int | None = None) -> None:
        super().__init__()
        self.most = 0
        self._size = size
        self._known: dict[int, int] = {}

    @property
    def now(self) -> int:
        return sum(self._known.values())

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        out = func(*args, **(kwargs or {}))
        given = {storage._cdata for storage in _storages(args)}
        for storage in _storages(out):
            key, size = storage._cdata, storage.nbytes()
            if key not in given and key not in self._known and self._size in (None, size):
                self._known[key] = size
                weakref.finalize(storage, self._known.pop, key, None)
        self.most = max(self.most, self.now)
        return out


def _storages(tree: Any) -> list[torch.UntypedStorage]:
    return [t.untyped_storage() for t in pytree.tree_leaves(tree) if isinstance(t, torch.Tensor)]
