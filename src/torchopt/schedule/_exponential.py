"""Exponential decay (or growth), smooth or in steps."""

from __future__ import annotations

import math
from typing import Any

import torch

from torchopt.io.calls import Partial, records_call
from torchopt.pytree.typing import Numeric, Schedule
from torchopt.schedule._arguments import check_finite, check_not_negative, check_positive, elapsed


@records_call
def exponential_decay_schedule(
    init_value: Numeric,
    decay_rate: Numeric,
    *,
    transition_begin: Numeric = 0,
    transition_steps: Numeric = 1,
    staircase: bool = False,
    end_value: Numeric | None = None,
) -> Schedule:
    r"""Multiply a value by a rate every so many steps.

    With :math:`t \ge 0` the number of steps since ``transition_begin`` and :math:`T` the
    ``transition_steps``,

    .. math::
        v(t) = v_0 \, r^{t / T} ,

    where ``staircase`` rounds the exponent down to a whole number.

    Args:
        init_value: The value :math:`v_0` until the decay begins; a tensor may require grad.
        decay_rate: The rate :math:`r`, positive; a tensor may require grad.
        transition_begin: The count at which the decay begins; a tensor may require grad.
        transition_steps: The number of steps in which the value is multiplied by the rate once; a
            tensor may require grad.
        staircase: Whether the value stays the same in between. The derivatives in ``transition_begin``
            and ``transition_steps`` are then zero.
        end_value: The bound at which the value stops: from below for a rate less than 1, from above
            for any other. A tensor may require grad.

    Returns:
        A function of the step count that can be pickled. A number gives a number, a tensor a
        float64 tensor; tensors in the arguments make the value a tensor, differentiable in them.

    Raises:
        ValueError: If ``transition_steps`` or ``decay_rate`` is not positive, ``transition_begin``
            is negative, or a value is not finite.

    Example:
        >>> schedule = exponential_decay_schedule(8.0, 0.5, transition_begin=1, end_value=1.5)
        >>> [schedule(count) for count in range(6)]
        [8.0, 8.0, 4.0, 2.0, 1.5, 1.5]

    References:
        ``optax.exponential_decay`` (DeepMind, 2020).
    """
    check_finite(init_value=init_value)
    if end_value is not None:
        check_finite(end_value=end_value)
    check_positive(decay_rate=decay_rate, transition_steps=transition_steps)
    check_not_negative(transition_begin=transition_begin)
    return Partial(
        _exponential,
        init_value=init_value,
        decay_rate=decay_rate,
        transition_begin=transition_begin,
        transition_steps=transition_steps,
        staircase=staircase,
        end_value=end_value,
    )


def _exponential(
    count: Numeric,
    *,
    init_value: Any,
    decay_rate: Any,
    transition_begin: Any,
    transition_steps: Any,
    staircase: bool,
    end_value: Any,
) -> Any:
    exponent = elapsed(count, transition_begin) / transition_steps
    if staircase:
        exponent = exponent.floor() if isinstance(exponent, torch.Tensor) else math.floor(exponent)
    value = init_value * _power(decay_rate, exponent)
    if end_value is None:
        return value
    within = (value > end_value) == (decay_rate < 1)
    if isinstance(within, torch.Tensor):
        return torch.where(within, value, end_value)
    return value if within else end_value


def _power(base: Any, exponent: Any) -> Any:
    try:
        return base**exponent
    except OverflowError:  # Python raises where IEEE arithmetic, and a tensor, give infinity.
        return math.inf
