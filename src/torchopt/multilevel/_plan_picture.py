"""The picture of a plan: a row of boxes for each level, and an arrow for each dependency.

Between two levels each line has its own lane. A line that skips a level passes it on the left if it
points down (parameters are read), and on the right if it points up (a solution is read).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from torchopt.multilevel._plan_entry import Entry
from torchopt.visual.layout import (
    BOX_HEIGHT,
    BOX_WIDTH,
    Cell,
    Layout,
    Picture,
    Row,
    Wire,
    assign_lanes,
)

_GAP, _LANE, _MARGIN, _PAD, _PORT, _TITLE, _HEADER = 36.0, 9.0, 14.0, 10.0, 15.0, 34.0, 72.0


def plan_picture(
    entries: Sequence[Entry],
    description: str,
    detail: Callable[[Entry], str],
    tooltip: Callable[[Entry], str],
) -> Picture:
    """Return the picture of a plan.

    Args:
        entries: The problems of the plan.
        description: The plan in words.
        detail: Returns the second line of a box.
        tooltip: Returns the text that is shown under the pointer.
    """
    cells: list[Cell] = []
    numbers: dict[str, int] = {}
    columns: dict[int, int] = defaultdict(int)
    for entry in entries:
        kind = "outer" if not entry.uppers else "gradient" if entry.lowers else "params"
        numbers[entry.name] = len(cells)
        words = entry.name, detail(entry), tooltip(entry)
        cells.append(Cell(entry.depth, columns[entry.depth], kind, *words, (), ()))
        columns[entry.depth] += 1
    wires = []
    for entry in entries:
        me = numbers[entry.name]
        wires += [Wire(numbers[n], me, 1, f"solution of {n}") for n in entry.solutions]
        wires += [Wire(numbers[n], me, 1, f"parameters of {n}", dashed=True) for n in entry.reads]
    rows = tuple(Row(f"level {depth}", "", 0, depth) for depth in range(len(columns)))
    title = "up: solutions that are read; down, dashed: parameters that are read"
    return Picture(title, description, rows, tuple(cells), tuple(wires))


def place(picture: Picture) -> Layout:
    """Return where the boxes and wires of a plan's picture go."""
    return _Places(picture).layout()


@dataclass(frozen=True)
class _Line:
    """A wire as its two ends: the bottom of an upper box and the top of a lower one."""

    wire: Wire
    upper: int
    lower: int
    far: bool

    @property
    def side(self) -> int:
        """The side on which it passes the levels that it skips: -1 left, 1 right, 0 for none."""
        return 0 if not self.far else -1 if self.wire.dashed else 1


