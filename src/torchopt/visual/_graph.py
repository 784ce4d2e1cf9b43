"""The gradient graph as data: nodes, edges, and the groups that make it readable."""

from __future__ import annotations

import dataclasses
import gc
import json
import math
import os
import textwrap
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch.autograd.graph import Node as AutogradNode

from torchopt.errors import transforms_active
from torchopt.visual._groups import groups_of
from torchopt.visual._memory import Saved, saved, size
from torchopt.visual._names import (
    given_names,
    is_custom,
    is_update,
    leaf_of,
    operation_of,
    type_of,
)
from torchopt.visual._walk import Walk, walk
from torchopt.visual.source import source_of

__all__ = ["Box", "Edge", "GradGraph", "Group", "Link", "Node", "Output"]


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
        id: Its position in :attr:`GradGraph.nodes`; a node's inputs have smaller ones.
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
        id: Its position in :attr:`GradGraph.groups`.
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


@dataclass(frozen=True)
class Box:
    """A group as one box of the collapsed picture.

    Attributes:
        id: Its position among the boxes.
        group: The group.
        kind: The group's kind.
        step: The number of the inner step.
        label: What to write on it.
        nodes: The nodes in it.
        saved_bytes: What they keep alive.
    """

    id: int
    group: int
    kind: str
    step: int | None
    label: str
    nodes: tuple[int, ...]
    saved_bytes: int


@dataclass(frozen=True)
class Link:
    """What flows from one box to another.

    Attributes:
        source: The box that it comes from.
        target: The box that it goes to.
        tensors: How many different tensors flow.
    """

    source: int
    target: int
    tensors: int


