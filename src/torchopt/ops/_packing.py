"""Leaves of one dtype in one flat buffer, each at a multiple of 64 bytes, and back."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch


def padded(size: int, dtype: torch.dtype) -> int:
    """Return how many elements of a flat buffer a leaf takes: whole lines of 64 bytes."""
    line = 64 // dtype.itemsize
    return -(-size // line) * line


def pack(leaves: Sequence[torch.Tensor]) -> torch.Tensor:
    """Return leaves of one dtype in a flat buffer; differentiable."""
    pieces = []
    for leaf in leaves:
        size = leaf.numel()
        pieces.append(leaf.reshape(-1))
        gap = padded(size, leaf.dtype) - size
        if gap:
            pieces.append(leaf.new_zeros(gap))
    return torch.cat(pieces)


def unpack(buffer: torch.Tensor, shapes: Sequence[torch.Size]) -> list[torch.Tensor]:
    """Return a view of each leaf in a flat buffer; differentiable."""
    sizes = [math.prod(shape) for shape in shapes]
    pieces = buffer.split([padded(size, buffer.dtype) for size in sizes])
    return [
        (piece if piece.shape[0] == size else piece[:size]).view(shape)
        for piece, size, shape in zip(pieces, sizes, shapes, strict=True)
    ]
