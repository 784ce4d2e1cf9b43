"""Where the boxes and lines of a picture go.

Boxes stand on a grid, one row for each inner step and one column for each phase, so that what repeats
is aligned. Lines are routed like the wires of a circuit: along lanes in the gutters between the rows,
and along rails left of them. All that leaves one side of a box shares one wire.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

__all__ = ["BOX_HEIGHT", "BOX_WIDTH", "Cell", "Layout", "Picture", "Row", "Wire", "lay_out"]

BOX_WIDTH, BOX_HEIGHT = 132.0, 46.0
_COLUMN_GAP, _LANE, _MARGIN, _PAD = 36.0, 9.0, 14.0, 10.0
_PORT = 18.0  # between the points where wires touch a box
_INDENT = 10.0  # of the panels of one level within another
_TITLE = 34.0  # the height of the picture's own title
_TITLE_HEIGHT = 20.0  # of a row without boxes

Point = tuple[float, float]
_Key = TypeVar("_Key")
_Net = tuple[int, bool]
"""What shares a wire: all that leaves a box at its top, or all that leaves it at its bottom."""


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
    """

    title: str
    detail: str
    depth: int
    last: int


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
    """

    width: float
    height: float
    boxes: tuple[Point, ...]
    panels: tuple[tuple[int, float, float, float, float], ...]
    headers: tuple[Point, ...]
    paths: tuple[tuple[Point, ...], ...]


def lay_out(picture: Picture) -> Layout:
    """Return the coordinates of a picture's boxes and wires."""
    return _Router(picture).layout()


def _lanes(intervals: Mapping[_Key, tuple[float, float]]) -> dict[_Key, int]:
    """Return a lane number for each interval, from 0: different where they meet; narrow ones first."""
    numbers: dict[_Key, int] = {}
    for key in sorted(intervals, key=lambda k: (intervals[k][1] - intervals[k][0], k)):
        low, high = intervals[key]
        met = (k for k in numbers if intervals[k][0] <= high and low <= intervals[k][1])
        taken = {numbers[k] for k in met}
        numbers[key] = next(n for n in range(len(numbers) + 1) if n not in taken)
    return numbers


