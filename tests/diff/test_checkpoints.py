"""Schedules of checkpoints: as good as any, and in the order that they claim."""

from __future__ import annotations

import functools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torchopt.diff._checkpoints import advances, reverse, slots, spine


@functools.cache
def least(steps: int, free: int) -> int:
    """Return the fewest steps to be computed again, by dynamic programming."""
    if steps <= 1:
        return 0
    if free == 0:
        return steps * (steps - 1) // 2
    return min(m + least(steps - m, free - 1) + least(m, free) for m in range(1, steps))


def test_no_schedule_computes_fewer_steps() -> None:
    for steps in range(1, 60):
        for free in range(min(steps, 12)):
            assert advances(steps, free) == least(steps, free), (steps, free)


@given(
    first=st.integers(0, 9), steps=st.integers(0, 90), free=st.integers(0, 12), kept=st.booleans()
)
def test_each_step_is_differentiated_once_backwards_from_its_own_carry_in_bounded_memory(
    first: int, steps: int, free: int, kept: bool
) -> None:
    free = min(free, max(steps - 1, 0))
    last = first + steps
    done: list[int] = []
    alive = {index: index for index in spine(first, last, free)} if kept else {}
    most = len(alive)

    def advance(carry: int, index: int, until: int) -> int:
        assert carry == index < until
        return until

    def back(carry: int, index: int) -> None:
        assert carry == index
        done.append(index)

    reverse(first, last, first, alive, free, advance, back)
    assert done == list(range(last - 1, first - 1, -1))
    assert not alive
    assert most <= free


@pytest.mark.parametrize("steps", [0, 1, 2, 3, 10, 100, 1000])
def test_policies_keep_as_much_as_they_say(steps: int) -> None:
    assert slots("step", steps) == max(steps - 1, 0)
    assert slots("tree", steps) <= max(steps, 1).bit_length()
    assert slots("sqrt", steps) ** 2 <= 2 * steps
    counts = [0] * steps

    def advance(carry: int, index: int, until: int) -> int:
        for k in range(index, until):
            counts[k] += 1
        return until

    reverse(0, steps, 0, {}, slots("sqrt", steps), advance, lambda carry, index: None)
    assert max(counts, default=0) <= 2
