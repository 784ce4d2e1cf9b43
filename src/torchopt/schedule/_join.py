"""Schedules one after another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torchopt import checks
from torchopt.io.calls import Partial, records_call
from torchopt.pytree.typing import Numeric, Schedule
from torchopt.schedule._arguments import check_finite, elapsed, maximum, select

_SCHEDULE = checks.a_function("the step count; `constant_schedule` makes one of a number")


@records_call
def join_schedules(schedules: Sequence[Schedule], boundaries: Sequence[Numeric]) -> Schedule:
    r"""Follow one schedule after another; each counts from its own beginning.

    With the boundaries :math:`0 = b_0 \le b_1 \le \dots`,

    .. math::
        v(t) = v_k(t - b_k) \quad \text{for } b_k \le t < b_{k+1} .

    Args:
        schedules: The schedules :math:`v_0, v_1, \dots`, any functions of a step count. Each is
            evaluated only at counts from 0 to before the end of its part.
        boundaries: The counts at which the second schedule begins, the third, and so on, in increasing
            order. A tensor may require grad: its derivative is that of the parts that begin or end
            there; a jump between two parts has none.

    Returns:
        A function of the step count, as of :func:`polynomial_schedule`.

    Raises:
        ValueError: If there is not one boundary less than schedules, a boundary is not finite, or
            numbers among the boundaries fall.
        TypeError: If a schedule is not a function.

    Example:
        >>> from torchopt.schedule import constant_schedule, linear_schedule
        >>> parts = [linear_schedule(0.0, 1.0, 2), constant_schedule(1.0), linear_schedule(1.0, 0.0, 4)]
        >>> schedule = join_schedules(parts, [2, 3])
        >>> [schedule(count) for count in range(8)]
        [0.0, 0.5, 1.0, 1.0, 0.75, 0.5, 0.25, 0.0]

    References:
        ``optax.join_schedules`` (DeepMind, 2020).
    """
    schedules, boundaries = tuple(schedules), tuple(boundaries)
    if len(schedules) != len(boundaries) + 1:
        raise ValueError(
            f"there are {len(schedules)} `schedules` and {len(boundaries)} `boundaries`, but there "
            f"must be one boundary between each schedule and the next."
        )
    for index, schedule in enumerate(schedules):
        checks.check(f"schedules[{index}]", schedule, _SCHEDULE)
    check_finite(**{f"boundaries[{index}]": boundary for index, boundary in enumerate(boundaries)})
    numbers = [b for b in boundaries if isinstance(b, (int, float))]
    if numbers != sorted(numbers):
        raise ValueError(f"`boundaries` are {boundaries}, but they must be in increasing order.")
    return Partial(_joined, schedules=schedules, boundaries=boundaries)


def _joined(count: Numeric, *, schedules: tuple[Schedule, ...], boundaries: tuple[Any, ...]) -> Any:
    value: Any = None
    for schedule, begin, end in zip(schedules, (0, *boundaries), (*boundaries, None), strict=True):
        since = elapsed(count, begin)
        # Elsewhere a schedule may be infinite or NaN, which its derivatives would be, too.
        inside = since if end is None else select(count < end, since, maximum(end - begin - 1, 0))
        value_here = schedule(inside)
        value = value_here if value is None else select(count < begin, value, value_here)
    return value
