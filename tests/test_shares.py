"""The share of each test's cases that continuous integration runs."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from _cases import share_of_cases

NAMES = [*(f"many[{a}-{b}]" for a in range(8) for b in range(5)), "one"]


class Item:
    def __init__(self, name: str) -> None:
        self.nodeid = name


ITEMS: Any = [*map(Item, NAMES)]


@pytest.mark.parametrize("turn", [0, 1, 1_764_000_000, 1_764_000_123])
@pytest.mark.parametrize("share", [0.25, 0.34, 1.0])
def test_a_share_has_one_case_of_each_test_and_each_value_of_an_axis(
    share: float, turn: int
) -> None:
    chosen = [item.nodeid for item in share_of_cases(ITEMS, share, turn)]
    assert "one" in chosen
    assert len(chosen) == pytest.approx(1 + 40 * share, abs=2)
    cases = [name[5:-1].split("-") for name in chosen if name != "one"]
    assert len({a for a, _ in cases}) == 8
    assert len({b for _, b in cases}) == 5


@pytest.mark.parametrize("share", [0.25, 0.34, 0.5])
def test_each_case_has_its_turn(share: float) -> None:
    turns = (1_764_000_000 + 97 * k for k in range(40))
    counts = Counter(item.nodeid for turn in turns for item in share_of_cases(ITEMS, share, turn))
    assert counts["one"] == 40
    assert all(20 * share <= counts[name] <= 40 for name in NAMES)
