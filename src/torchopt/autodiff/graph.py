"""The autograd graph: what outputs depend on, as it is walked."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import Any, TypeAlias

import torch
from torch._C._functorch import is_legacy_batchedtensor
from torch.autograd.function import BackwardCFunction
from torch.autograd.graph import GradientEdge

Tensors: TypeAlias = Sequence[torch.Tensor]
Cotangents: TypeAlias = Sequence[torch.Tensor | None]


def alias(tensor: torch.Tensor) -> torch.Tensor:
    """Return the same values as another variable of the graph, behind the first."""
    # Of all views, this one passes on a sparse gradient.
    return tensor[...] if tensor.layout == torch.strided else tensor.clone()


def leaf(tensor: torch.Tensor) -> torch.Tensor:
    """Return the same values as a leaf of the graph that requires grad where the tensor does."""
    return tensor.detach().requires_grad_(tensor.requires_grad)


def nodes_reached(
    outputs: Iterable[torch.Tensor | GradientEdge], ends: Container[Any] = ()
) -> list[Any]:
    """Return the nodes of the autograd graph of some outputs, up to the ends.

    Args:
        outputs: The outputs.
        ends: Nodes to stop at, which are left out.
    """
    waiting = [y.node if isinstance(y, GradientEdge) else y.grad_fn for y in outputs]
    seen: dict[Any, None] = {}
    while waiting:
        node = waiting.pop()
        if node is not None and node not in seen and node not in ends:
            seen[node] = None
            for following, _ in node.next_functions:
                waiting.append(following)
    return list(seen)


def leaves_reached(outputs: Tensors, ends: Container[Any] = ()) -> list[torch.Tensor]:
    """Return the leaves of the autograd graph of some outputs, up to the ends."""
    leaves = [y for y in outputs if y.requires_grad and y.grad_fn is None]
    nodes = nodes_reached(outputs, ends)
    return leaves + [node.variable for node in nodes if hasattr(node, "variable")]


def is_custom(node: Any) -> bool:
    """Whether a node of the graph belongs to a custom ``autograd.Function``."""
    return isinstance(node, BackwardCFunction)


def is_hook_of_module(node: Any) -> bool:
    """Whether a node of the graph calls a hook of a module, which may change gradients."""
    return bool(node.name() == "BackwardHookFunctionBackward")


def memory_of(tensor: torch.Tensor) -> int:
    """Return an identity of the memory of a tensor, or of the tensor itself where it has none."""
    with torch._C.DisableTorchFunction():
        if tensor.layout != torch.strided or is_legacy_batchedtensor(tensor):
            return id(tensor)
        return tensor.untyped_storage()._cdata


def sequence_number(tensor: torch.Tensor) -> int:
    """Return when a tensor was made, counted in operations; -1 for a leaf."""
    return -1 if tensor.grad_fn is None else tensor.grad_fn._sequence_nr()
