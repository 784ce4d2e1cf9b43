"""Small tensors as one, in code that is traced for compilation: an update of all is traced once.

:func:`pack` and :func:`unpack` are marks in the graph. What is packed just after it was unpacked, as
parameters and states are from step to step, is the same vector; :func:`expand` finds that.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import torch
from torch import fx

MOST_ELEMENTS = 1 << 15
"""The largest tensor that is worth copying."""


def pack(tensors: list[torch.Tensor]) -> torch.Tensor:
    """Return the elements of tensors of one dtype in one vector."""
    return torch.cat([t.reshape(-1) for t in tensors])


def unpack(vector: torch.Tensor, shapes: Sequence[tuple[int, ...]]) -> tuple[torch.Tensor, ...]:
    """Return the tensors of these shapes in a vector, as views."""
    pieces = torch.split(vector, [math.prod(shape) for shape in shapes])
    return tuple(piece.view(shape) for piece, shape in zip(pieces, shapes, strict=True))


def register() -> None:
    """Have calls of :func:`pack` and :func:`unpack` be operations of the graph."""
    torch.compiler.allow_in_graph(pack)
    torch.compiler.allow_in_graph(unpack)


def expand(graph: fx.GraphModule) -> None:
    """Put operations in the place of the marks, where they are needed."""
    for child in graph.children():
        if isinstance(child, fx.GraphModule):
            expand(child)
    made = graph.graph
    for node in made.find_nodes(op="call_function", target=pack):
        (leaves,) = node.args
        vector = _unpacked_from(leaves)
        with made.inserting_before(node):
            if vector is None:
                flat = [made.call_function(torch.reshape, (x, (-1,))) for x in leaves]
                vector = made.call_function(torch.cat, (flat,))
        node.replace_all_uses_with(vector)
        made.erase_node(node)
    for node in made.find_nodes(op="call_function", target=unpack):
        vector, shapes = node.args
        with made.inserting_before(node):
            sizes = [math.prod(shape) for shape in shapes]
            pieces = made.call_function(torch.split, (vector, sizes))
        for item in list(node.users):
            index = item.args[1]
            with made.inserting_before(item):
                piece = made.call_function(operator.getitem, (pieces, index))
                leaf = made.call_function(torch.reshape, (piece, tuple(shapes[index])))
            item.replace_all_uses_with(leaf)
            made.erase_node(item)
        made.erase_node(node)
    graph.recompile()


def _unpacked_from(leaves: Sequence[Any]) -> Any:
    """Return the vector of which these are all pieces in their order, or None."""
    if any(x.target is not operator.getitem for x in leaves):
        return None
    (source, *others) = {x.args[0] for x in leaves}
    if others or source.target is not unpack or len(source.args[1]) != len(leaves):
        return None
    in_order = all(x.args[1] == index for index, x in enumerate(leaves))
    return source.args[0] if in_order else None
