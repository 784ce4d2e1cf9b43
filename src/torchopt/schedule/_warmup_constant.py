"""Linear warm-up, then a constant; and the warm-up that other schedules begin with."""

from __future__ import annotations

import torch

from torchopt.io.calls import records_call
from torchopt.pytree.typing import Numeric, Schedule
from torchopt.schedule._arguments import check_finite, check_not_negative
from torchopt.schedule._constant import constant_schedule
from torchopt.schedule._join import join_schedules
from torchopt.schedule._polynomial import linear_schedule


@records_call
def warmup_constant_schedule(
    init_value: Numeric, peak_value: Numeric, *, warmup_steps: Numeric
) -> Schedule:
    r"""Rise along a straight line, then stay.

    With :math:`W` the ``warmup_steps``,

    .. math::
        v(t) = v_0 + (v_W - v_0) \min(t / W, 1) .

    Args:
        init_value: The value :math:`v_0` at the first step; a tensor may require grad.
        peak_value: The value :math:`v_W` after the warm-up; a tensor may require grad.
        warmup_steps: The length :math:`W` of the warm-up. A tensor may require grad; it must be
            positive. The number 0 leaves the warm-up out.

    Returns:
        A function of the step count, as of :func:`polynomial_schedule`.

    Raises:
        ValueError: If ``warmup_steps`` is negative, or a value is not finite.

    Example:
        >>> schedule = warmup_constant_schedule(0.0, 1.0, warmup_steps=4)
        >>> [schedule(count) for count in range(6)]
        [0.0, 0.25, 0.5, 0.75, 1.0, 1.0]

    References:
        ``optax.warmup_constant_schedule`` (DeepMind, 2020).
    """
    check_finite(init_value=init_value, peak_value=peak_value)
    return warm_up(init_value, peak_value, warmup_steps, constant_schedule(peak_value))


def warm_up(
    init_value: Numeric, peak_value: Numeric, warmup_steps: Numeric, then: Schedule
) -> Schedule:
    """Return a schedule that rises along a straight line, and then is another."""
    check_not_negative(warmup_steps=warmup_steps)
    if not isinstance(warmup_steps, torch.Tensor) and warmup_steps == 0:
        return join_schedules([then], [])
    return join_schedules(
        [linear_schedule(init_value, peak_value, warmup_steps), then], [warmup_steps]
    )
