"""Lists of cases."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pytest
import torch


def first_of_each(cases: Mapping[str, Any], kind: Callable[[Any], Any]) -> list[Any]:
    """Return the cases with their names, slow but for the first of each kind."""
    first = {kind(case): name for name, case in reversed(cases.items())}
    return [
        pytest.param(*case, id=name, marks=() if name in first.values() else pytest.mark.slow)
        for name, case in cases.items()
    ]


#: The release of PyTorch, for what PyTorch itself does wrong before another.
RELEASE = tuple(map(int, torch.__version__.split(".")[:2]))


def covering(*axes: Sequence[Any]) -> list[Any]:
    """Return cases with each pair of values of two axes, slow but for a few with each value once."""
    quick = {
        tuple(k % len(axis) for axis in axes)  # the diagonal, around the shorter axes
        for k in range(max(map(len, axes)))
    }
    pairs = {at: {*itertools.combinations(enumerate(at), 2)} for at in _product(axes)}
    missing = set[Any]().union(*pairs.values()).difference(*(pairs[at] for at in quick))
    chosen = set(quick)
    for new in range(math.comb(len(axes), 2), 0, -1):  # first those that have most that is missing
        for at, its in pairs.items():
            if len(its & missing) >= new:
                chosen.add(at)
                missing -= its
    return [
        pytest.param(
            *(axis[k] for axis, k in zip(axes, at, strict=True)),
            marks=() if at in quick else pytest.mark.slow,
        )
        for at in pairs
        if at in chosen
    ]


def _product(axes: Sequence[Sequence[Any]]) -> Iterator[tuple[int, ...]]:
    return itertools.product(*(range(len(axis)) for axis in axes))


def diagonal(*axes: Sequence[Any]) -> list[Any]:
    """Return a few cases of the product of the axes that have each value once."""
    return [case for case in covering(*axes) if not case.marks]


def in_turn(names: Sequence[Any], kinds: Sequence[Sequence[Any]]) -> list[Any]:
    """Return each name with one of each kind, whose members take turns: slow, but for one kind."""
    return [
        pytest.param(
            name,
            kind[k // len(kinds) % len(kind)],
            marks=() if i == k % len(kinds) else pytest.mark.slow,
        )
        for k, name in enumerate(names)
        for i, kind in enumerate(kinds)
    ]


def by_error(wrong: Mapping[type[Exception], Sequence[tuple[Any, ...]]]) -> list[Any]:
    """Return wrong calls, each with the class of its error before the words of its sentence."""
    return [
        pytest.param(*call, error, words, id=words)
        for error, calls in wrong.items()
        for *call, words in calls
    ]


def share_of_cases(items: Sequence[pytest.Item], share: float, turn: int) -> list[pytest.Item]:
    """Return a share of each test's cases, one at least, spread over all of their axes.

    Args:
        items: The cases.
        share: How many of a test's are chosen, as a part of all.
        turn: Another number chooses others.
    """
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    chosen = set[pytest.Item]()
    for some in cases.values():
        # Multiples of the golden ratio, modulo one, keep step with no axis of a product of cases.
        places = [(k + turn) * (5**0.5 - 1) / 2 % 1 for k in range(len(some))]
        most = max(share, min(places))
        chosen |= {item for item, place in zip(some, places, strict=True) if place <= most}
    return [item for item in items if item in chosen]
