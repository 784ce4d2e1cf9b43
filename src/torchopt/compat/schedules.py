"""What 0.7.3 has for schedules, and has another name here."""

from __future__ import annotations

from torchopt.pytree.typing import Numeric, Schedule
from torchopt.schedule import exponential_decay_schedule

__all__ = ["exponential_decay"]


def exponential_decay(
    init_value: Numeric,
    decay_rate: Numeric,
    transition_begin: Numeric = 0,
    transition_steps: Numeric = 1,
    staircase: bool = False,
    end_value: Numeric | None = None,
) -> Schedule:
    """Multiply a value by a rate every so many steps.

    Args:
        init_value: As of :func:`torchopt.schedule.exponential_decay_schedule`, as are all others.
        decay_rate: The rate.
        transition_begin: The count at which the decay begins.
        transition_steps: The number of steps in which the value is multiplied by the rate once.
        staircase: Whether the value stays the same in between.
        end_value: The bound at which the value stops.

    Returns:
        A function of the step count.

    Example:
        >>> schedule = exponential_decay(8.0, 0.5, 1)
        >>> [schedule(count) for count in range(4)]
        [8.0, 8.0, 4.0, 2.0]
    """
    return exponential_decay_schedule(
        init_value,
        decay_rate,
        transition_begin=transition_begin,
        transition_steps=transition_steps,
        staircase=staircase,
        end_value=end_value,
    )
