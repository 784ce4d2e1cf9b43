"""Shapes of multilevel programs: those with names, and random ones."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import strategies as st

from torchopt.multilevel._graph import Dependencies

__all__ = ["SHAPES", "Edges", "closure", "graph_of", "linked", "programs"]

Edges = dict[str, dict[str, list[str]]]


def linked(*pairs: tuple[str, str], reads: Iterable[tuple[str, str]] = ()) -> Edges:
    """Return dependencies with both edges for (upper, lower) pairs, and u2l alone for others."""
    edges: Edges = {"u2l": {}, "l2u": {}}
    for upper, lower in (*pairs, *reads):
        edges["u2l"].setdefault(upper, []).append(lower)
    for upper, lower in pairs:
        edges["l2u"].setdefault(lower, []).append(upper)
    return edges


SHAPES = {
    "bilevel": ("ab", linked(("a", "b"))),
    "chain": ("abc", linked(("a", "b"), ("b", "c"), reads=[("a", "c")])),
    "tree": ("abc", linked(("a", "b"), ("a", "c"))),
    "diamond": ("abcd", linked(("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"))),
    "several uppers": ("abc", linked(("a", "c"), ("b", "c"))),
    "learning to ignore": ("abc", {"u2l": {"a": ["c"]}, "l2u": {"c": ["b"], "b": ["a"]}}),
}


def closure(names: Iterable[str], pairs: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return all pairs that are connected by a way along the given ones (Warshall)."""
    found = set(pairs)
    for middle in (names := list(names)):
        found |= {(a, b) for a in names for b in names if {(a, middle), (middle, b)} <= found}
    return found


@st.composite
def programs(
    draw: st.DrawFn, kinds: str = "ulb", most: int = 7
) -> tuple[list[str], list[tuple[str, str, str]]]:
    """Draw names and acyclic edges ``(upper, lower, kind)``: u2l, l2u or both."""
    count = draw(st.integers(2, most))
    ranked = draw(st.permutations("abcdefgh"[:count]))  # the uppermost first
    edges = []
    for low in range(1, count):
        # Each but the first has something above it: no problem is alone.
        above = draw(st.sets(st.integers(0, low - 1), min_size=1, max_size=3))
        edges += [(ranked[up], ranked[low], draw(st.sampled_from(kinds))) for up in sorted(above)]
    return sorted(ranked), edges


def graph_of(names: list[str], edges: list[tuple[str, str, str]]) -> Dependencies:
    """Return the graph of drawn edges, unchecked."""
    u2l: dict[str, tuple[str, ...]] = {}
    l2u: dict[str, tuple[str, ...]] = {}
    for upper, lower, kind in edges:
        if kind in "ub":
            u2l[upper] = (*u2l.get(upper, ()), lower)
        if kind in "lb":
            l2u[lower] = (*l2u.get(lower, ()), upper)
    return Dependencies(tuple(names), u2l, l2u)
