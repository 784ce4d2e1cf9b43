r"""Schedules of checkpoints to reverse a chain of steps.

With :math:`c` checkpoints besides the start, and each step computed at most :math:`r` times before it
is differentiated, a chain of :math:`\binom{c + r + 1}{r}` steps can be reversed; no schedule does
better. Hence memory and recomputation need only grow with the logarithm of the steps.

References:
    Griewank and Walther, *Algorithm 799: revolve*, 2000.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeVar

_Carry = TypeVar("_Carry")


def slots(memory: str | int, steps: int) -> int:
    """Return how many checkpoints besides the start a policy keeps.

    Args:
        memory: ``"step"``: one for each further step. ``"sqrt"``: so few that each step is computed
            once more at most. ``"tree"``, ``"forward"``: the logarithm of the steps. A number: so many.
        steps: The length of the chain.

    Example:
        >>> [slots(memory, 100) for memory in ("step", "sqrt", "tree", 3)]
        [99, 12, 7, 3]
    """
    if memory == "step":
        return max(steps - 1, 0)
    if memory == "sqrt":
        return next(free for free in range(steps + 1) if _reach(free, 2) >= steps)
    if memory in ("tree", "forward"):
        return max(steps - 1, 0).bit_length()
    assert isinstance(memory, int)
    return min(memory, max(steps - 1, 0))


def split(steps: int, free: int) -> int:
    """Return the number of steps after which the first of ``free`` checkpoints is best kept.

    Args:
        steps: The length of the chain, at least two.
        free: How many checkpoints there are, at least one.
    """
    if free >= steps - 1:  # one for each step
        return 1
    repeats = 1
    while _reach(free, repeats) < steps:
        repeats += 1
    # What is before must be within reach of one repetition less, what is after of one checkpoint less;
    # and so that neither does better than it must.
    return min(_reach(free, repeats - 1), steps - _reach(free - 1, repeats - 1))


def spine(first: int, last: int, free: int) -> list[int]:
    """Return the steps at which the first run keeps checkpoints, besides the start."""
    kept = []
    while free and last - first > 1:
        first += split(last - first, free)
        free -= 1
        kept.append(first)
    return kept


def advances(steps: int, free: int) -> int:
    """Return how many steps are computed but not differentiated, in the first run and later.

    Example:
        >>> advances(10, 9), advances(10, 3), advances(10, 0)
        (9, 14, 45)
    """
    count = 0

    def advance(_: int, first: int, last: int) -> int:
        nonlocal count
        count += last - first
        return last

    reverse(0, steps, 0, {}, free, advance, lambda _, index: None)
    return count


def reverse(
    first: int,
    last: int,
    start: _Carry,
    kept: dict[int, _Carry],
    free: int,
    advance: Callable[[_Carry, int, int], _Carry],
    back: Callable[[_Carry, int], None],
) -> None:
    """Go through the steps of a chain backwards.

    Args:
        first: Where the chain starts.
        last: Where it ends; ``back`` is called for ``last - 1`` down to ``first``.
        start: The carry at its start.
        kept: The carries at the :func:`spine`, or none of them; they are taken out as they are used.
        free: How many checkpoints besides ``start`` may be held at a time.
        advance: Returns the carry at a later step, given one and both steps.
        back: Differentiates a step, given the carry at it.
    """
    # Without recursion: a chain of a thousand steps with all checkpoints is as deep.
    waiting: list[tuple[int, int, _Carry, int]] = [(first, last, start, free)]
    while waiting:
        first, last, start, free = waiting.pop()
        if last - first < 1:
            continue
        if last - first == 1:
            back(start, first)
        elif free == 0:
            for index in range(last - 1, first - 1, -1):
                back(advance(start, first, index) if index > first else start, index)
        else:
            middle = first + split(last - first, free)
            carry = kept.pop(middle) if middle in kept else advance(start, first, middle)
            waiting.append((first, middle, start, free))
            waiting.append((middle, last, carry, free - 1))
            del carry


def _reach(free: int, repeats: int) -> int:
    """Return how many steps can be reversed while each is computed ``repeats`` times at most."""
    return math.comb(free + 1 + repeats, repeats)
