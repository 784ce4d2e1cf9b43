"""The schedule: every ratio of steps, no standstill, resumed at any tick."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from itertools import islice

import pytest
from _shapes import SHAPES, graph_of, programs
from hypothesis import given
from hypothesis import strategies as st

from torchopt.multilevel._graph import Dependencies
from torchopt.multilevel._schedule import Schedule

Program = tuple[list[str], list[tuple[str, str, str]]]
_NUMBERS = st.lists(st.integers(1, 5), min_size=8, max_size=8)


def _graph(shape: str) -> Dependencies:
    return Dependencies.of(*SHAPES[shape])


def _numbers(graph: Dependencies, drawn: list[int]) -> dict[str, int]:
    return dict(zip(graph.names, drawn, strict=False))


@given(programs(), _NUMBERS, _NUMBERS)
def test_at_a_turn_each_lower_has_made_its_steps(
    program: Program, steps: list[int], repeat: list[int]
) -> None:
    graph = graph_of(*program)
    wanted, times = _numbers(graph, steps), _numbers(graph, repeat)
    since: dict[str, Counter[str]] = {name: Counter() for name in graph.names}
    for tick in islice(Schedule(graph, wanted, times), 60):
        counts = Counter(tick)
        for name in graph.order:
            if not counts[name]:
                continue
            lowers = graph.lowers(name)
            assert counts[name] == (times[name] if lowers else 1)
            for lower in lowers:
                made = since[name][lower]
                assert made >= wanted[lower]
                if graph.uppers(lower) == (name,):  # not shared: exact up to whole turns of its own
                    own = times[lower] if graph.lowers(lower) else 1
                    assert made == -(-wanted[lower] // own) * own
            since[name].clear()
            for upper in graph.uppers(name):
                since[upper][name] += counts[name]


@given(programs(), _NUMBERS, _NUMBERS)
def test_every_problem_takes_turns_for_ever(
    program: Program, steps: list[int], repeat: list[int]
) -> None:
    graph = graph_of(*program)
    ticks = Schedule(graph, _numbers(graph, steps), _numbers(graph, repeat))
    # A turn needs at most all the steps that are below, one after another.
    most = 5 ** (1 + max(map(graph.depth, graph.names))) * len(graph.names)
    for _ in range(2):
        waiting = set(graph.names)
        for tick in islice(ticks, most):
            assert tick
            waiting -= set(tick)
            if not waiting:
                break
        assert not waiting


@given(programs(), _NUMBERS, _NUMBERS, st.integers(0, 30))
def test_a_resumed_schedule_is_the_uninterrupted_one(
    program: Program, steps: list[int], repeat: list[int], at: int
) -> None:
    graph = graph_of(*program)
    numbers = _numbers(graph, steps), _numbers(graph, repeat)
    whole = list(islice(Schedule(graph, *numbers), at + 30))
    first = Schedule(graph, *numbers)
    assert [next(first) for _ in range(at)] == whole[:at]
    saved = json.loads(json.dumps(first.state_dict()))
    next(first)  # what was saved is not changed by going on
    second = Schedule(graph, *numbers)
    second.load_state_dict(saved)
    assert list(islice(second, 30)) == whole[at:]


@given(programs(most=5), _NUMBERS)
def test_a_period_is_the_average_of_ticks_per_turn(program: Program, steps: list[int]) -> None:
    graph = graph_of(*program)
    ticks = Schedule(graph, _numbers(graph, steps))
    periods = ticks.periods()
    longest = int(max(periods.values()))
    count = 20 * longest + 100
    turns = Counter(name for tick in islice(ticks, count) for name in set(tick))
    for name in graph.names:
        assert turns[name] * periods[name] == pytest.approx(count, abs=2 * longest + 10)
        assert abs(turns[name] - count / periods[name]) <= 5**4


@pytest.mark.parametrize(
    ("shape", "steps", "repeat", "ticks"),
    [
        ("bilevel", {"b": 3}, {}, ["b", "b", "ba", "b"]),
        ("bilevel", {}, {"a": 3}, ["baaa", "baaa"]),
        ("chain", {"b": 2, "c": 2}, {}, ["c", "cb", "c", "cba", "c", "cb"]),
        ("tree", {"b": 3}, {}, ["bc", "b", "ba", "bc"]),  # the faster one waits
        ("diamond", {"d": 2}, {}, ["d", "dbca", "d", "dbca"]),
        ("several uppers", {"c": 2}, {"b": 2}, ["c", "cabb", "c"]),
    ],
)
def test_ticks_of_named_shapes(
    shape: str, steps: dict[str, int], repeat: dict[str, int], ticks: list[str]
) -> None:
    found = islice(Schedule(_graph(shape), steps, repeat), len(ticks))
    assert ["".join(tick) for tick in found] == ticks


def test_periods_of_named_shapes() -> None:
    assert Schedule(_graph("chain"), {"b": 3, "c": 2}).periods() == {"a": 6, "b": 2, "c": 1}
    tree = Schedule(_graph("tree"), {"b": 3, "c": 2}).periods()
    assert tree == {"a": 3, "b": 1, "c": Fraction(3, 2)}
