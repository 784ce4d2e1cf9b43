"""The plan of a multilevel program, as data: who steps when, what flows through whom, at what cost.

A plan is made before the first step, from names and numbers only; it prints as a table and draws itself
as a picture of who reads whom.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from torchopt.diff import Explicit, Implicit, ZeroOrder
from torchopt.diff.zero_order import Coordinate
from torchopt.linear_solve import BiCGSTAB, NormalCG, OneStep, Phantom, WarmStart

if TYPE_CHECKING:
    from torchopt.multilevel._graph import Dependencies
    from torchopt.multilevel._schedule import Schedule

__all__ = ["Cost", "Entry", "Plan", "cost", "describe", "make_plan"]

_PATHS = 12  # of a problem's hypergradient; a dense graph has exponentially many


@dataclass(frozen=True)
class Cost:
    """What a level costs between two steps of the level above, its own training included.

    In a level with others below it, each evaluation and product is one of the *total* objective, and
    includes the responses of those below.

    Attributes:
        gradients: How many gradients of the level's loss are evaluated; None if unknown.
        products: How many products with second derivatives (Hessian or mixed), at most, besides
            those by which a linear solve checks itself; None if unknown.
        note: What else there is to say, such as what is kept in memory.
    """

    gradients: int | None
    products: int | None
    note: str = ""

    def __str__(self) -> str:
        counts = [
            _count(number, word)
            for number, word in ((self.gradients, "gradient"), (self.products, "product"))
            if number is not None and (number or word == "gradient")
        ]
        return ", ".join(filter(None, [*counts, self.note]))


def cost(mode: Any, steps: int) -> Cost:
    """Return what a level costs between two steps of the level above.

    Args:
        mode: Its differentiation mode; None for a level that is not differentiated.
        steps: How many steps it makes.

    Example:
        >>> import torchopt
        >>> from torchopt.multilevel._plan import cost
        >>> print(cost(torchopt.diff.Explicit(memory="step"), 5))
        10 gradients, 5 products, keeps the parameters of 5 steps
        >>> print(cost(torchopt.diff.Implicit(torchopt.linear_solve.solve_cg(maxiter=20)), 5))
        6 gradients, 21 products
    """
    if mode is None:
        return Cost(steps, 0)
    if isinstance(mode, Explicit):
        return _explicit_cost(mode, steps)
    if isinstance(mode, Implicit):
        return _implicit_cost(mode, steps)
    if isinstance(mode, ZeroOrder):
        return _zero_order_cost(mode, steps)
    mixed = getattr(mode, "mixed", None)  # one step, ready-made or with a step size known later
    if mixed == "finite_difference":
        return Cost(steps + 2 + (getattr(mode, "step_size", 0.0) is None), 0)
    if mixed == "reverse":
        return Cost(steps + 1, 1)
    return Cost(steps, None, f"and what {describe(mode)} takes")


def _explicit_cost(mode: Explicit, steps: int) -> Cost:
    tracked = steps if mode.truncate is None else min(mode.truncate, steps)
    products = 0 if mode.first_order else tracked
    if mode.memory != "graph":
        # Steps come one by one: each is kept, and computed again for its backward pass.
        return Cost(steps + tracked, products, f"keeps the parameters of {_count(tracked, 'step')}")
    return Cost(steps, products, f"keeps the graph of {_count(tracked, 'step')}")


def _implicit_cost(mode: Implicit, steps: int) -> Cost:
    iterations = _iterations(mode.linear_solve)
    if iterations is None:
        until = "products until the linear solve's tolerance"
        return Cost(steps + 1, None, f"and as many {until} is met")
    if mode.hvp == "finite_difference":
        return Cost(steps + 1 + 2 * iterations, 1)
    return Cost(steps + 1, iterations + 1)  # the last is the mixed one


def _iterations(solver: Any) -> int | None:
    """The products with the Hessian that a linear solve takes, besides those of its checks."""
    if isinstance(solver, WarmStart):
        solver = solver.solver
    if isinstance(solver, OneStep):
        return 0
    if isinstance(solver, Phantom):
        return solver.steps - 1
    most = getattr(solver, "maxiter", None)
    if not isinstance(most, int):
        return None
    return 2 * most if isinstance(solver, (BiCGSTAB, NormalCG)) else most


def _zero_order_cost(mode: ZeroOrder, steps: int) -> Cost:
    estimator = mode.estimator
    if estimator.tangents:
        directions = _count(estimator.num_samples, "direction")
        return Cost(None, None, f"solved with derivatives along {directions}")
    if isinstance(estimator, Coordinate):
        return Cost(None, 0, "solved again at two points for each unknown")
    points = estimator.num_samples * sum(offset != 0 for offset in estimator.offsets)
    return Cost(steps * (1 + points), 0, f"solved again at {_count(points, 'point')}")


def describe(mode: Any) -> str:
    """Return a mode in words: its name, and the options that are not the default.

    Args:
        mode: A differentiation mode, words, or None.

    Example:
        >>> import torchopt
        >>> from torchopt.multilevel._plan import describe
        >>> describe(torchopt.diff.Implicit(torchopt.linear_solve.solve_cg(maxiter=20)))
        'Implicit(linear_solve=CG(maxiter=20))'
    """
    if mode is None:
        return ""
    if isinstance(mode, str):
        return mode
    if isinstance(mode, torch.Tensor):
        return f"tensor{tuple(mode.shape)}"
    if not dataclasses.is_dataclass(mode) or isinstance(mode, type):
        words = repr(mode)  # "<...>" is no word of its own
        return _name_of(mode) if words.startswith("<") else words
    kind: Any = type(mode)
    if not kind.__dataclass_params__.repr:
        return repr(mode)
    options = [
        f"{f.name}={_option(getattr(mode, f.name))}"
        for f in dataclasses.fields(mode)
        if f.init and not _same(getattr(mode, f.name), f.default)
    ]
    return f"{kind.__name__}({', '.join(options)})"


def _option(value: Any) -> str:
    return repr(value) if isinstance(value, str) or value is None else describe(value)


def _same(value: Any, default: Any) -> bool:
    if value is default:
        return True
    return isinstance(value, (int, float, str, tuple)) and bool(value == default)


def _name_of(thing: Any) -> str:
    return str(getattr(thing, "__name__", type(thing).__name__))


@dataclass(frozen=True)
class Entry:
    """One problem of a plan.

    Attributes:
        name: The problem.
        depth: How many levels are above it, on the longest way up.
        parameters: The number of its parameters; None if unknown.
        mode: How it is differentiated, in words; empty for a problem with nothing above it.
        steps: Its steps per turn of a problem right above it.
        repeat: Its steps per turn of its own.
        period: How many ticks there are from turn to turn, on the average.
        uppers: The problems right above it.
        lowers: The problems right below it.
        reads: The upper problems whose parameters its loss reads.
        solutions: The lower problems whose solution its loss reads.
        paths: The ways of its hypergradient, from it through responses back to it, the shortest
            first.
        complete: Whether these are all of them.
        cost: What it costs between two steps of a problem above; None if the mode is words only.
    """

    name: str
    depth: int
    parameters: int | None
    mode: str
    steps: int
    repeat: int
    period: Fraction
    uppers: tuple[str, ...]
    lowers: tuple[str, ...]
    reads: tuple[str, ...]
    solutions: tuple[str, ...]
    paths: tuple[tuple[str, ...], ...]
    complete: bool
    cost: Cost | None


@dataclass(frozen=True)
class Plan:
    """What a multilevel program will do: printed, drawn, or read as data.

    Attributes:
        entries: The problems, the uppermost first.
        order: The problems in the order in which they step within a tick.
    """

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
        lines = [*_table(rows), "", f"in a tick: {', then '.join(self.order)}"]
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
        """A path, with the mode through which it goes at each problem."""
        through = (
            f"{name} [{self[name].mode.partition('(')[0]}]" if self[name].mode else name
            for name in path[1:-1]
        )
        return " -> ".join((path[0], *through, path[-1]))

    def svg(self) -> str:
        """Return the picture, as the text of an SVG file.

        A row for each level. Solid arrows: a solution is read from below; dashed arrows: parameters
        are read from above.
        """
        from torchopt.multilevel._plan_picture import place, plan_picture
        from torchopt.visual.svg import draw

        picture = plan_picture(self, _detail, self._tooltip)
        return draw(picture, place(picture))

    def save(self, path: str | Path) -> None:
        """Write the picture to an SVG file, or the table to a text file.

        Args:
            path: A path that ends with ``.svg`` or ``.txt``.

        Raises:
            ValueError: If it ends otherwise.
        """
        path = Path(path)
        if path.suffix not in {".svg", ".txt"}:
            raise ValueError(
                f"A plan is saved as '.svg' or '.txt', got {path.name!r}: choose one of them."
            )
        path.write_text(self.svg() if path.suffix == ".svg" else f"{self}\n", encoding="utf-8")

    def _repr_html_(self) -> str:
        return self.svg()

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


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    numbers = {0, 2}
    lines = [
        "  ".join(
            text.rjust(width) if column in numbers else text.ljust(width)
            for column, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    return [lines[0], "-" * max(map(len, lines)), *lines[1:]]


def _detail(entry: Entry) -> str:
    if not entry.uppers:
        return _every(entry.period)
    mode = entry.mode.partition("(")[0]
    steps = _count(entry.steps, "step")
    return f"{steps}, {mode}" if mode else steps


def _every(period: Fraction) -> str:
    if period == 1:
        return "every tick"
    number = str(period.numerator) if period.denominator == 1 else f"{float(period):.3g}"
    return f"every {number} ticks"


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"
