"""The data of an explanation: the graph, the gradients in it, and descriptions of its nodes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import torch
from torch.autograd.graph import Node

from torchopt.visual._gradients import Flow
from torchopt.visual._graph import GradGraph
from torchopt.visual._memory import saved_values
from torchopt.visual._names import leaf_of, metadata_of, operation_of
from torchopt.visual._record import Recording
from torchopt.visual._walk import Walk, reachable
from torchopt.visual.data import Group
from torchopt.visual.source import source_of

Place = tuple[int, int]
"""A node's position, and the number of its output."""


class Cause(NamedTuple):
    """Why a gradient is what it is.

    Attributes:
        cause: In one word.
        where: Where it happens.
        advice: What to do.
    """

    cause: str
    where: str
    advice: str


_FORM = re.compile(
    r"t|transpose|permute|view|reshape|expand|(un)?squeeze|select|slice|clone|to_copy|alias"
    r"|unsafe_view|contiguous|as_strided|repeat"
)


@dataclass
class Analysis:
    """A graph, its gradients, and what was recorded while it was made.

    Attributes:
        walk: The nodes.
        graph: The same, in groups and words.
        recording: What was recorded while the graph was made.
        constants: The outputs that require no grad.
        flow: The gradients; empty if there are none.
    """

    walk: Walk
    graph: GradGraph
    recording: Recording | None
    constants: list[torch.Tensor] = field(default_factory=list)
    flow: Flow = field(default_factory=lambda: Flow({}, {}, []))
    _saved: dict[int, dict[str, torch.Tensor]] = field(default_factory=dict)

    @cached_property
    def readers(self) -> dict[Place, list[tuple[int, int]]]:
        """For each output of a node, what reads it: ``(position, number of the input)``."""
        readers: dict[Place, list[tuple[int, int]]] = {}
        for source, output, target, number in self.walk.edges:
            readers.setdefault((source, output), []).append((target, number))
        return readers

    def total(self, k: int) -> float:
        """Return the norm of the gradient that reached a node."""
        return self.flow.totals.get(k, 0.0)

    @cached_property
    def has_steps(self) -> bool:
        """Whether the graph has inner steps."""
        return any(group.kind == "step" for group in self.graph.groups)

    def downstream(self, place: Place) -> set[int]:
        """Return the nodes that depend on a value."""

        def readers(k: int) -> Iterator[int]:
            for output in range(len(self.graph.nodes[k].outputs)):
                yield from (target for target, _ in self.readers.get((k, output), ()))

        first = {target for target, _ in self.readers.get(place, ())}
        return first | reachable(first, readers)

    def is_read(self, place: Place) -> bool:
        """Whether an output of a node is read by another, or is an output of the graph."""
        return place in self.readers or place in self.walk.outputs

    def operation(self, k: int) -> str:
        """Return the operation of a node, without 'backward'."""
        return self.graph.nodes[k].operation.removesuffix(" backward")

    def describe(self, k: int) -> str:
        """Return a description of a node: its operation, part of the program, and line."""
        node = self.graph.nodes[k]
        group = self.graph.groups[node.group]
        parts = []
        if group.parent is not None and self.graph.groups[group.parent].kind == "step":
            parts.append(f"{self.graph.groups[group.parent].label}, {group.label}")
        elif group.kind == "outer" and self.has_steps:
            parts.append(group.label)
        origin = self._derivative_of(k)
        if origin is not None:
            line = source_of(origin)
            parts.append(
                f"derivative of `{operation_of(origin)}`" + (f" at {line}" if line else "")
            )
        elif node.source:
            parts.append(node.source)
        called = f"`{node.operation}`"
        if node.kind == "leaf":
            called = f"`{node.names[0][1]}`" if node.names else f"{node.operation} {self.shape(k)}"
        return f"{called} ({'; '.join(parts)})" if parts else called

    def _derivative_of(self, k: int) -> Node | None:
        """Return the operation of the forward pass that a node is in the derivative of, if recorded."""
        origin: Node | None = None
        parent = metadata_of(self.walk.nodes[k]).get("parent_")
        while parent is not None:
            origin, parent = parent, metadata_of(parent).get("parent_")
        return origin

    def shape(self, k: int) -> str:
        """Return the shape of what a node computes."""
        return str(self.graph.nodes[k].outputs[0].shape)

    def saved(self, k: int) -> dict[str, torch.Tensor]:
        """Return the floating tensors that a node keeps for its backward pass."""
        if k not in self._saved:
            self._saved[k] = {
                name: value.detach()
                for name, value in saved_values(self.walk.nodes[k])
                if isinstance(value, torch.Tensor)
                and (value.is_floating_point() or value.is_complex())
                and value.layout is torch.strided
                and value.numel()
            }
        return self._saved[k]

    def maker(self, place: Place | None) -> int | None:
        """Return the operation that computed a value, past operations that only change its form."""
        while place is not None:
            k = place[0]
            inputs = [p for p in self.walk.inputs[k] if p is not None]
            if not _FORM.fullmatch(self.operation(k)) or len(inputs) != 1:
                return k
            place = inputs[0]
        return None

    def leaves(self) -> Iterator[tuple[int, torch.Tensor]]:
        """Return the leaves with their positions."""
        for k, node in enumerate(self.walk.nodes):
            leaf = leaf_of(node)
            if leaf is not None:
                yield k, leaf

    def step_norms(self, place: Place) -> tuple[float, ...]:
        """Return the norms of the gradient at the parameters after each step of the outermost level.

        Args:
            place: An input. Of several problems, the one that starts from it counts, or the longest;
                tasks of a batch count as one.
        """
        by_label: dict[str, dict[int, float]] = {}
        mine: str | None = None
        for state, (root, number) in self.graph._states.items():
            group = self._step_of(state[0])
            if group.parent is None:
                label = re.sub(r"^task \d+, | \d+$", "", group.label)
                norms = by_label.setdefault(label, {})
                norms[number] = math.hypot(
                    norms.get(number, 0.0), self.flow.arrived.get(state, 0.0)
                )
                mine = label if root == place else mine
        if not by_label:
            return ()
        norms = by_label[mine] if mine is not None else max(by_label.values(), key=len)
        return tuple(norms[number] for number in sorted(norms))

    def _step_of(self, k: int) -> Group:
        """Return the step that a node is in."""
        group = self.graph.groups[self.graph.nodes[k].group]
        while group.kind != "step" and group.parent is not None:
            group = self.graph.groups[group.parent]
        return group

    @cached_property
    def reads_last_only(self) -> bool:
        """Whether the outer loss reads the result of the last step, and nothing that came before."""
        groups, nodes = self.graph.groups, self.graph.nodes
        last = max((g.step or 0 for g in groups if g.parent is None), default=0)
        sources = {
            nodes[edge.source].group
            for edge in self.graph.edges
            if groups[nodes[edge.target].group].kind == "outer"
        }
        steps = (groups[number] for number in sources if groups[number].step is not None)
        return all(group.step == last and group.kind != "loss" for group in steps)


def all_zero(value: torch.Tensor) -> bool:
    """Whether all entries are zero."""
    return not bool(value.any())


def finite(value: torch.Tensor) -> bool:
    """Whether all entries are finite."""
    return bool(torch.isfinite(value).all())