class _Places:
    def __init__(self, picture: Picture) -> None:
        self._picture = picture
        self._lines = []
        for wire in picture.wires:
            upper, lower = sorted((wire.source, wire.target), key=lambda n: picture.cells[n].row)
            far = picture.cells[lower].row - picture.cells[upper].row > 1
            self._lines.append(_Line(wire, upper, lower, far))
        rails = assign_lanes(
            {
                line: (self._row(line.upper), self._row(line.lower))
                for line in self._lines
                if line.far
            },
            apart=lambda one, other: one.side != other.side,
        )
        self._rails = rails
        self._outside = {
            side: _LANE
            * (max((n + 1 for line, n in rails.items() if line.side == side), default=-1) + 1)
            for side in (-1, 1)
        }
        self._left = _MARGIN + self._outside[-1]
        self._middles = self._box_middles()
        self._bottoms = self._ports(lambda line: line.upper, lambda line: line.lower)
        self._tops = self._ports(lambda line: line.lower, lambda line: line.upper)
        self._gutters = [self._gutter(row) for row in range(len(picture.rows))]

    def _row(self, cell: int) -> int:
        return self._picture.cells[cell].row

    def _box_middles(self) -> dict[int, float]:
        """Return the middles of boxes: rows are centred, and ordered by the boxes above."""
        rows: dict[int, list[int]] = defaultdict(list)
        for number, cell in enumerate(self._picture.cells):
            rows[cell.row].append(number)
        self._columns = max(map(len, rows.values()))
        centre = self._left + _HEADER + _PAD + self._span(self._columns) / 2
        middles: dict[int, float] = {}
        for row in sorted(rows):
            above = {
                cell: [middles[line.upper] for line in self._lines if line.lower == cell]
                for cell in rows[row]
            }
            # Sorting is stable: the user's order decides where this does not.
            ordered = sorted(
                rows[row], key=lambda cell: round(sum(above[cell]) / max(len(above[cell]), 1))
            )
            first = centre - self._span(len(ordered)) / 2 + BOX_WIDTH / 2
            for column, number in enumerate(ordered):
                middles[number] = first + column * (BOX_WIDTH + _GAP)
        return middles

    @staticmethod
    def _span(boxes: int) -> float:
        return boxes * BOX_WIDTH + (boxes - 1) * _GAP

    def _ports(
        self, here: Callable[[_Line], int], there: Callable[[_Line], int]
    ) -> dict[_Line, float]:
        """Return where lines touch a side of a box, in the order of their other ends."""
        touching: dict[int, list[_Line]] = defaultdict(list)
        for line in self._lines:
            touching[here(line)].append(line)
        ports = {}
        for cell, lines in touching.items():
            lines.sort(
                key=lambda line: (line.side, self._middles[there(line)], not line.wire.dashed)
            )
            # The lines of neighbouring levels are in the middle, so that a chain is straight.
            left, near, right = (sum(line.side == side for line in lines) for side in (-1, 0, 1))
            step = min(_PORT, (BOX_WIDTH / 2 - 10.0) / (max(left, right) + near / 2))
            for number, line in enumerate(lines):
                ports[line] = self._middles[cell] + (number - left - (near - 1) / 2) * step
        return ports

    def _rail(self, line: _Line) -> float:
        distance = (self._rails[line] + 1) * _LANE
        if line.side < 0:
            return self._left - distance
        return self._right() + distance

    def _right(self) -> float:
        return self._left + _HEADER + 2 * _PAD + self._span(self._columns)

    def _gutter(self, row: int) -> dict[_Line, int]:
        """Return the lanes of the lines above a row."""
        spans = {}
        for line in self._lines:
            if row == self._row(line.lower):
                start = self._rail(line) if line.far else self._bottoms[line]
                spans[line] = (start, self._tops[line])
            elif line.far and row == self._row(line.upper) + 1:
                spans[line] = (self._bottoms[line], self._rail(line))
        bent = {line: (min(ends), max(ends)) for line, ends in spans.items() if ends[0] != ends[1]}
        widest_first = len({x.lower for x in bent}) < len({x.upper for x in bent})
        return assign_lanes(bent, widest_first=widest_first)

    def layout(self) -> Layout:
        top, tops, bottoms = _MARGIN + _TITLE, [], []
        for number, lanes in enumerate(self._gutters):
            if number:
                top += (max(lanes.values(), default=0) + 1) * _LANE + 2 * _PAD
            bottoms.append(top - _PAD)
            tops.append(top + _PAD)
            top += BOX_HEIGHT + 2 * _PAD
        self._lows, self._box_tops = bottoms, tops
        width = self._right() - self._left
        return Layout(
            width=self._right() + self._outside[1] + _MARGIN,
            height=top + _MARGIN,
            boxes=tuple(
                (self._middles[n] - BOX_WIDTH / 2, tops[cell.row])
                for n, cell in enumerate(self._picture.cells)
            ),
            panels=tuple(
                (row, self._left, y - _PAD, width, BOX_HEIGHT + 2 * _PAD)
                for row, y in enumerate(tops)
            ),
            headers=tuple((self._left + _PAD, y) for y in tops),
            paths=tuple(self._path(line) for line in self._lines),
            owners=tuple(line.wire.source for line in self._lines),
        )

    def _lane(self, row: int, line: _Line) -> float:
        return self._lows[row] - _LANE * self._gutters[row].get(line, 0)

    def _path(self, line: _Line) -> tuple[tuple[float, float], ...]:
        """Return the corners of a line, from the tail of the arrow to its head."""
        lower, upper = self._row(line.lower), self._row(line.upper)
        x, y = self._bottoms[line], self._box_tops[upper] + BOX_HEIGHT
        end_x, end_y = self._tops[line], self._box_tops[lower]
        ways: Iterable[tuple[float, float]]
        if line.far:
            rail, high, low = self._rail(line), self._lane(upper + 1, line), self._lane(lower, line)
            ways = [(x, y), (x, high), (rail, high), (rail, low), (end_x, low), (end_x, end_y)]
        elif x == end_x:
            ways = [(x, y), (end_x, end_y)]
        else:
            lane = self._lane(lower, line)
            ways = [(x, y), (x, lane), (end_x, lane), (end_x, end_y)]
        return tuple(ways if line.wire.dashed else reversed(list(ways)))
