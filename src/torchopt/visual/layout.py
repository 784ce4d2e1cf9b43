"""Where the boxes and lines of a picture go.

Boxes stand on a grid, one row for each inner step and one column for each phase, so that what repeats
is aligned. Lines are routed like the wires of a circuit: along lanes in the gutters between the rows,
and along rails left of them; all that leaves one box shares one wire.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

__all__ = [
    "BOX_HEIGHT",
    "BOX_WIDTH",
    "Cell",
    "Layout",
    "Picture",
    "Row",
    "Wire",
    "assign_lanes",
    "lay_out",
]

BOX_WIDTH, BOX_HEIGHT = 132.0, 46.0
_COLUMN_GAP, _LANE, _MARGIN, _PAD = 36.0, 9.0, 14.0, 10.0
_PORT = 15.0  # between the points where wires enter a box
_INDENT = 10.0  # of the panels of one level within another
_TITLE = 34.0  # the height of the picture's own title
_TITLE_HEIGHT = 20.0  # of a row without boxes

_COLLECTED = 5  # so many wires from afar to one box are one

Point = tuple[float, float]
_Key = TypeVar("_Key")
_Net = tuple[str, int]
"""What shares a wire: all "from" a box, all "to" it, or its "loop" to boxes of its own row."""


@dataclass(frozen=True)
class Cell:
    """A box: a group of operations, or one operation.

    Attributes:
        row: The row of the grid.
        column: The column of the grid.
        kind: The kind of its group, by which it is coloured.
        title: The first line of its text.
        detail: The second line.
        tooltip: What is shown under the pointer.
        groups: The groups whose nodes it stands for.
        nodes: The nodes that it stands for.
        times: How many steps it stands for.
    """

    row: int
    column: int
    kind: str
    title: str
    detail: str
    tooltip: str
    groups: tuple[int, ...]
    nodes: tuple[int, ...]
    times: int = 1


@dataclass(frozen=True)
class Row:
    """A row of boxes.

    Attributes:
        title: What stands left of it.
        detail: Below the title.
        depth: How many steps of upper levels it lies in; -1 for a row without a panel.
        last: The last row that lies in the same panel, this one included.
        folded: How many steps it stands for.
    """

    title: str
    detail: str
    depth: int
    last: int
    folded: int = 1


@dataclass(frozen=True)
class Wire:
    """Tensors that flow from one box to another.

    Attributes:
        source: The number of the box that they come from.
        target: The number of the box that they go to.
        tensors: How many.
        label: What they are, in place of their number.
        dashed: Whether the line is.
    """

    source: int
    target: int
    tensors: int
    label: str = ""
    dashed: bool = False


@dataclass(frozen=True)
class Picture:
    """The contents of a picture, without coordinates."""

    title: str
    description: str
    rows: tuple[Row, ...]
    cells: tuple[Cell, ...]
    wires: tuple[Wire, ...]


@dataclass(frozen=True)
class Layout:
    """The coordinates of a picture, in pixels.

    Attributes:
        width: Of the picture.
        height: Of the picture.
        boxes: The upper left corner of each box.
        panels: For each row with a panel ``(row, x, y, width, height)``; outer panels first.
        headers: The point left of each row's boxes where its title begins.
        paths: The corners of each wire; the last is the head of the arrow.
        owners: The box whose wire each is: where it comes from, or where it is collected.
    """

    width: float
    height: float
    boxes: tuple[Point, ...]
    panels: tuple[tuple[int, float, float, float, float], ...]
    headers: tuple[Point, ...]
    paths: tuple[tuple[Point, ...], ...]
    owners: tuple[int, ...]


def lay_out(picture: Picture) -> Layout:
    """Return the coordinates of a picture's boxes and wires."""
    return _Router(picture).layout()


def assign_lanes(
    intervals: Mapping[_Key, tuple[float, float]],
    *,
    widest_first: bool = False,
    apart: Callable[[_Key, _Key], bool] = lambda one, other: False,
) -> dict[_Key, int]:
    """Return a lane number for each interval, from 0: different where they overlap.

    Args:
        intervals: Lower and upper ends.
        widest_first: Whether wide intervals have the small numbers; by default narrow ones.
        apart: Says of two keys whether they may share a lane even so.
    """
    numbers: dict[_Key, int] = {}
    sign = -1 if widest_first else 1
    for key in sorted(intervals, key=lambda k: sign * (intervals[k][1] - intervals[k][0])):
        low, high = intervals[key]
        taken = {
            number
            for other, number in numbers.items()
            if intervals[other][0] <= high + _LANE
            and low <= intervals[other][1] + _LANE
            and not apart(key, other)
        }
        numbers[key] = next(n for n in range(len(numbers) + 1) if n not in taken)
    return numbers