class GradGraph:
    r"""The graph that a gradient would flow through, in groups.

    Autograd's graph is walked from the outputs, without computing or changing anything. Inner steps
    are found in it: parameters :math:`\theta_k` that a loss reads and an update turns into
    :math:`\theta_{k+1}`. Each step has a loss, the loss's gradient (which is in the graph because of
    ``create_graph=True``), and an update; nothing needs to be named for that.

    Args:
        outputs: A tensor or a tree of tensors: what you would differentiate.
        names: What to call tensors: a module, a tree of tensors, ``named_parameters()``, a
            :class:`torchopt.utils.ModuleState` taken with ``enable_visual=True``, or a list or a
            dictionary of these, whose keys come before the names.
        gradients: Whether to differentiate once, and to note the norm of the gradient that reaches
            each node. Nothing is written into ``.grad``, and the graph stays.

    Attributes:
        nodes: The nodes; see :class:`torchopt.visual.Node`.
        edges: What flows between them.
        groups: The groups; those that contain others come first.
        outputs: The nodes of the outputs.
        freed: Whether a backward pass has freed what the graph had saved.
        notes: What cannot be seen, in sentences.
        gradient_norms: Norm of the gradient for each node that one reaches; None unless asked for.

    Raises:
        TypeError: If ``outputs`` has no tensors, or ``names`` something else.

    Example:
        >>> import torch, torchopt
        >>> net = torch.nn.Linear(2, 1)
        >>> start = dict(net.named_parameters())
        >>> optimizer = torchopt.MetaSGD(net, lr=0.1)
        >>> for _ in range(2):
        ...     optimizer.step(net(torch.ones(3, 2)).square().mean())
        >>> graph = GradGraph(net(torch.ones(1, 2)).sum(), start)
        >>> [group.label for group in graph.groups if group.kind == "step"]
        ['inner step 1', 'inner step 2']
        >>> graph.nodes[0].names
        ((0, 'bias'),)
    """

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    groups: tuple[Group, ...]
    outputs: tuple[int, ...]
    freed: bool
    notes: tuple[str, ...]
    gradient_norms: dict[int, float] | None

    def __init__(self, outputs: Any, names: Any = None, *, gradients: bool = False) -> None:
        with _collector_paused():
            walked = walk(outputs)
            kept = saved(walked)
            found = groups_of(walked)
            called = found.names(given_names(walked, names))
            make = _Maker()
            self.nodes = tuple(
                make.node(k, node, called.get(k, ()), kept.sizes[k], found.of_node[k])
                for k, node in enumerate(walked.nodes)
            )
            self.edges = tuple(Edge(*edge) for edge in walked.edges)
            self.groups = _groups(found.groups, found.of_node, kept.sizes)
        self._states = found.states
        self._children: dict[int | None, list[Group]] = defaultdict(list)
        for group in self.groups:
            self._children[group.parent].append(group)
        self.outputs = tuple(k for k, _ in walked.outputs)
        self.freed = kept.freed
        self.notes = (*_notes(walked, kept), *found.notes)
        self.gradient_norms = None
        if gradients:
            from torchopt.visual._gradients import norms

            self.gradient_norms = norms(outputs, walked)

    def boxes(self) -> tuple[tuple[Box, ...], tuple[Link, ...]]:
        """Return the collapsed picture: a box for each group that has nodes, and what flows between.

        Returns:
            The boxes and the links.
        """
        filled = [group for group in self.groups if group.nodes]
        boxes = tuple(
            Box(
                k,
                group.id,
                group.kind,
                group.step,
                group.label,
                group.nodes,
                sum(self.nodes[n].saved_bytes or 0 for n in group.nodes),
            )
            for k, group in enumerate(filled)
        )
        at = {box.group: box.id for box in boxes}
        flows = {
            (at[self.nodes[e.source].group], at[self.nodes[e.target].group], e.source, e.output)
            for e in self.edges
        }
        links = Counter((source, target) for source, target, _, _ in flows if source != target)
        return boxes, tuple(Link(s, t, count) for (s, t), count in sorted(links.items()))

    def to_json(self) -> str:
        """Return everything as one JSON object.

        Returns:
            An object with ``nodes``, ``edges``, ``groups``, ``outputs``, ``freed``, ``notes`` and
            ``gradient_norms``, whose fields are those of the data classes.

        Example:
            >>> import json, torch
            >>> x = torch.ones(2, requires_grad=True)
            >>> [node["operation"] for node in json.loads(GradGraph(x.sin()).to_json())["nodes"]]
            ['tensor', 'sin']
        """
        norms = self.gradient_norms
        spelled: dict[int, float | str] | None = None
        if norms is not None:  # JSON has no numbers that are not finite
            spelled = {k: v if math.isfinite(v) else str(v) for k, v in norms.items()}
        content = {
            "nodes": [_fields(node) for node in self.nodes],
            "edges": [_fields(edge) for edge in self.edges],
            "groups": [_fields(group) for group in self.groups],
            "outputs": self.outputs,
            "freed": self.freed,
            "notes": self.notes,
            "gradient_norms": spelled,
        }
        return json.dumps(content, allow_nan=False)

    def summary(self) -> str:
        """Return a table: for each group its operations, and the bytes that it keeps alive.

        Example:
            >>> import torch
            >>> x = torch.ones(2, requires_grad=True)
            >>> print(GradGraph(x.sin().sum(), {"x": x}).summary())
            group       operations  saved
            inputs               1  0 B
            operations           2  0 B
            names: x (2,)
        """
        rows = [("group", "operations", "saved")]
        for group in self._in_order():
            indent = "  " * self._depth(group)
            within = self._within(group)
            kept = "freed" if any(self.nodes[n].saved_bytes is None for n in within) else None
            rows.append((indent + group.label, str(len(within)), kept or size(group.saved_bytes)))
        lines = _table(rows)
        named = [(node, k, name) for node in self.nodes for k, name in node.names]
        leaves = [f"{name} {_shape(node, k)}" for node, k, name in named if node.kind == "leaf"]
        others = len(named) - len(leaves)  # inner states: too many to be read
        if others:
            leaves.append(f"{others} inner state{'s' if others > 1 else ''}")
        if leaves:
            lines += textwrap.wrap("names: " + ", ".join(leaves), 100, subsequent_indent="  ")
        return "\n".join([*lines, *self.notes])

    def memory(self) -> str:
        """Return a line for each inner step: what the graph keeps alive because of it.

        A policy that recomputes steps in the backward pass (``memory="step"`` of
        :class:`torchopt.diff.Explicit`) would keep little of it.
        """
        rows = []
        for group in self._in_order():
            if group.kind != "step":
                continue
            parts = [g for g in self.groups if g.parent == group.id]
            freed = any(self.nodes[n].saved_bytes is None for n in self._within(group))
            rows.append(
                (
                    "  " * self._depth(group) + group.label,
                    "freed" if freed else size(group.saved_bytes),
                    ", ".join(f"{g.label} {size(g.saved_bytes)}" for g in parts),
                )
            )
        if not rows:
            return "no inner steps"
        return "\n".join(_table(rows))

    def to_svg(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the collapsed picture as SVG.

        Args:
            path: Where to write it, too.
        """
        from torchopt.visual.svg import svg

        return _written(svg(self), path)

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return a page on which groups open, in one file that needs no network.

        Args:
            path: Where to write it, too.
        """
        from torchopt.visual._html import html

        return _written(html(self), path)

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def _repr_html_(self) -> str:
        from torchopt.visual._html import inline

        return inline(self)

    def __repr__(self) -> str:
        steps = sum(group.kind == "step" for group in self.groups)
        return f"GradGraph({len(self.nodes)} nodes, {len(self.edges)} edges, {steps} inner steps)"

    def _in_order(self, start: int | None = None) -> list[Group]:
        """Return the groups inside of one, or all, each before those inside it."""
        found: list[Group] = []
        stack = self._children[start][::-1]
        while stack:
            found.append(stack.pop())
            stack += self._children[found[-1].id][::-1]
        return found

    def _depth(self, group: Group) -> int:
        depth = 0
        while group.parent is not None:
            group, depth = self.groups[group.parent], depth + 1
        return depth

    def _within(self, group: Group) -> list[int]:
        """Return the nodes of a group and of those inside it."""
        return [n for g in (group, *self._in_order(group.id)) for n in g.nodes]


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Make many objects without looking for garbage among them again and again, half of the time."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


class _Maker:
    """Makes nodes; what is the same for many is made once."""

    def __init__(self) -> None:
        self.outputs: dict[Any, Output] = {}
        self.kinds: dict[type, tuple[str, str, str]] = {}

    def node(
        self,
        k: int,
        node: AutogradNode,
        names: tuple[tuple[int, str], ...],
        saved_bytes: int | None,
        group: int,
    ) -> Node:
        kind = self.kinds.get(type(node))
        if kind is None:
            leaf = leaf_of(node) is not None
            kind = (
                "leaf" if leaf else "update" if is_update(node) else "operation",
                operation_of(node),
                type_of(node),
            )
            if not leaf and kind[0] != "update":  # leaves, and kernels, are not all the same
                self.kinds[type(node)] = kind
        outputs = tuple([self.output(m) for m in node._input_metadata])
        return Node(
            k, kind[0], kind[1], kind[2], outputs, names, saved_bytes, source_of(node), group
        )

    def output(self, metadata: Any) -> Output:
        key = tuple(metadata.shape), metadata.dtype, metadata.device
        found = self.outputs.get(key)
        if found is None:
            found = self.outputs[key] = Output(
                tuple(map(int, key[0])), str(key[1]).removeprefix("torch."), str(key[2])
            )
        return found


def _groups(
    found: list[tuple[int | None, str, int | None, str]],
    of_node: list[int],
    sizes: list[int | None],
) -> tuple[Group, ...]:
    nodes: list[list[int]] = [[] for _ in found]
    for k, group in enumerate(of_node):
        nodes[group].append(k)
    totals = [sum(sizes[k] or 0 for k in inside) for inside in nodes]
    for k in reversed(range(len(found))):
        parent = found[k][0]
        if parent is not None:
            totals[parent] += totals[k]
    return tuple(
        Group(k, parent, kind, step, label, tuple(nodes[k]), totals[k])
        for k, (parent, kind, step, label) in enumerate(found)
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


def _fields(item: Any) -> dict[str, Any]:
    return {field.name: getattr(item, field.name) for field in dataclasses.fields(item)} | (
        {"outputs": [dataclasses.asdict(o) for o in item.outputs]} if isinstance(item, Node) else {}
    )


def _written(text: str, path: str | os.PathLike[str] | None) -> str:
    if path is not None:
        Path(path).write_text(text, encoding="utf-8")
    return text


def _shape(node: Node, k: int) -> str:
    return str(node.outputs[k].shape)


def _table(rows: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if k != 1 else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return lines
