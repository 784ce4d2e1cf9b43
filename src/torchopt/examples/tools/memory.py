"""How many bytes a computation takes."""

from __future__ import annotations

from collections.abc import Callable

import torch

__all__ = ["saved_bytes"]


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