class _Router:
    """Routes wires in two passes: which gutters and rails they need, then the coordinates."""

    def __init__(self, picture: Picture) -> None:
        self._picture = picture
        self._cells = picture.cells
        self._taken = {(cell.row, cell.column) for cell in self._cells}
        self._depth = max((row.depth for row in picture.rows), default=0)
        self._header = max((_header_width(row) for row in picture.rows), default=0.0)
        far = Counter(wire.target for wire in picture.wires if self._far(wire))
        self._collecting = {target for target, count in far.items() if count >= _COLLECTED}
        self._rails = assign_lanes(dict(sorted(self._rail_spans().items())))
        rails = max(self._rails.values(), default=-1) + 1
        self._panel_left = _MARGIN + rails * _LANE + (_LANE if rails else 0.0)
        self._left = self._panel_left + self._header + _INDENT * max(self._depth, 0) + _PAD
        self._entries = self._entry_points()
        self._gutters = self._gutter_lanes()

    def _straight(self, wire: Wire) -> bool:
        """Whether nothing stands between two boxes of one row."""
        a, b = self._cells[wire.source], self._cells[wire.target]
        between = range(a.column + 1, b.column)
        return (
            a.row == b.row
            and a.column < b.column
            and not any((a.row, column) in self._taken for column in between)
        )

    def _below(self, wire: Wire) -> bool:
        """Whether the target stands right below the source."""
        a, b = self._cells[wire.source], self._cells[wire.target]
        return a.column == b.column and b.row == a.row + 1

    def _far(self, wire: Wire) -> bool:
        """Whether a wire ends neither in its own row nor in the next one."""
        return self._cells[wire.target].row - self._cells[wire.source].row not in (0, 1)

    def _net(self, wire: Wire) -> _Net:
        if self._cells[wire.source].row == self._cells[wire.target].row:
            return "loop", wire.source
        if self._far(wire) and wire.target in self._collecting:
            return "to", wire.target
        return "from", wire.source

    def _rail_spans(self) -> dict[_Net, tuple[float, float]]:
        """The gutters between which each wire needs a rail."""
        spans: dict[_Net, tuple[float, float]] = {}
        for wire in filter(self._far, self._picture.wires):
            ends = (self._cells[wire.source].row + 1, self._cells[wire.target].row)
            low, high = spans.get(self._net(wire), ends)
            spans[self._net(wire)] = (min(low, *ends), max(high, *ends))
        # Far enough from each other that rails which meet the same gutter are different ones.
        return {key: (2 * _LANE * low, 2 * _LANE * high) for key, (low, high) in spans.items()}

    def _rail(self, net: _Net) -> float:
        # The innermost rail is the first, so that short rails do not cross long ones.
        return self._panel_left - _LANE * (self._rails[net] + 1)

    def _x(self, column: int) -> float:
        return self._left + column * (BOX_WIDTH + _COLUMN_GAP)

    def _middle(self, cell: int) -> float:
        return self._x(self._cells[cell].column) + BOX_WIDTH / 2

    def _loop(self, cell: int) -> float:
        """Where a wire to another box of its own row leaves its source: at the top right."""
        return self._middle(cell) + BOX_WIDTH / 2 - 12.0

    def _entry_points(self) -> dict[Wire, float]:
        """Where each wire enters the top of its target: from above in the middle, others beside."""
        arriving: dict[int, list[Wire]] = defaultdict(list)
        for wire in self._picture.wires:
            if not self._straight(wire):
                arriving[wire.target].append(wire)
        points = {}
        for target, wires in arriving.items():
            middle = self._middle(target)
            sides: dict[bool, list[Wire]] = {False: [], True: []}
            for wire in wires:
                if self._below(wire):
                    points[wire] = middle
                else:
                    right = not self._far(wire) and self._middle(wire.source) > middle
                    sides[right].append(wire)
            collected = [wire for wire in sides[False] if self._net(wire)[0] == "to"]
            sides[False] = [wire for wire in sides[False] if wire not in collected[1:]]
            for right, side in sides.items():
                # Those from nearby stand nearest to the middle.
                side.sort(key=lambda wire: abs(self._middle(wire.source) - middle))
                step = min(_PORT, (BOX_WIDTH / 2 - 20.0) / max(len(side), 1))
                for number, wire in enumerate(side, 1):
                    points[wire] = middle + (number if right else -number) * step
            points.update((wire, points[collected[0]]) for wire in collected)
        return points

    def _gutter_lanes(self) -> list[dict[_Net, int]]:
        """The lane of each wire in the gutter above each row."""
        spans: list[dict[_Net, list[float]]] = [
            defaultdict(list) for _ in range(len(self._picture.rows) + 1)
        ]
        for wire in self._picture.wires:
            if self._straight(wire) or self._below(wire):
                continue
            net, row = self._net(wire), self._cells[wire.target].row
            if self._far(wire):
                above = self._cells[wire.source].row + 1
                spans[above][net] += [self._middle(wire.source), self._rail(net)]
                spans[row][net] += [self._rail(net), self._entries[wire]]
            else:
                start = self._loop if net[0] == "loop" else self._middle
                spans[row][net] += [start(wire.source), self._entries[wire]]
        return [
            assign_lanes(
                {net: (min(points), max(points)) for net, points in sorted(gutter.items())}
            )
            for gutter in spans
        ]

    def layout(self) -> Layout:
        """Return the positions of the boxes and the paths of the wires."""
        rows = self._picture.rows
        top, tops, lanes = _MARGIN + _TITLE, [], []
        filled = {cell.row for cell in self._cells}
        for number in range(len(rows) + 1):
            count = max(self._gutters[number].values(), default=-1) + 1
            # A title row of an outer panel needs space above its first row.
            gutter = count * _LANE + (_PAD if count or number else 0.0)
            lanes.append(top + gutter)  # the lowest lane is right above the panel
            top += gutter
            if number < len(rows):
                tops.append(top + _PAD)
                top += (BOX_HEIGHT if number in filled else _TITLE_HEIGHT) + 2 * _PAD
        columns = max((cell.column for cell in self._cells), default=0) + 1
        right = self._x(columns - 1) + BOX_WIDTH + _PAD
        depth = max(self._depth, 0)
        panels = []
        for number, row in enumerate(rows):
            if row.depth >= 0:
                inset = row.depth * _INDENT
                y = tops[number] - _PAD
                height = tops[row.last] + BOX_HEIGHT + _PAD - y
                width = right - self._panel_left + (depth - row.depth) * _INDENT - inset
                panels.append((number, self._panel_left + inset, y, width, height))
        width = right + depth * _INDENT + _MARGIN
        self._tops, self._lane_bottoms = tops, lanes
        return Layout(
            width=width,
            height=top + _MARGIN - (0.0 if self._gutters[-1] else _PAD),
            boxes=tuple((self._x(cell.column), tops[cell.row]) for cell in self._cells),
            panels=tuple(sorted(panels, key=lambda panel: rows[panel[0]].depth)),
            headers=tuple(
                (self._panel_left + _PAD + max(row.depth, 0) * _INDENT, tops[number])
                for number, row in enumerate(rows)
            ),
            paths=tuple(self._path(wire) for wire in self._picture.wires),
            owners=tuple(
                wire.source if self._straight(wire) else self._net(wire)[1]
                for wire in self._picture.wires
            ),
        )

    def _lane(self, gutter: int, net: _Net) -> float:
        return self._lane_bottoms[gutter] - _LANE * (self._gutters[gutter][net] + 0.5)

    def _path(self, wire: Wire) -> tuple[Point, ...]:
        source, target = self._cells[wire.source], self._cells[wire.target]
        if self._straight(wire):
            y = self._tops[source.row] + BOX_HEIGHT / 2
            return ((self._x(source.column) + BOX_WIDTH, y), (self._x(target.column), y))
        net = self._net(wire)
        end = (self._entries[wire], self._tops[target.row])
        start = (self._middle(wire.source), self._tops[source.row] + BOX_HEIGHT)
        if self._below(wire):
            return (start, end)
        if net[0] == "loop":
            start = (self._loop(wire.source), self._tops[source.row])
        y = self._lane(target.row, net)
        if not self._far(wire):
            return (start, (start[0], y), (end[0], y), end)
        x, y1 = self._rail(net), self._lane(source.row + 1, net)
        return (start, (start[0], y1), (x, y1), (x, y), (end[0], y), end)


def _header_width(row: Row) -> float:
    """Return a width that is enough for a title in any usual font."""
    return max(len(row.title) * 7.8, len(row.detail) * 6.5) + (14.0 if row.title else 0.0)
