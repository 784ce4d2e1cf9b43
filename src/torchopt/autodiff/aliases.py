"""Tensors in the memory of another one that are no views of it: each may be changed in place."""

from __future__ import annotations

from collections.abc import Sequence

import torch


def parts(
    buffer: torch.Tensor, offsets: Sequence[int], like: Sequence[torch.Tensor]
) -> list[torch.Tensor]:
    """Return tensors of these shapes and strides, each at its offset in a buffer."""
    memory = buffer.untyped_storage()
    return [
        buffer.new_empty(0).set_(memory, at, t.shape, t.stride())
        for t, at in zip(like, offsets, strict=False)
    ]
