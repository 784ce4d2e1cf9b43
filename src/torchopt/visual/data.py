"""The gradient graph as data: nodes, edges, and the groups that make it readable."""

from __future__ import annotations

import gc
import math
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

from torch.autograd.graph import Node as AutogradNode

from torchopt.checks import transforms_active
from torchopt.pytree.typing import TensorTree
from torchopt.visual._gradients import flow
from torchopt.visual._groups import groups_of
from torchopt.visual._memory import Saved, saved
from torchopt.visual._names import (
    Names,
    is_custom,
    is_update,
    leaf_of,
    names_by_place,
    operation_of,
    type_of,
)
from torchopt.visual._walk import Walk, walk
from torchopt.visual.source import source_of

__all__ = ["Edge", "GraphData", "Group", "Node", "Output"]


@dataclass(frozen=True)
class Output:
    """What a node computes: one tensor.

    Attributes:
        shape: Its shape.
        dtype: Its dtype, such as ``"float32"``.
        device: Its device, such as ``"cpu"``.
    """

    shape: tuple[int, ...]
    dtype: str
    device: str


@dataclass(frozen=True)
class Node:
    """A leaf or an operation.

    Attributes:
        id: Its position in :attr:`torchopt.visual.GradGraph.nodes`; a node's inputs have smaller ones.
        kind: ``"leaf"``, ``"operation"`` or ``"update"``, an optimizer's update in one kernel.
        operation: What it does: ``"addmm"``, ``"tanh backward"``, the class of a custom function; for
            a leaf ``"parameter"`` or ``"tensor"``.
        type: Autograd's own name, such as ``"AddmmBackward0"``.
        outputs: What it computes.
        names: ``(number of the output, name)`` of the outputs that have a name.
        saved_bytes: Bytes of the tensors that it keeps alive and no earlier node does, parameters left
            out; None where a backward pass has freed them.
        source: The line of the user's program that made it, where that was recorded.
        group: The innermost group that it is in.
    """

    id: int
    kind: str
    operation: str
    type: str
    outputs: tuple[Output, ...]
    names: tuple[tuple[int, str], ...]
    saved_bytes: int | None
    source: str | None
    group: int


@dataclass(frozen=True)
class Edge:
    """A value on its way: from an output of one node to an input of another.

    Attributes:
        source: The node that computes it.
        output: The number of the output.
        target: The node that reads it.
        input: The number of the input.
    """

    source: int
    output: int
    target: int
    input: int


@dataclass(frozen=True)
class Group:
    """Nodes that belong together.

    Attributes:
        id: Its position in :attr:`torchopt.visual.GradGraph.groups`.
        parent: The group that it is in; the phases of a step are in the step.
        kind: ``"inputs"``, ``"step"``, ``"loss"``, ``"gradient"``, ``"update"``, ``"params"`` (the
            parameters after a step) or ``"outer"`` (what is done with the result).
        step: The number of the inner step, counted from 1.
        label: What to call it, such as ``"inner step 3"``.
        nodes: The nodes that are in it and in no group inside it.
        saved_bytes: What it keeps alive, with the groups inside it.
    """

    id: int
    parent: int | None
    kind: str
    step: int | None
    label: str
    nodes: tuple[int, ...]
    saved_bytes: int


class GraphData:
    """The parts of a gradient graph, which are drawn; see :class:`torchopt.visual.GradGraph`."""

    __promised__: ClassVar[tuple[str, ...]] = ("__init__", "freed", "notes")

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    groups: tuple[Group, ...]
    outputs: tuple[int, ...]
    freed: bool
    notes: tuple[str, ...]
    gradient_norms: dict[int, float] | None

    def __init__(
        self, outputs: TensorTree, names: Names = None, *, gradients: bool = False
    ) -> None:
        with _collector_paused():
            walked = walk(outputs)
            kept = saved(walked)
            grouped = groups_of(walked)
            names_of = grouped.names(names_by_place(walked, names))
            self.nodes = tuple(
                Node(
                    k,
                    _kind(node),
                    operation_of(node),
                    type_of(node),
                    _outputs(node),
                    names_of.get(k, ()),
                    kept.sizes[k],
                    source_of(node),
                    grouped.of_node[k],
                )
                for k, node in enumerate(walked.nodes)
            )
            self.edges = tuple(Edge(*edge) for edge in walked.edges)
            self.groups = _groups(grouped.groups, grouped.of_node, kept.sizes)
        self._states = grouped.states
        self._children: dict[int | None, list[Group]] = defaultdict(list)
        for group in self.groups:
            self._children[group.parent].append(group)
        self.outputs = tuple(k for k, _ in walked.outputs)
        self.freed = kept.freed
        self.notes = (*_notes(walked, kept), *grouped.notes)
        self.gradient_norms = None
        if gradients:
            self.gradient_norms = flow(outputs, walked).totals

    def _norms_as_json(self) -> dict[int, float | str] | None:
        """Return the norms with words for NaN and infinity, which JSON has not."""
        norms = self.gradient_norms
        if norms is None:
            return None
        return {k: v if math.isfinite(v) else str(v) for k, v in norms.items()}


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Pause the garbage collector, which takes half of the time while many objects are created."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


def _kind(node: AutogradNode) -> str:
    if leaf_of(node) is not None:
        return "leaf"
    return "update" if is_update(node) else "operation"


def _outputs(node: Any) -> tuple[Output, ...]:
    return tuple(
        Output(tuple(map(int, m.shape)), str(m.dtype).removeprefix("torch."), str(m.device))
        for m in node._input_metadata
    )


def _groups(
    descriptions: list[tuple[int | None, str, int | None, str]],
    of_node: list[int],
    sizes: list[int | None],
) -> tuple[Group, ...]:
    nodes: list[list[int]] = [[] for _ in descriptions]
    for k, group in enumerate(of_node):
        nodes[group].append(k)
    totals = [sum(sizes[k] or 0 for k in inside) for inside in nodes]
    for k in reversed(range(len(descriptions))):
        parent = descriptions[k][0]
        if parent is not None:
            totals[parent] += totals[k]
    return tuple(
        Group(k, parent, kind, step, label, tuple(nodes[k]), totals[k])
        for k, (parent, kind, step, label) in enumerate(descriptions)
    )


def _notes(walked: Walk, kept: Saved) -> list[str]:
    notes = [f"`{path}` does not require grad: it has no graph." for path in walked.constant]
    if kept.freed:
        notes.append(
            "A backward pass has freed what the graph had saved: bytes are not known. Draw the graph "
            "before it, or pass `retain_graph=True`."
        )
    if kept.packed:
        notes.append(
            "Hooks on saved tensors (activation checkpointing, offloading) have put some away: what is "
            "computed again in the backward pass is not shown, and its bytes are not counted."
        )
    if kept.hidden:
        notes.append(
            "Some saved tensors have no storage of their own (sparse, or inside of torch.func): their "
            "bytes are not counted."
        )
    customs = {operation_of(node) for node in walked.nodes if is_custom(node)}
    if "CompiledFunction" in customs:
        notes.append("What torch.compile has compiled is one node: what it computes is not seen.")
    if customs - {"CompiledFunction"}:
        notes.append("A custom autograd.Function is one node: what it computes inside is not seen.")
    if transforms_active():
        notes.append(
            "This graph was taken inside of a torch.func transformation: only what its innermost "
            "level recorded is seen."
        )
    return notes
