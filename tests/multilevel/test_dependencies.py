"""The graph of a multilevel program, against the transitive closure of its edges."""

from __future__ import annotations

from itertools import combinations, pairwise, permutations
from typing import Any

import pytest
from _shapes import closure, graph_of, linked, programs
from hypothesis import given

from torchopt.multilevel._graph import Dependencies

Program = tuple[list[str], list[tuple[str, str, str]]]


def _above(program: Program) -> set[tuple[str, str]]:
    names, edges = program
    return closure(names, {(upper, lower) for upper, lower, _ in edges})


def _reads_of(program: Program) -> set[tuple[str, str]]:
    """Who reads whom, in either direction."""
    _, edges = program
    down = {(upper, lower) for upper, lower, kind in edges if kind in "lb"}
    return down | {(lower, upper) for upper, lower, kind in edges if kind in "ub"}


# ---- random acyclic graphs


@given(programs())
def test_the_order_is_topological(program: Program) -> None:
    order = graph_of(*program).order
    assert sorted(order) == sorted(program[0])
    for upper, lower, _ in program[1]:
        assert order.index(lower) < order.index(upper)


@given(programs())
def test_above_and_below_are_the_transitive_closure_the_uppermost_first(program: Program) -> None:
    graph, pairs = graph_of(*program), _above(program)
    place = {name: k for k, name in enumerate(reversed(graph.order))}
    for name in graph.names:
        assert set(graph.above(name)) == {a for a, b in pairs if b == name}
        assert set(graph.below(name)) == {b for a, b in pairs if a == name}
        for found in (graph.above(name), graph.below(name)):
            assert list(found) == sorted(found, key=place.__getitem__)


@given(programs(most=5))
def test_paths_are_all_simple_ways_back_through_problems_below(program: Program) -> None:
    graph, pairs, reads = graph_of(*program), _above(program), _reads_of(program)
    for name in graph.names:
        below = [b for a, b in pairs if a == name]
        wanted = set()
        for length in range(1, len(below) + 1):
            for through in permutations(below, length):
                way = (name, *through, name)
                if all(hop in reads for hop in pairwise(way)):
                    wanted.add(way)
        found = graph.paths(name)
        assert len(found) == len(wanted)
        assert set(found) == wanted
        assert [len(path) for path in found] == sorted(map(len, found))
        assert graph.paths(name, limit=2) == found[:2]


@given(programs())
def test_a_graph_is_refused_if_a_loss_does_not_depend_on_a_problem_below(program: Program) -> None:
    names, pairs, reads = program[0], _above(program), _reads_of(program)
    missing = []
    for name in names:
        inside = {name} | {b for a, b in pairs if a == name}
        reached = closure(names, {(a, b) for a, b in reads if a in inside and b in inside})
        missing += [other for other in inside - {name} if (name, other) not in reached]
    graph = graph_of(*program)
    given_edges = {"u2l": graph.u2l, "l2u": graph.l2u}
    if missing:
        with pytest.raises(ValueError, match="reads the parameters of"):
            Dependencies.of(names, given_edges)
    else:
        assert Dependencies.of(names, given_edges) == graph


# ---- the shapes that have names


def test_paths_of_a_dense_graph_are_cut_without_finding_all() -> None:
    names = [f"p{k}" for k in range(30)]
    graph = Dependencies.of(names, linked(*combinations(names, 2)))
    assert len(graph.paths("p0", limit=50)) == 50


def test_one_problem_needs_no_dependencies() -> None:
    for nothing in (None, {}, {"u2l": {}, "l2u": None}):
        graph = Dependencies.of(["only"], nothing)
        assert (graph.order, graph.below("only"), graph.groups("only")) == (("only",), (), ())


# ---- mistakes


@pytest.mark.parametrize(
    ("names", "dependencies", "words"),
    [
        (["a", "a"], {}, "Two problems have the name 'a'"),
        (["a", "b"], {}, "Problem 'a' has no dependency"),
        (["a", "b", "c"], linked(("a", "b")), "Problem 'c' has no dependency"),
        (["a", "b"], [("a", "b")], "are a dictionary, got list"),
        (["a", "b"], {"u2l": ["a", "b"]}, "'u2l' are a dictionary, got list"),
        (["a", "b"], {"u21": {"a": ["b"]}}, "keys 'u2l' and 'l2u', got 'u21'"),
        (["a", "b"], {"u2l": {"a": [3]}}, "between problems or their names, got 3"),
        (["a", "b"], {"u2l": {"a": 3}}, "between problems or their names, got 3"),
        (["a", "b"], linked(("a", "c")), "name the problem 'c', .* it has 'a', 'b'"),
        (["a", "b"], {"l2u": {"b": ["a", "a"]}}, "'l2u' name 'a' twice for 'b'"),
        (["a", "b"], linked(("a", "a")), "cycle, 'a' -> 'a'"),
        (["a", "b"], {"u2l": {"a": ["b"]}, "l2u": {"a": ["b"]}}, "cycle, 'a' -> 'b' -> 'a'"),
        (
            ["x", "a", "b", "c"],
            linked(("x", "a"), ("a", "b"), ("b", "c"), ("c", "a")),
            "cycle, 'a' -> 'b' -> 'c' -> 'a'",
        ),
        (["a", "b"], {"u2l": {"a": ["b"]}}, "no outer loss depends on it"),
        (
            ["a", "b", "c"],
            linked(("a", "c"), reads=[("b", "c")]),
            "'c' reads the parameters of 'b', but the outer loss does not depend on it",
        ),
    ],
)
def test_a_mistake_is_one_sentence(names: list[str], dependencies: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words) as caught:
        Dependencies.of(names, dependencies)
    text = str(caught.value)
    assert text.endswith(".")
    assert ". " not in text
    assert "\n" not in text
