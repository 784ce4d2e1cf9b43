"""The gradient graph as users have it: tables, pictures, and JSON of its data."""

from __future__ import annotations

import dataclasses
import json
import os
import textwrap

from torchopt.io.table import table
from torchopt.visual._html import html, inline
from torchopt.visual._memory import size
from torchopt.visual._picture import picture
from torchopt.visual.data import GraphData, Group
from torchopt.visual.svg import draw, written


class GradGraph(GraphData):
    r"""The graph that a gradient would flow through, in groups.

    The class walks autograd's graph from the outputs, without computing or changing anything. Of a
    computation inside of :func:`record`, it finds inner steps: parameters :math:`\theta_k` that a loss
    reads and an update turns into :math:`\theta_{k+1}`. Each step has a loss, the loss's gradient
    (which is in the graph because of ``create_graph=True``), and an update. You need not name them.

    Args:
        outputs: A tensor or a tree of tensors: what you would differentiate.
        names: Names for tensors: a module, a tree of tensors, ``named_parameters()``, a
            :class:`torchopt.optim.ModuleState` taken with ``enable_visual=True``, or a list or a
            dictionary of these, whose keys come before the names.
        gradients: Whether to differentiate once and store the norm of the gradient at each node. This
            does not write into ``.grad``, and keeps the graph.

    Attributes:
        nodes: The nodes; see :class:`torchopt.visual.data.Node`. They,
            edges and groups may change with any release.
        edges: What flows between them.
        groups: The groups; those that contain others come first.
        outputs: The nodes of the outputs.
        freed: Whether a backward pass has freed what the graph had saved.
        notes: What the graph cannot show, in sentences.
        gradient_norms: Norm of the gradient for each node that one reaches; None by default.

    Raises:
        TypeError: If ``outputs`` has no tensors, or ``names`` something else.

    Example:
        >>> import torch, torchopt
        >>> net = torch.nn.Linear(2, 1)
        >>> start = dict(net.named_parameters())
        >>> optimizer = torchopt.MetaSGD(net, lr=0.1)
        >>> with torchopt.visual.record():
        ...     for _ in range(2):
        ...         optimizer.step(net(torch.ones(3, 2)).square().mean())
        ...     loss = net(torch.ones(1, 2)).sum()
        >>> graph = GradGraph(loss, start)
        >>> [group.label for group in graph.groups if group.kind == "step"]
        ['inner step 1', 'inner step 2']
        >>> graph.nodes[0].names
        ((0, 'bias'),)
    """

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
        content = {
            "nodes": [dataclasses.asdict(node) for node in self.nodes],
            "edges": [dataclasses.asdict(edge) for edge in self.edges],
            "groups": [dataclasses.asdict(group) for group in self.groups],
            "outputs": self.outputs,
            "freed": self.freed,
            "notes": self.notes,
            "gradient_norms": self._norms_as_json(),
        }
        return json.dumps(content, allow_nan=False)

    def summary(self) -> str:
        """Return a table of the operations of each group and the bytes that it keeps alive.

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
        lines = table(rows, right={1})
        named = [(node, k, name) for node in self.nodes for k, name in node.names]
        leaves = [f"{name} {n.outputs[k].shape}" for n, k, name in named if n.kind == "leaf"]
        others = len(named) - len(leaves)  # inner states: too many to be read
        if others:
            leaves.append(f"{others} inner state{'s' if others > 1 else ''}")
        if leaves:
            lines += textwrap.wrap("names: " + ", ".join(leaves), 100, subsequent_indent="  ")
        return "\n".join([*lines, *self.notes])

    def to_svg(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the collapsed picture as SVG.

        Args:
            path: Where to write it, too.
        """
        return written(draw(picture(self)), path)

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return a page on which groups open, in one file that needs no network.

        Args:
            path: Where to write it, too.
        """
        return written(html(self), path)

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def _repr_html_(self) -> str:
        return inline(self)

    def __repr__(self) -> str:
        steps = sum(group.kind == "step" for group in self.groups)
        return f"GradGraph({len(self.nodes)} nodes, {len(self.edges)} edges, {steps} inner steps)"

    def _in_order(self, start: int | None = None) -> list[Group]:
        """Return the groups inside a group (of all, without one), each before its own subgroups."""
        groups: list[Group] = []
        stack = self._children[start][::-1]
        while stack:
            groups.append(stack.pop())
            stack += self._children[groups[-1].id][::-1]
        return groups

    def _depth(self, group: Group) -> int:
        depth = 0
        while group.parent is not None:
            group, depth = self.groups[group.parent], depth + 1
        return depth

    def _within(self, group: Group) -> list[int]:
        """Return the nodes of a group and of those inside it."""
        return [n for g in (group, *self._in_order(group.id)) for n in g.nodes]
