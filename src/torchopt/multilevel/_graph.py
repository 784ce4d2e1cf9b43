"""The dependencies between problems: the acyclic graph of a multilevel program, by their names.

``u2l`` says whose *parameters* a loss reads from above, ``l2u`` whose *solution* it reads from below.
Both edges say "is above". What the engine, the schedule and the plan ask about the shape of a program
is answered here, and every mistake in that shape is one sentence before the first step.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from itertools import islice
from typing import Any

_SHAPE = (
    "'u2l' is {upper: [lowers that read its parameters]}, "
    "'l2u' is {lower: [uppers that read its solution]}"
)


def _name(problem: Any) -> str:
    name = problem if isinstance(problem, str) else getattr(problem, "name", None)
    if not isinstance(name, str):
        raise ValueError(
            f"A dependency is between problems or their names, got {problem!r}: {_SHAPE}."
        )
    return name


@dataclass(frozen=True)
class Dependencies:
    """The edges of a multilevel program, checked.

    A problem ``U`` is *above* ``L`` if there is a way down from ``U`` to ``L`` along the edges of
    both kinds. The relation has no cycles.

    Attributes:
        names: The problems, in the user's order.
        u2l: For an upper problem, the lower ones whose loss reads its parameters.
        l2u: For a lower problem, the upper ones whose loss reads its solution.

    Example:
        >>> from torchopt.multilevel._graph import Dependencies
        >>> graph = Dependencies.of(
        ...     ['outer', 'inner'], {'u2l': {'outer': ['inner']}, 'l2u': {'inner': ['outer']}}
        ... )
        >>> graph.order
        ('inner', 'outer')
        >>> graph.paths('outer')
        (('outer', 'inner', 'outer'),)
    """

    names: tuple[str, ...]
    u2l: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    l2u: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(
        cls, names: Iterable[str], dependencies: Mapping[str, Mapping[Any, Any] | None] | None
    ) -> Dependencies:
        """Read and check a user's dependencies.

        An edge down says that a hypergradient comes back up: the loss of a problem has to depend on
        the solution of each problem below it, read directly or through other problems.

        Args:
            names: The problems' names, each once.
            dependencies: ``{'u2l': {upper: [lower]}, 'l2u': {lower: [upper]}}``, of names or of
                problems (objects with a ``name``). Either may be missing.

        Returns:
            The graph.

        Raises:
            ValueError: If the names are not unique, an edge names an unknown problem or the same
                one twice, the edges have a cycle, a problem has no edge while there are several, or
                a problem reads the parameters of another whose loss does not depend on it.
        """
        names = tuple(names)
        _check_names(names)
        if dependencies is not None and not isinstance(dependencies, Mapping):
            raise ValueError(
                f"The dependencies are a dictionary, got {type(dependencies).__name__}: {_SHAPE}."
            )
        edges = dict(dependencies or {})
        unknown = [key for key in edges if key not in {"u2l", "l2u"}]
        if unknown:
            raise ValueError(
                f"The dependencies have the keys 'u2l' and 'l2u', got {unknown[0]!r}: {_SHAPE}."
            )
        graph = cls(names, *(_read_edges(kind, edges.get(kind), names) for kind in ("u2l", "l2u")))
        graph._check()
        return graph

    # -- the neighbours ------------------------------------------------------------------------

    def reads(self, name: str) -> tuple[str, ...]:
        """The upper problems whose parameters the loss of ``name`` reads."""
        return tuple(upper for upper in self.names if name in self.u2l.get(upper, ()))

    def solutions(self, name: str) -> tuple[str, ...]:
        """The lower problems whose solution the loss of ``name`` reads."""
        return tuple(lower for lower in self.names if name in self.l2u.get(lower, ()))

    def uppers(self, name: str) -> tuple[str, ...]:
        """The problems right above ``name``, by either edge, in the user's order."""
        return self._neighbours[name][0]

    def lowers(self, name: str) -> tuple[str, ...]:
        """The problems right below ``name``, by either edge, in the user's order."""
        return self._neighbours[name][1]

    # -- the whole graph -----------------------------------------------------------------------

    @cached_property
    def order(self) -> tuple[str, ...]:
        """All problems, lowermost first: every problem after all that are below it."""
        waiting, order = list(self.names), list[str]()
        while waiting:
            name = next(n for n in waiting if not set(self.lowers(n)) & set(waiting))
            waiting.remove(name)
            order.append(name)
        return tuple(order)

    def above(self, name: str) -> tuple[str, ...]:
        """All problems above ``name``, the uppermost first."""
        return tuple(other for other in reversed(self.order) if name in self._below[other])

    def below(self, name: str) -> tuple[str, ...]:
        """All problems below ``name``, the uppermost first."""
        return tuple(other for other in reversed(self.order) if other in self._below[name])

    def depth(self, name: str) -> int:
        """The longest way up from ``name``: 0 for a problem with nothing above it."""
        return max((self.depth(upper) + 1 for upper in self.uppers(name)), default=0)

    def context(self, name: str) -> tuple[str, ...]:
        """The problems that the *total* objective of ``name`` depends on, the uppermost first.

        They are outside of ``name`` and of all below it, and ``name`` or one of those below reads
        their parameters. They need not be above ``name``: another upper problem of a shared lower
        one is part of the context, too.
        """
        inside = {name, *self._below[name]}
        read = {upper for member in inside for upper in self.reads(member)} - inside
        return tuple(other for other in reversed(self.order) if other in read)

    def groups(self, name: str) -> tuple[tuple[str, ...], ...]:
        """The problems below ``name`` in groups that respond together, the uppermost first.

        Two problems are coupled if a problem is below both of them and neither is above the other:
        each then sees the other through the shared one, and their responses solve one joint system.
        A group is a connected component of that relation.
        """
        # Groups never alternate: a problem above one member of another group is above all of it (or
        # it would be coupled with one of them), so that the first member decides a group's place.
        waiting, groups = list(self.below(name)), list[tuple[str, ...]]()
        while waiting:
            group = {waiting[0]}
            while more := {a for a in waiting if any(self._coupled(a, b) for b in group)} - group:
                group |= more
            groups.append(tuple(member for member in waiting if member in group))
            waiting = [other for other in waiting if other not in group]
        return tuple(groups)

    def paths(self, name: str, *, limit: int | None = None) -> tuple[tuple[str, ...], ...]:
        """The paths of a hypergradient of ``name``: from its loss, through responses, back to it.

        A hop goes down from a loss to a solution that it reads, or up from a response to the
        parameters that it responds to, through problems below ``name``, each at most once. Without
        a path the gradient of ``name`` is the direct one.

        Args:
            name: The upper problem.
            limit: At most so many paths (a dense graph has exponentially many).

        Returns:
            The paths, the shortest first, each beginning and ending with ``name``.
        """
        return tuple(islice(self._ways(name), limit))

    # -- inside --------------------------------------------------------------------------------

    def _ways(self, name: str) -> Iterator[tuple[str, ...]]:
        """Simple cycles through ``name`` along "depends on", breadth first."""
        waiting: deque[tuple[str, ...]] = deque([(name,)])
        while waiting:
            way = waiting.popleft()
            for other in self._depends_on(way[-1]):
                if other == name:
                    yield (*way, name)
                elif other in self._below[name] and other not in way:
                    waiting.append((*way, other))

    def _depends_on(self, name: str) -> tuple[str, ...]:
        """The problems that the loss of ``name`` reads: their solutions or their parameters."""
        return tuple(dict.fromkeys((*self.solutions(name), *self.reads(name))))

    def _responses(self, name: str) -> set[str]:
        """The problems below ``name`` whose solution its loss depends on, through any others."""
        responses, waiting = set[str](), [name]
        while waiting:
            new = set(self._depends_on(waiting.pop())) & self._below[name] - responses
            responses |= new
            waiting += new
        return responses

    def _coupled(self, one: str, other: str) -> bool:
        below, also = self._below[one], self._below[other]
        return one != other and other not in below and one not in also and bool(below & also)

    @cached_property
    def _neighbours(self) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
        neighbours = {}
        for name in self.names:
            up = {*self.reads(name), *self.l2u.get(name, ())}
            down = {*self.solutions(name), *self.u2l.get(name, ())}
            neighbours[name] = (
                tuple(other for other in self.names if other in up),
                tuple(other for other in self.names if other in down),
            )
        return neighbours

    @cached_property
    def _below(self) -> dict[str, frozenset[str]]:
        below: dict[str, frozenset[str]] = {}
        for name in self.order:
            lowers = self.lowers(name)
            below[name] = frozenset(lowers).union(*(below[lower] for lower in lowers))
        return below

    # -- the checks ----------------------------------------------------------------------------

    def _check(self) -> None:
        try:
            TopologicalSorter({name: self.lowers(name) for name in self.names}).prepare()
        except CycleError as error:
            raise ValueError(
                f"The dependencies have a cycle, {' -> '.join(map(repr, reversed(error.args[1])))} "
                f"(each above the next), and a problem cannot be above itself: {_SHAPE}."
            ) from None
        for name in self.names:
            if len(self.names) > 1 and not self.uppers(name) and not self.lowers(name):
                raise ValueError(
                    f"Problem {name!r} has no dependency: connect it to another problem "
                    f"({_SHAPE}), or train it by an engine of its own."
                )
        # Of several that are wrong the uppermost may be so because of the others.
        for upper in self.order:
            for lower in self.u2l.get(upper, ()):
                if lower not in self._responses(upper):
                    raise ValueError(
                        f"Problem {lower!r} reads the parameters of {upper!r}, but "
                        f"{'the' if self.l2u.get(lower) else 'no'} outer loss "
                        f"{'does not depend' if self.l2u.get(lower) else 'depends'} on it: let the "
                        f"loss of {upper!r} read its solution ('l2u': {{{lower!r}: [{upper!r}]}}), "
                        f"or, if {upper!r} is trained without it, name it as the lower one "
                        f"('l2u': {{{upper!r}: [{lower!r}]}} in place of 'u2l')."
                    )


def _check_names(names: tuple[str, ...]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"Two problems have the name {name!r}: each needs a name of its own.")


def _read_edges(kind: str, edges: Any, names: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    if edges is None:
        return {}
    if not isinstance(edges, Mapping):
        raise ValueError(
            f"Dependencies {kind!r} are a dictionary, got {type(edges).__name__}: {_SHAPE}."
        )
    read = dict[str, tuple[str, ...]]()
    for key, value in edges.items():
        start = _name(key)
        one = isinstance(value, str) or hasattr(value, "name") or not isinstance(value, Iterable)
        ends = tuple(_name(end) for end in ([value] if one else value))
        for name in (start, *ends):
            if name not in names:
                raise ValueError(
                    f"Dependencies {kind!r} name the problem {name!r}, which the engine does not "
                    f"have; it has {str([*names])[1:-1]}."
                )
        twice = [end for end in ends if ends.count(end) > 1]
        if twice or start in read:
            raise ValueError(
                f"Dependencies {kind!r} name {(twice or [start])[0]!r} twice"
                f"{f' for {start!r}' if twice else ''}: once is enough."
            )
        if ends:
            read[start] = ends
    return read
