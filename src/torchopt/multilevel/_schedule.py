"""When each problem steps: an endless sequence of ticks that keeps every ratio of steps.

A problem steps while a problem above it still needs its steps. A problem with lower ones steps after
enough steps of each of them. The sequence never blocks, and its whole state is a few counters.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from fractions import Fraction

from torchopt.multilevel._graph import Dependencies

_TICKS = 100_000  # so many are tried for the pattern to come back


class Schedule:
    """An endless iterator of ticks; a tick is the names that step, the lowermost first.

    A problem without lower ones (a leaf) steps once a tick. A problem with lower ones takes its turn
    when each of them, ``L``, has made ``steps[L]`` steps since its own last turn: in the same tick,
    right after them, and its name stands there ``repeat`` times. A problem waits while each problem
    right above it has had its steps.

    Between two turns of a problem, each lower ``L`` thus makes exactly ``steps[L]`` steps; it makes
    more only if it is shared with another upper problem that takes turns more often, or if its
    ``repeat`` does not divide its ``steps``.

    Args:
        dependencies: The graph of the problems.
        steps: For each problem, its steps per turn of a problem right above it; 1 by default.
        repeat: For each problem with lower ones, its steps per turn of its own; 1 by default.

    Example:
        >>> from torchopt.multilevel._graph import Dependencies
        >>> graph = Dependencies.of(
        ...     ["outer", "inner"], {"u2l": {"outer": ["inner"]}, "l2u": {"inner": ["outer"]}})
        >>> ticks = Schedule(graph, {"inner": 2})
        >>> next(ticks), next(ticks), next(ticks)
        (('inner',), ('inner', 'outer'), ('inner',))
    """

    def __init__(
        self,
        dependencies: Dependencies,
        steps: Mapping[str, int] | None = None,
        repeat: Mapping[str, int] | None = None,
    ) -> None:
        names = dependencies.names
        self.dependencies = dependencies
        self.steps = {name: (steps or {}).get(name, 1) for name in names}
        self.repeat = {name: (repeat or {}).get(name, 1) for name in names}
        self._made = self._none_made()

    def __iter__(self) -> Schedule:
        return self

    def __next__(self) -> tuple[str, ...]:
        """Return the names that step in this tick, in order."""
        return self.tick()

    def tick(self, leaves: Collection[str] | None = None) -> tuple[str, ...]:
        """Return the names that step in this tick, in order.

        Args:
            leaves: The problems without lower ones that step, whatever the problems above still need;
                None for all whose turn it is.
        """
        tick: list[str] = []
        for name in self.dependencies.order:
            made, uppers = self._made[name], self.dependencies.uppers(name)
            # A leaf has made no counts and is ready at any time.
            ready = all(count >= self.steps[lower] for lower, count in made.items())
            if leaves is None:
                ready &= not uppers or any(self._lacks(upper, name) for upper in uppers)
            elif not made:
                ready = name in leaves
            if ready:
                times = self.repeat[name] if made else 1
                tick += [name] * times
                self._made[name] = dict.fromkeys(made, 0)
                for upper in uppers:
                    self._made[upper][name] += times
        return tuple(tick)

    def periods(self) -> dict[str, Fraction]:
        """Return for each problem how many ticks there are from turn to turn, on the average.

        The average is that of the pattern which repeats after the first ticks.
        """
        trial = Schedule(self.dependencies, self.steps, self.repeat)
        turns, ticks = dict.fromkeys(self.dependencies.names, 0), 0
        seen = {trial._state(): (0, dict(turns))}
        while ticks < _TICKS or not all(turns.values()):
            for name in set(next(trial)):
                turns[name] += 1
            ticks += 1
            state = trial._state()
            if state in seen:
                before, had = seen[state]
                return {n: Fraction(ticks - before, turns[n] - had[n]) for n in turns}
            if ticks <= _TICKS:
                seen[state] = ticks, dict(turns)
        return {name: Fraction(ticks, count) for name, count in turns.items()}

    def state_dict(self) -> dict[str, dict[str, int]]:
        """Return the counters: for each problem, the steps of its lower ones since its last turn."""
        return {name: dict(made) for name, made in self._made.items() if made}

    def load_state_dict(self, state: Mapping[str, Mapping[str, int]]) -> None:
        """Restore the counters of another schedule of the same problems.

        Args:
            state: What its :meth:`state_dict` returned.
        """
        self._made = {
            **self._none_made(),
            **{name: {low: int(n) for low, n in made.items()} for name, made in state.items()},
        }

    def has_stepped(self, lower: str, upper: str) -> bool:
        """Whether a problem has made the steps that one right above it waits for."""
        return not self._lacks(upper, lower)

    def _lacks(self, upper: str, lower: str) -> bool:
        return self._made[upper][lower] < self.steps[lower]

    def _none_made(self) -> dict[str, dict[str, int]]:
        graph = self.dependencies
        return {name: dict.fromkeys(graph.lowers(name), 0) for name in graph.names}

    def _state(self) -> tuple[int, ...]:
        """Return all that the next ticks depend on."""
        return tuple(
            min(count, self.steps[lower])
            for made in self._made.values()
            for lower, count in made.items()
        )
