"""From the graph to what is drawn: one row for each inner step, one box for each phase.

Many steps of one kind are folded into one row. Leaves are shown by the rows that read them: the start
of the inner parameters apart from what every step reads. A small graph without steps is drawn operation
by operation.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from torchopt.visual._memory import size
from torchopt.visual._walk import reachable
from torchopt.visual.data import GraphData, Group, Node
from torchopt.visual.layout import Cell, Picture, Row, Wire

_COLUMNS = {"loss": 0, "gradient": 1, "update": 2, "params": 3}
_FIRST, _LAST, _FOLD = 3, 2, 9  # of at least nine steps, the first three and the last two are shown
_SMALL = 32  # a graph without steps and with no more nodes is drawn operation by operation
_WIDE = 6  # unless so many would stand beside each other
_TASKS = 3  # more of them are drawn as one
_INPUTS_IN_A_ROW = 4


def picture(graph: GraphData) -> Picture:
    """Return the picture of a graph.

    Args:
        graph: The graph.
    """
    steps = [group for group in graph.groups if group.kind == "step"]
    drawn = _operations(graph) if not steps and len(graph.nodes) <= _SMALL else None
    if drawn is None or any(cell.column >= _WIDE for cell in drawn.cells):
        drawn = _Collapsed(graph).picture()
    return replace(drawn, title=_title(graph, steps), description=_description(graph, drawn))


def _title(graph: GraphData, steps: Sequence[Group]) -> str:
    operations = sum(node.kind != "leaf" for node in graph.nodes)
    parts = [_count(operations, "operation"), _count(len(graph.nodes) - operations, "leaf")]
    if steps:
        parts.insert(0, _count(len(steps), "inner step"))
    return " · ".join([*parts, _bytes(graph.nodes)])


def _description(graph: GraphData, drawn: Picture) -> str:
    rows = "; ".join(
        f"{row.title or 'inputs'}: "
        + ", ".join(f"{c.title} ({c.detail})" for c in drawn.cells if c.row == number)
        for number, row in enumerate(drawn.rows)
    )
    return f"The gradient graph, from inputs at the top to outputs at the bottom. {rows}."


def _count(number: int, what: str) -> str:
    plural = {"leaf": "leaves"}.get(what, f"{what}s")
    return f"{number:,} {what if number == 1 else plural}"


def _bytes(nodes: Iterable[Node]) -> str:
    saved = [node.saved_bytes for node in nodes]
    if any(count is None for count in saved):
        return "freed"
    return f"{size(sum(count or 0 for count in saved))} saved"


def _names(nodes: Iterable[Node]) -> list[str]:
    return [name for node in nodes for _, name in node.names]


def _shape(node: Node) -> str:
    return ", ".join(str(out.shape) for out in node.outputs)


class _Collapsed:
    """The picture of groups, with one row for each inner step."""

    def __init__(self, graph: GraphData) -> None:
        self._graph = graph
        self._children = graph._children
        self._members = [[graph.nodes[k] for k in group.nodes] for group in graph.groups]
        self._rows: list[Row] = []
        self._cells: list[Cell] = []
        self._cell_of: dict[int, int] = {}

    def picture(self) -> Picture:
        top = self._children[None]
        for group in top:
            if group.kind == "inputs" and self._computed(group):
                self._rows.append(Row(group.label, "", -1, len(self._rows)))
                members = self._members[group.id]
                self._add(len(self._rows) - 1, 0, "inputs", "computed", members, [group])
        self._run([group for group in top if group.kind == "step"], 0)
        for group in top:
            if group.kind not in ("inputs", "step"):
                self._outer(group)
        self._inputs([group for group in top if group.kind == "inputs"])
        used = sorted({cell.column for cell in self._cells})
        self._cells = [replace(cell, column=used.index(cell.column)) for cell in self._cells]
        return Picture("", "", tuple(self._rows), tuple(self._cells), self._wires())

    def _computed(self, group: Group) -> bool:
        """Whether a group of inputs is computed from others."""
        return any(node.kind != "leaf" for node in self._members[group.id])

    def _run(self, steps: Sequence[Group], depth: int) -> None:
        """Add the rows of the steps of one level; many tasks, and many steps, are folded."""
        tasks = {step.label.partition(", ")[0] for step in steps if ", " in step.label}
        many = len(tasks) > _TASKS
        alike: dict[str, list[Group]] = defaultdict(list)
        for step in steps:
            alike[step.label.rpartition(", ")[2] if many else step.label].append(step)
        run = [
            (f"{len(same)} tasks, {label}" if many and len(same) > 1 else same[0].label, same)
            for label, same in alike.items()
        ]
        if len(run) >= _FOLD:
            middle = run[_FIRST:-_LAST]
            label = _range(middle[0][0], middle[-1][0])
            run[_FIRST:-_LAST] = [(label, [step for _, same in middle for step in same])]
        for label, same in run:
            self._bundle(label, same, depth)

    def _bundle(self, label: str, steps: Sequence[Group], depth: int) -> None:
        """Add the row of one step, or of several folded ones, below the steps that lie in it."""
        start, first = len(self._rows), len(self._cells)
        phases = [group for step in steps for group in self._children[step.id]]
        inner = [
            group
            for place in (*steps, *phases)
            for group in self._children[place.id]
            if group.kind == "step"
        ]
        self._rows.append(Row(label, "", depth, start))
        if inner:  # the title stands alone, above the inner steps
            self._run(inner, depth + 1)
            self._rows.append(Row("", "", -1, len(self._rows)))
        row = len(self._rows) - 1
        by_kind: dict[str, list[Group]] = defaultdict(list)
        for group in (*phases, *steps):
            if self._members[group.id] and (group.kind != "step" or group in steps):
                by_kind[group.kind].append(group)
        column = -1
        for kind, groups in by_kind.items():
            column = max(column + 1, _COLUMNS.get(kind, 0))
            nodes = [node for group in groups for node in self._members[group.id]]
            self._add(row, column, kind, groups[0].label, nodes, groups)
        nodes = [self._graph.nodes[n] for cell in self._cells[first:] for n in cell.nodes]
        self._rows[start] = replace(self._rows[start], detail=_bytes(nodes), last=row)

    def _add(
        self,
        row: int,
        column: int,
        kind: str,
        title: str,
        nodes: Sequence[Node],
        groups: Sequence[Group],
        detail: str = "",
    ) -> None:
        for node in nodes:
            self._cell_of[node.id] = len(self._cells)
        self._cells.append(
            Cell(
                row,
                column,
                kind,
                title,
                detail or _count(len(nodes), "tensor" if kind == "params" else "operation"),
                _tooltip(title, nodes),
                tuple(group.id for group in groups),
                tuple(node.id for node in nodes),
                max(len(groups), 1) if kind != "inputs" else 1,
            )
        )

    def _outer(self, group: Group) -> None:
        """Add the outer loss: solutions of inner problems, which are one node each, stand apart."""
        nodes = self._members[group.id]
        solutions = [node for node in nodes if _opaque(node)]
        rest = [node for node in nodes if not _opaque(node)]
        if not solutions or len(solutions) > _INPUTS_IN_A_ROW:
            solutions, rest = [], nodes
        before = self._ancestors(solutions)
        parts = [
            ("before", "outer", [node for node in rest if node.id in before]),
            *((node.operation, "update", [node]) for node in solutions),
            (group.label, "outer", [node for node in rest if node.id not in before]),
        ]
        shown = [part for part in parts if part[2]]
        for title, kind, members in shown:
            last = members is shown[-1][2]
            self._rows.append(Row(title if last else "", "", 0 if last else -1, len(self._rows)))
            if last:
                self._rows[-1] = replace(self._rows[-1], detail=_bytes(members))
            detail = "" if kind == "outer" else _bytes(members)
            self._add(len(self._rows) - 1, 0, kind, title, members, [group], detail)

    def _ancestors(self, nodes: Sequence[Node]) -> set[int]:
        sources: dict[int, list[int]] = defaultdict(list)
        for edge in self._graph.edges if nodes else ():
            sources[edge.target].append(edge.source)
        return reachable([node.id for node in nodes], sources.__getitem__)

    def _inputs(self, groups: Sequence[Group]) -> None:
        """Put leaves above all rows, in one box those that the same rows read."""
        readers: dict[int, set[int]] = defaultdict(set)
        for edge in self._graph.edges:
            if edge.target in self._cell_of:
                readers[edge.source].add(self._cell_of[edge.target])
        boxes: dict[tuple[int, frozenset[int], bool], list[Node]] = defaultdict(list)
        for group in groups:
            for leaf in () if self._computed(group) else self._members[group.id]:
                cells = [self._cells[number] for number in readers[leaf.id]]
                rows = frozenset(cell.row for cell in cells)
                to_update = any(cell.kind in ("update", "params") for cell in cells)
                boxes[group.id, rows, to_update].append(leaf)
        # Inner parameters come first.
        parts = sorted(boxes.values(), key=lambda part: (part[0].group, part[0].id))
        count = -(-len(parts) // _INPUTS_IN_A_ROW)
        self._cells = [replace(cell, row=cell.row + count) for cell in self._cells]
        self._rows = [replace(row, last=row.last + count) for row in self._rows]
        self._rows[:0] = [
            Row("" if number else "inputs", "", -1, number) for number in range(count)
        ]
        for number, part in enumerate(parts):
            row, column = divmod(number, _INPUTS_IN_A_ROW)
            title, detail = _leaf_text(part)
            groups = [self._graph.groups[k] for k in sorted({leaf.group for leaf in part})]
            self._add(row, column, "inputs", title, part, groups, detail)

    def _wires(self) -> tuple[Wire, ...]:
        tensors: dict[tuple[int, int], set[tuple[int, int]]] = defaultdict(set)
        for edge in self._graph.edges:
            source, target = self._cell_of[edge.source], self._cell_of[edge.target]
            if source != target:
                tensors[source, target].add((edge.source, edge.output))
        return tuple(Wire(a, b, len(places)) for (a, b), places in sorted(tensors.items()))


def _range(first: str, last: str) -> str:
    """Return "inner steps 4-17" for "inner step 4" and "inner step 17"."""
    a, b = first.rsplit(" ", 1), last.rsplit(" ", 1)
    if len(a) == len(b) == 2 and a[0] == b[0]:
        return f"{a[0]}s {a[1]}-{b[1]}"
    return f"{first} - {last}"


def _opaque(node: Node) -> bool:
    """Whether a node is a custom function: names of autograd's own nodes end with a number."""
    return node.kind == "operation" and not node.type[-1:].isdigit()


