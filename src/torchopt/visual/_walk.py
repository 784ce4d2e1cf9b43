"""A walk over the autograd graph: its nodes and edges.

Nothing here recurses, and nothing is computed: a graph of a hundred thousand nodes is walked in about a
second, and is afterwards as it was.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.autograd.graph import Node, get_gradient_edge

from torchopt.pytree import flattening as pytree
from torchopt.visual._clock import one_clock
from torchopt.visual._release import guard

LEAF = -1
"""The sequence number that stands for "before everything": leaves have none of their own."""

_NEVER = 2**64 - 1  # what PyTorch gives to the nodes of leaves
_MISSING = "NotImplemented"  # stands for a derivative that PyTorch does not have


@dataclass(frozen=True, eq=False)
class Walk:
    """The nodes that outputs depend on.

    Attributes:
        nodes: Autograd's nodes, a node's inputs before it; leaves come first, then by time of creation
            where that is known.
        index: The position of each node.
        edges: ``(source, output, target, input)``: what flows where, by positions.
        inputs: For each node, what its inputs come from: ``(position, output)``, or None where an
            input is a constant.
        times: For each node, its sequence number: when it was made. ``LEAF`` for leaves.
        outputs: ``(position, output)`` of each tensor that was given and requires grad.
        constant: The paths of the tensors that were given and do not require grad.
    """

    nodes: list[Node]
    index: dict[Node, int]
    edges: list[tuple[int, int, int, int]]
    inputs: list[list[tuple[int, int] | None]]
    times: list[int]
    outputs: list[tuple[int, int]] = field(default_factory=list)
    constant: list[str] = field(default_factory=list)

    def sources(self, k: int) -> list[int]:
        """Return the nodes that a node reads."""
        return [entry[0] for entry in self.inputs[k] if entry is not None]


def reachable(start: Iterable[int], following: Callable[[int], Iterable[int]]) -> set[int]:
    """Return the numbers that are reached from some, in one move or several.

    Args:
        start: Where to begin; these are among the result only if they are reached.
        following: Returns where one move leads from a number.
    """
    reached: set[int] = set()
    stack = list(start)
    while stack:
        new = set(following(stack.pop())) - reached
        reached |= new
        stack.extend(new)
    return reached


def tensors_of(tree: Any, root: str = "outputs") -> list[tuple[str, torch.Tensor]]:
    """Return the tensors of a tree with their paths.

    Args:
        tree: A tensor or a tree; what is no tensor is left out.
        root: What the tree is called in paths.

    Raises:
        TypeError: If there is no tensor in it.
    """
    leaves, spec = pytree.flatten(tree)
    tensors = [
        (accessor.codify(root), leaf)
        for accessor, leaf in zip(spec.accessors(), leaves, strict=True)
        if isinstance(leaf, torch.Tensor)
    ]
    if not tensors:
        raise TypeError(
            f"`{root}` is an object of type {type(tree).__name__} without tensors: pass a tensor, or "
            f"a tree of tensors, that was computed from what you want to see."
        )
    return tensors


def edge_of(tensor: torch.Tensor) -> tuple[Node, int] | None:
    """Return the node that a tensor comes from, and the number of its output; None for a constant."""
    if not tensor.requires_grad:
        return None
    if tensor.is_leaf and tensor.layout is not torch.strided:  # of which PyTorch makes no view
        with torch.enable_grad():
            node: Any = tensor.clone().grad_fn
        return node.next_functions[0]
    edge = get_gradient_edge(tensor)
    return edge.node, edge.output_nr


def walk(outputs: Any) -> Walk:
    """Walk the autograd graph from outputs back to leaves.

    Args:
        outputs: A tensor or a tree of tensors.

    Returns:
        A :class:`Walk`, which holds the nodes: as long as it lives, a node is one object.

    Raises:
        TypeError: If there are no tensors.

    Example:
        >>> import torch
        >>> x = torch.ones(3, requires_grad=True)
        >>> [node.name().split("::")[-1] for node in walk(x.sin().sum()).nodes]
        ['AccumulateGrad', 'SinBackward0', 'SumBackward0']
    """
    roots: list[tuple[Node, int]] = []
    constant: list[str] = []
    for path, tensor in tensors_of(outputs):
        edge = edge_of(tensor)
        if edge is None:
            constant.append(path)
        else:
            roots.append(edge)
    reached = _reach(node for node, _ in roots)
    if reached.nodes:  # the first that was met is an output
        reached.times = one_clock(reached.times, reached.inputs, 0, LEAF)
    order = _order(reached)
    nodes = [reached.nodes[k] for k in order]
    index = {node: i for i, node in enumerate(nodes)}
    place = [0] * len(nodes)
    for i, k in enumerate(order):
        place[k] = i
    inputs = [
        [None if entry is None else (place[entry[0]], entry[1]) for entry in reached.inputs[k]]
        for k in order
    ]
    edges = [
        (entry[0], entry[1], target, number)
        for target, entries in enumerate(inputs)
        for number, entry in enumerate(entries)
        if entry is not None
    ]
    times = [reached.times[k] for k in order]
    guard(nodes, inputs, (index[node] for node, _ in roots))
    return Walk(nodes, index, edges, inputs, times, [(index[n], nr) for n, nr in roots], constant)


@dataclass
class _Reached:
    """The nodes in the order in which the walk reached them."""

    nodes: list[Node] = field(default_factory=list)
    inputs: list[list[tuple[int, int] | None]] = field(default_factory=list)
    times: list[int] = field(default_factory=list)


def _reach(roots: Iterable[Node]) -> _Reached:
    reached = _Reached()
    number: dict[Node, int] = {}

    def meet(node: Node) -> int:
        known = number.get(node)
        if known is None:
            known = number[node] = len(reached.nodes)
            reached.nodes.append(node)
            time = node._sequence_nr()
            reached.times.append(LEAF if time == _NEVER or node.name().endswith(_MISSING) else time)
        return known

    for root in roots:
        meet(root)
    for node in reached.nodes:  # grows while it is read
        reached.inputs.append(
            [None if n is None else (meet(n), output) for n, output in node.next_functions]
        )
    return reached


def _order(reached: _Reached) -> list[int]:
    """Return the nodes in topological order, inputs first; of several next ones, the oldest."""
    waiting = [0] * len(reached.nodes)
    readers: list[list[int]] = [[] for _ in reached.nodes]
    for k, entries in enumerate(reached.inputs):
        for entry in entries:
            if entry is not None:
                waiting[k] += 1
                readers[entry[0]].append(k)
    ready = [(time, k) for k, time in enumerate(reached.times) if waiting[k] == 0]
    heapq.heapify(ready)
    order = []
    while ready:
        _, k = heapq.heappop(ready)
        order.append(k)
        for reader in readers[k]:
            waiting[reader] -= 1
            if waiting[reader] == 0:
                heapq.heappush(ready, (reached.times[reader], reader))
    return order
