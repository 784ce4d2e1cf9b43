"""The picture of a plan: a row of boxes for each level, and an arrow for each dependency."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

from torchopt.multilevel._plan_entry import Entry
from torchopt.visual.layout import Cell, Picture, Row, Wire


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
