"""The plan of a multilevel program, as data: when problems step, how gradients flow, at what cost.

A plan is made before the first step, from names and numbers only; it prints as a table and draws itself
as a picture of the dependencies.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from torchopt.io.table import table
from torchopt.multilevel._graph import Dependencies
from torchopt.multilevel._plan_entry import Entry, cost, count, describe
from torchopt.multilevel._plan_picture import plan_picture
from torchopt.multilevel._schedule import Schedule
from torchopt.visual.svg import draw, written

_PATHS = 12  # of a problem's hypergradient; a dense graph has exponentially many


@dataclass(frozen=True)
class Plan:
    """The schedule and costs of a multilevel program, to print and to draw.

    Attributes:
        entries: The problems, the uppermost first. What they hold may change with any release.
        order: The problems in the order in which they step within a tick.
    """

    __promised__: ClassVar[tuple[str, ...]] = ("order", "to_svg")

    entries: tuple[Entry, ...]
    order: tuple[str, ...]

    def __getitem__(self, name: str) -> Entry:
        for entry in self.entries:
            if entry.name == name:
                return entry
        raise KeyError(name)

    def __str__(self) -> str:
        header = ("level", "problem", "parameters", "steps", "turn", "derivative", "cost")
        rows = [header, *(self._row(entry) for entry in self.entries)]
        first, *others = table(rows, right={0, 2})
        rule = "-" * max(map(len, (first, *others)))
        lines = [first, rule, *others, "", f"in a tick: {', then '.join(self.order)}"]
        paths = [line for entry in self.entries for line in self._paths(entry)]
        if paths:
            lines += ["", "hypergradients", *(f"  {line}" for line in paths)]
        if any(entry.uppers and entry.lowers for entry in self.entries):
            nested = ", ".join(e.name for e in self.entries if e.uppers and e.lowers)
            lines += [
                "",
                f"gradients of {nested} are total: they include the responses of all below",
            ]
        return "\n".join(lines)

    __repr__ = __str__

    def _row(self, entry: Entry) -> tuple[str, ...]:
        above = ", ".join(entry.uppers)
        steps = f"{entry.steps} per step of {above}" if entry.uppers else "-"
        if entry.repeat > 1:
            steps += f", {entry.repeat} at a time"
        return (
            str(entry.depth),
            entry.name,
            "-" if entry.parameters is None else f"{entry.parameters:,}",
            steps.removeprefix("-, "),
            _every(entry.period),
            entry.mode or "-",
            "-" if entry.cost is None else str(entry.cost),
        )

    def _paths(self, entry: Entry) -> list[str]:
        lines = [self._path(path) for path in entry.paths]
        if not entry.complete:
            lines.append(f"{entry.name} -> ... (and more)")
        return lines

    def _path(self, path: Sequence[str]) -> str:
        """Return a path as text, with the mode of each problem on the way."""
        through = (
            f"{name} [{self[name].mode.partition('(')[0]}]" if self[name].mode else name
            for name in path[1:-1]
        )
        return " -> ".join((path[0], *through, path[-1]))

    def to_svg(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the picture as SVG.

        A row for each level. Solid arrows: a solution is read from below; dashed arrows: parameters
        are read from above.

        Args:
            path: Where to write it, too.
        """
        return written(draw(plan_picture(self.entries, str(self), _detail, self._tooltip)), path)

    def _repr_html_(self) -> str:
        return self.to_svg()

    def _tooltip(self, entry: Entry) -> str:
        row = self._row(entry)
        lines = [
            f"{entry.name}: {row[2]} parameters" if entry.parameters is not None else entry.name,
            f"{row[3]}, {row[4]}" if entry.uppers else row[4],
            *([f"derivative: {entry.mode}"] if entry.mode else []),
            *([f"cost: {entry.cost}"] if entry.cost is not None else []),
            *self._paths(entry),
        ]
        return "\n".join(lines)


def make_plan(
    dependencies: Dependencies,
    schedule: Schedule,
    modes: Mapping[str, Any],
    sizes: Mapping[str, int] | None = None,
) -> Plan:
    """Return the plan of a program.

    Args:
        dependencies: The graph of its problems.
        schedule: When they step; it is not advanced.
        modes: For each problem with another above it, its differentiation mode; or words, which say
            nothing of the cost.
        sizes: For each problem, the number of its parameters.

    Returns:
        The plan.

    Example:
        >>> import torchopt
        >>> from torchopt.multilevel._graph import Dependencies
        >>> from torchopt.multilevel._schedule import Schedule
        >>> graph = Dependencies.of(
        ...     ["outer", "inner"], {"u2l": {"outer": ["inner"]}, "l2u": {"inner": ["outer"]}})
        >>> plan = make_plan(
        ...     graph, Schedule(graph, {"inner": 5}), {"inner": torchopt.diff.Explicit()},
        ...     {"outer": 10, "inner": 7850})
        >>> plan["outer"].paths
        (('outer', 'inner', 'outer'),)
        >>> plan["inner"].cost.products
        5
    """
    periods = schedule.periods()
    entries = [
        _entry(dependencies, schedule, name, modes.get(name), (sizes or {}).get(name), periods)
        for name in reversed(dependencies.order)
    ]
    # Levels one by one; in a level as the user has them.
    entries.sort(key=lambda entry: (entry.depth, dependencies.names.index(entry.name)))
    return Plan(tuple(entries), dependencies.order)


def _entry(
    graph: Dependencies,
    schedule: Schedule,
    name: str,
    mode: Any,
    size: int | None,
    periods: Mapping[str, Fraction],
) -> Entry:
    paths = graph.paths(name, limit=_PATHS + 1)
    uppers, steps = graph.uppers(name), schedule.steps[name]
    mode = mode if uppers else None
    return Entry(
        name=name,
        depth=graph.depth(name),
        parameters=size,
        mode=describe(mode),
        steps=steps,
        repeat=schedule.repeat[name] if graph.lowers(name) else 1,
        period=periods[name],
        uppers=uppers,
        lowers=graph.lowers(name),
        reads=graph.reads(name),
        solutions=graph.solutions(name),
        paths=paths[:_PATHS],
        complete=len(paths) <= _PATHS,
        cost=None if isinstance(mode, str) else cost(mode, steps),
    )


def _detail(entry: Entry) -> str:
    if not entry.uppers:
        return _every(entry.period)
    mode = entry.mode.partition("(")[0]
    steps = count(entry.steps, "step")
    return f"{steps}, {mode}" if mode else steps


def _every(period: Fraction) -> str:
    if period == 1:
        return "every tick"
    number = str(period.numerator) if period.denominator == 1 else f"{float(period):.3g}"
    return f"every {number} ticks"
