"""The autograd graph: what outputs depend on, and products with their Jacobian."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Sequence
from typing import Any, TypeAlias

import torch
from torch._C._functorch import is_legacy_batchedtensor
from torch.autograd.function import BackwardCFunction
from torch.autograd.graph import GradientEdge

__all__ = [
    "alias",
    "between",
    "is_custom",
    "is_hook_of_module",
    "leaf",
    "leaves_reached",
    "memory_of",
    "nodes_reached",
    "sequence_number",
    "vjp",
]

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
    outputs: Iterable[torch.Tensor | GradientEdge], ends: Container[Any] = (), first: int = -1
) -> list[Any]:
    """Return the nodes of the autograd graph of some outputs, up to the ends.

    Args:
        outputs: The outputs.
        ends: Nodes to stop at, which are left out.
        first: Nodes that were made before this number are left out, too.
    """
    waiting = [y.node if isinstance(y, GradientEdge) else y.grad_fn for y in outputs]
    seen: dict[Any, None] = {}
    while waiting:
        node = waiting.pop()
        if node is not None and node not in seen and node not in ends:
            if first >= 0 and node._sequence_nr() < first:
                continue
            seen[node] = None
            waiting += [following for following, _ in node.next_functions]
    return list(seen)


def leaves_reached(
    outputs: Iterable[torch.Tensor], ends: Container[Any] = ()
) -> list[torch.Tensor]:
    """Return the leaves of the autograd graph of some outputs, up to the ends."""
    outputs = list(outputs)
    leaves = [y for y in outputs if y.requires_grad and y.grad_fn is None]
    nodes = nodes_reached(outputs, ends)
    return leaves + [node.variable for node in nodes if hasattr(node, "variable")]


def _number_of(node: Any) -> int:
    return -1 if hasattr(node, "variable") else node._sequence_nr()


def between(outputs: Iterable[torch.Tensor], ends: Collection[Any]) -> list[Any]:
    """Return the nodes on the ways from some outputs to the ends."""
    leading: set[Any] = set()
    # What was made before the first of the ends leads to none of them. (Leaves have no number.)
    first = min((_number_of(end) for end in ends), default=0)
    # Backwards from the ends: a node comes after those that it follows from.
    followers: dict[Any, list[Any]] = {}
    for node in nodes_reached(outputs, ends, first):
        for following, _ in node.next_functions:
            followers.setdefault(following, []).append(node)
    waiting = [node for end, nodes in followers.items() if end in ends for node in nodes]
    while waiting:
        node = waiting.pop()
        if node not in leading:
            leading.add(node)
            waiting += followers.get(node, ())
    return list(leading)


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


def vjp(
    outputs: Tensors,
    inputs: Tensors,
    cotangents: Cotangents,
    *,
    create_graph: bool = False,
    retain_graph: bool | None = None,
) -> list[torch.Tensor | None]:
    """Return the cotangents of inputs; None where they do not require grad or are not reached."""
    pairs = [
        (y, c)
        for y, c in zip(outputs, cotangents, strict=True)
        if y.requires_grad and c is not None
    ]
    wanted = [t for t in inputs if t.requires_grad]
    if not pairs or not wanted:
        return [None] * len(inputs)
    gradients = iter(
        torch.autograd.grad(
            [y for y, _ in pairs],
            wanted,
            [c for _, c in pairs],
            retain_graph=retain_graph,
            create_graph=create_graph,
            allow_unused=True,
        )
    )
    return [next(gradients) if t.requires_grad else None for t in inputs]
