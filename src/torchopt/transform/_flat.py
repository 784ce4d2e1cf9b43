"""Moments that earlier versions kept in one buffer, as they stand in its files."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import torch

from torchopt.pytree import flattening as pytree


@dataclass(frozen=True, eq=False)
class Flat:
    """A tree of tensors in one buffer, in a file that was written with ``flat=True``.

    Transformations go on from such a state, and return one with a tensor for each leaf.

    Attributes:
        buffer: The elements of all leaves, one after the other, each at a multiple of 64 bytes.
        shapes: The tree of their shapes, as text: ``"2x3"``.

    Example:
        >>> import torch
        >>> Flat(torch.arange(16.0), {"weight": "1x2"}).tree
        {'weight': tensor([[0., 1.]])}
    """

    buffer: torch.Tensor
    shapes: Any = field(metadata={"static": True})

    @property
    def tree(self) -> Any:
        """The tree of tensors."""
        texts, spec = pytree.flatten(self.shapes)
        shapes = [[*map(int, text.split("x"))] if text else [] for text in texts]
        sizes = [math.prod(shape) for shape in shapes]
        line = 64 // self.buffer.element_size()
        pieces = self.buffer.split([-(-size // line) * line for size in sizes])
        leaves = [x[:n].view(shape) for x, n, shape in zip(pieces, sizes, shapes, strict=True)]
        return pytree.unflatten(spec, leaves)

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)


def _restore(buffer: torch.Tensor, shapes: Any) -> Flat:
    """Return what earlier files call this function for."""
    return Flat(buffer, shapes)
