"""Moments that earlier versions kept in one buffer: files with them give their leaves when loaded."""

from __future__ import annotations

import math
from typing import Any

import torch

from torchopt.pytree import flattening as pytree


def _restore(buffer: torch.Tensor, shapes: Any) -> list[torch.Tensor]:
    """Return the leaves in a buffer, as files that were written with ``flat=True`` ask for.

    Args:
        buffer: The elements of all leaves, one after the other, each at a multiple of 64 bytes.
        shapes: The tree of their shapes, as text: ``"2x3"``.

    Example:
        >>> _restore(torch.arange(16.0), {"weight": "1x2"})
        [tensor([[0., 1.]])]
    """
    texts = pytree.leaves(shapes)
    shapes = [[*map(int, text.split("x"))] if text else [] for text in texts]
    sizes = [math.prod(shape) for shape in shapes]
    line = 64 // buffer.element_size()
    # Views: what they show may be read from the file later.
    pieces = buffer.split([-(-size // line) * line for size in sizes])
    return [x[:n].view(shape) for x, n, shape in zip(pieces, sizes, shapes, strict=True)]