class _Router:
    """Routes wires in two passes: which gutters and rails they need, then the coordinates.

    A wire that goes down leaves a box at its bottom and enters one at its top; one that goes up does
    the opposite; one to its own row goes from top to top, unless the boxes are neighbours.
    """

    def __init__(self, picture: Picture) -> None:
        self._rows, self._cells = picture.rows, picture.cells
        taken = {(cell.row, cell.column) for cell in self._cells}
        self._wires = picture.wires
        self._level = set()  # wires to the next box of their row
        for wire in self._wires:
            a, b = self._ends(wire)
            between = ((a.row, column) for column in range(a.column + 1, b.column))
            if a.row == b.row and a.column < b.column and not taken.intersection(between):
                self._level.add(wire)
        self._bent = [wire for wire in self._wires if wire not in self._level]
        spans: dict[_Net, list[int]] = defaultdict(list)
        for wire in self._bent:
            first, last = self._gutters_of(wire)
            if first != last:
                spans[self._net(wire)] += [first, last]
        self._rails = _lanes({net: (min(ends), max(ends)) for net, ends in spans.items()})
        rails = max(self._rails.values(), default=-1) + 1
        self._panel_left = _MARGIN + rails * _LANE + (_LANE if rails else 0.0)
        self._depth = max((row.depth for row in self._rows), default=0)
        header = max((_header_width(row) for row in self._rows), default=0.0)
        self._left = self._panel_left + header + _INDENT * max(self._depth, 0) + _PAD
        self._ports = self._assign_ports()
        self._gutters = self._assign_lanes()

    def _ends(self, wire: Wire) -> tuple[Cell, Cell]:
        return self._cells[wire.source], self._cells[wire.target]

    def _net(self, wire: Wire) -> _Net:
        a, b = self._ends(wire)
        return wire.source, b.row <= a.row

    def _gutters_of(self, wire: Wire) -> tuple[int, int]:
        """Return the gutters at both ends; a gutter has the number of the row below it."""
        a, b = self._ends(wire)
        return (a.row + 1 if b.row > a.row else a.row), (b.row + 1 if b.row < a.row else b.row)

    def _upright(self, wire: Wire) -> bool:
        """Whether one of the boxes stands right above the other."""
        a, b = self._ends(wire)
        return a.column == b.column and abs(a.row - b.row) == 1

    def _x(self, column: int) -> float:
        return self._left + column * (BOX_WIDTH + _COLUMN_GAP)

    def _middle(self, cell: int) -> float:
        return self._x(self._cells[cell].column) + BOX_WIDTH / 2

    def _rail(self, net: _Net) -> float:
        # The innermost rail is the first, so that short rails do not cross long ones.
        return self._panel_left - _LANE * (self._rails[net] + 1)

    def _assign_ports(self) -> dict[_Net | Wire, float]:
        """Return where nets leave their box, and where wires enter theirs.

        Ports at the top of boxes are between those at the bottom of the boxes above, or belong to a
        wire that goes straight through the gutter.
        """
        sides: dict[tuple[int, bool], dict[_Net | Wire, float]] = defaultdict(dict)
        upright: dict[_Net | Wire, int] = {}
        for wire in self._bent:
            net, (first, last) = self._net(wire), self._gutters_of(wire)
            top = self._cells[wire.target].row == last
            # Those from a rail come from the left.
            here = self._middle(wire.source)
            sides[wire.source, net[1]][net] = here
            sides[wire.target, top][wire] = here if first == last else 0.0
            if self._upright(wire):
                upright[wire] = upright[net] = int(net[1])
            elif not net[1]:
                upright.setdefault(net, 0)
        most = max(map(len, sides.values()), default=0)
        step = min(_PORT, (BOX_WIDTH / 2 - 6.0) / (most / 2 + 1.5))
        ports: dict[_Net | Wire, float] = {}
        for (cell, top), items in sides.items():
            others = sorted((x for x in items if x not in upright), key=lambda x: items[x])
            places = [k + 0.5 if top else k for k in range(-len(others) - 1, len(others) + 3)]
            free = sorted((p for p in places if top or p not in (0, 1)), key=abs)[: len(others)]
            places_of = dict(zip(others, sorted(free), strict=True)) | upright
            ports.update((item, self._middle(cell) + step * places_of[item]) for item in items)
        return ports

    def _assign_lanes(self) -> list[dict[_Net, int]]:
        """Return the lane of each net in each gutter."""
        spans: list[dict[_Net, list[float]]] = [
            defaultdict(list) for _ in range(len(self._rows) + 1)
        ]
        for wire in self._bent:
            net, (first, last) = self._net(wire), self._gutters_of(wire)
            if first != last:
                spans[first][net] += [self._ports[net], self._rail(net)]
                spans[last][net] += [self._rail(net), self._ports[wire]]
            elif self._ports[net] != self._ports[wire]:
                spans[first][net] += [self._ports[net], self._ports[wire]]
        gap = _LANE / 2
        return [
            _lanes({net: (min(xs) - gap, max(xs) + gap) for net, xs in gutter.items()})
            for gutter in spans
        ]

    def layout(self) -> Layout:
        """Return the positions of the boxes and the paths of the wires."""
        rows = self._rows
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
            paths=tuple(map(self._path, self._wires)),
        )

    def _path(self, wire: Wire) -> tuple[Point, ...]:
        source, target = self._ends(wire)
        if wire in self._level:
            y = self._tops[source.row] + BOX_HEIGHT / 2
            return ((self._x(source.column) + BOX_WIDTH, y), (self._x(target.column), y))
        net, (first, last) = self._net(wire), self._gutters_of(wire)
        x, end = self._ports[net], self._ports[wire]
        y = self._tops[source.row] + (0.0 if net[1] else BOX_HEIGHT)
        end_y = self._tops[target.row] + (0.0 if last == target.row else BOX_HEIGHT)
        if x == end:
            return ((x, y), (end, end_y))
        high, low = (
            self._lane_bottoms[gutter] - _LANE * (self._gutters[gutter][net] + 0.5)
            for gutter in (first, last)
        )
        if first == last:
            return ((x, y), (x, high), (end, high), (end, end_y))
        rail = self._rail(net)
        return ((x, y), (x, high), (rail, high), (rail, low), (end, low), (end, end_y))


def _header_width(row: Row) -> float:
    """Return a width that is enough for a title in any usual font."""
    return max(len(row.title) * 7.8, len(row.detail) * 6.5) + (14.0 if row.title else 0.0)