def _leaf_text(leaves: Sequence[Node]) -> tuple[str, str]:
    names = _names(leaves)
    if len(leaves) == 1:
        return (names[0] if names else leaves[0].operation), _shape(leaves[0])
    kinds = Counter(leaf.operation for leaf in leaves)
    title = _count(len(leaves), kinds.most_common(1)[0][0] if len(kinds) == 1 else "leaf")
    return title, ", ".join(names) or _shape(leaves[0])


def _tooltip(title: str, nodes: Sequence[Node]) -> str:
    lines = [f"{title}: {_count(len(nodes), 'node')}, {_bytes(nodes)}"]
    if len(nodes) == 1:
        lines.append(f"{nodes[0].operation} {_shape(nodes[0])}")
    else:
        counts = Counter(node.operation for node in nodes).most_common(6)
        lines.append(", ".join(f"{name} \u00d7{count}" for name, count in counts))
    names = _names(nodes)
    if names:
        lines.append(", ".join(names[:8]) + (", ..." if len(names) > 8 else ""))
    sources = [node.source for node in nodes if node.source]
    if sources:
        lines.append(sources[0])
    return "\n".join(lines)


def _operations(graph: GraphData) -> Picture:
    """Return the picture of single operations: a row for each distance from the outputs."""
    sources: dict[int, list[int]] = defaultdict(list)
    targets: dict[int, list[int]] = defaultdict(list)
    for edge in graph.edges:
        sources[edge.target].append(edge.source)
        targets[edge.source].append(edge.target)
    height: dict[int, int] = {}  # from below: a node stands right above its first reader
    for node in reversed(graph.nodes):
        height[node.id] = 1 + max((height[n] for n in targets[node.id]), default=-1)
    bottom = max(height.values(), default=0)
    columns: dict[int, int] = {}
    free: dict[int, int] = defaultdict(int)
    for node in sorted(graph.nodes, key=lambda node: (height[node.id], not sources[node.id])):
        wanted = min((columns[n] for n in targets[node.id]), default=0)
        columns[node.id] = max(wanted, free[height[node.id]])
        free[height[node.id]] = columns[node.id] + 1
    cells = []
    for node in graph.nodes:
        kind = {"leaf": "inputs", "update": "update"}.get(node.kind, "outer")
        if node.kind == "leaf":
            title, detail = _leaf_text([node])
        else:
            title, detail = ", ".join(_names([node])) or node.operation, _shape(node)
        if kind == "outer" and _opaque(node):
            kind = "update"
        tooltip = _tooltip(title, [node])
        place = bottom - height[node.id], columns[node.id]
        cells.append(Cell(*place, kind, title, detail, tooltip, (node.group,), (node.id,)))
    tensors = Counter({(e.source, e.target): 1 for e in graph.edges})
    wires = tuple(Wire(a, b, count) for (a, b), count in sorted(tensors.items()))
    rows = tuple(Row("", "", -1, number) for number in range(bottom + 1))
    return Picture("", "", rows, tuple(cells), wires)
