"""Frees deep graphs whose nodes have Python objects, without overflowing the stack.

PyTorch frees a chain of nodes in a loop. From 2.13 on, a node that Python has accessed keeps its Python
object, and is freed recursively, inside the node that reads it: a long chain exhausts the stack.
So the layer above holds every thousandth layer, too, and releases it when the stack is unwound.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from typing import Any

from torch.autograd.graph import Node

_LAYERS = 1000
_KEY = "torchopt.visual"

_waiting: list[Node] = []


def _let_go(_: int | None) -> int:
    while _waiting:
        _waiting.pop()
    return 0


_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(_let_go)


class _Held:
    """The nodes under a layer, released in a pending call when the stack is unwound."""

    def __init__(self, nodes: list[Node]) -> None:
        self.nodes = nodes

    def __del__(self) -> None:
        _waiting.extend(self.nodes)
        # If its queue is full, an earlier call is still to come, and takes these along.
        ctypes.pythonapi.Py_AddPendingCall(_CALLBACK, None)


def guard(
    nodes: list[Node], inputs: list[list[tuple[int, int] | None]], outputs: Iterable[int]
) -> None:
    """Make it safe to free a graph that was walked.

    Args:
        nodes: Its nodes, a node's inputs before it.
        inputs: Where the inputs of each come from.
        outputs: The positions of the outputs.
    """
    depth = [0] * len(nodes)
    under: dict[int, set[int]] = {}  # of each layer, what it reads from the layers below
    for k, entries in enumerate(inputs):
        sources = [entry[0] for entry in entries if entry is not None]
        depth[k] = 1 + max((depth[source] for source in sources), default=-1)
        layer = depth[k] // _LAYERS
        if layer:
            below = (source for source in sources if depth[source] // _LAYERS < layer)
            under.setdefault(layer, set()).update(below)
    held = {layer: _Held([nodes[k] for k in below]) for layer, below in under.items()}
    for k in set(outputs).union(*under.values()):
        layer = depth[k] // _LAYERS
        if layer:
            metadata: Any = nodes[k].metadata
            metadata.setdefault(_KEY, held[layer])
