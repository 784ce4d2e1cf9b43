"""Derivatives by differences, with an estimate of their own error."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

_LEVELS = 7
_RATIO = 4.0
_ROUNDINGS = 8.0


class Difference(NamedTuple):
    """A derivative by differences.

    Attributes:
        value: The derivative.
        error: An estimate of its error; infinite where differences do not agree with each other.
        kink: Whether the slopes on the two sides differ.
    """

    value: float
    error: float
    kink: bool


def difference(
    f: Callable[[float], float],
    center: float,
    *,
    eps: float,
    rtol: float,
    scale: float = 0.0,
    start: float = 1.0,
) -> Difference:
    """Differentiate a function at zero by central differences of falling steps, extrapolated.

    Args:
        f: The function.
        center: Its value at zero.
        eps: The spacing of its values at 1, in their dtype.
        rtol: Where the relative error is far below this, no smaller steps are taken.
        scale: The error is relative to the larger of this and the derivative.
        start: A factor of the first step.

    Returns:
        The derivative, and its error.

    References:
        Ridders, 1982, Accurate computation of F'(x) and F'(x)F''(x).
    """
    step: float = start * eps ** (1 / 6)
    best = Difference(math.nan, math.inf, False)
    row: list[float] = []
    jumps: list[float] = []
    for _ in range(_LEVELS):
        above, below = f(step), f(-step)
        previous, row = row, [(above - below) / (2 * step)]
        rounding = _ROUNDINGS * eps * max(abs(above), abs(below), abs(center)) / step
        jumps.append(abs(above + below - 2 * center) / step - rounding)
        for column, before in enumerate(previous):
            weight = _RATIO ** (2 * (column + 1))
            row.append((weight * row[column] - before) / (weight - 1))
            error = max(abs(row[-1] - row[-2]), abs(row[-1] - before)) + rounding
            if error < best.error:
                best = Difference(row[-1], error, False)
        if best.error <= 0.02 * rtol * max(abs(best.value), scale):
            break
        step /= _RATIO
    # At a kink, the two one-sided slopes stay apart as the step falls.
    apart = max(rtol * max(abs(best.value), scale), 0.5 * jumps[0])
    return best._replace(kink=len(jumps) > 1 and jumps[-1] > apart)
