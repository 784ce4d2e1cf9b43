"""Linear warm-up, then exponential decay."""

from __future__ import annotations

from torchopt.io.calls import records_call
from torchopt.pytree.typing import Numeric, Schedule
from torchopt.schedule._arguments import check_finite
from torchopt.schedule._exponential import exponential_decay_schedule
from torchopt.schedule._warmup_constant import warm_up


@records_call
def warmup_exponential_decay_schedule(
    init_value: Numeric,
    peak_value: Numeric,
    *,
    warmup_steps: Numeric,
    decay_rate: Numeric,
    transition_begin: Numeric = 0,
    transition_steps: Numeric,
    staircase: bool = False,
    end_value: Numeric | None = None,
) -> Schedule:
    r"""Rise along a straight line, then decay exponentially.

    With :math:`W` the ``warmup_steps`` and :math:`B` the ``transition_begin``, for
    :math:`t \ge W + B`,

    .. math::
        v(t) = v_W \, r^{(t - W - B) / T} ,

    where ``staircase`` rounds the exponent down to a whole number.

    Args:
        init_value: The value at the first step; a tensor may require grad.
        peak_value: The value :math:`v_W` after the warm-up; a tensor may require grad.
        warmup_steps: The length :math:`W` of the warm-up. A tensor may require grad; it must be
            positive. The number 0 leaves the warm-up out.
        decay_rate: The rate :math:`r`, positive; a tensor may require grad.
        transition_begin: The number of steps :math:`B` between warm-up and decay; a tensor may require
            grad.
        transition_steps: The number of steps :math:`T` in which the value is multiplied by the rate
            once; a tensor may require grad.
        staircase: As of :func:`exponential_decay_schedule`.
        end_value: The bound at which the value stops, as of :func:`exponential_decay_schedule`.

    Returns:
        A function of the step count, as of :func:`polynomial_schedule`.

    Raises:
        ValueError: If ``transition_steps`` or ``decay_rate`` is not positive, ``warmup_steps`` or
            ``transition_begin`` is negative, or a value is not finite.

    Example:
        >>> schedule = warmup_exponential_decay_schedule(0.0, 8.0, warmup_steps=2,
        ...     transition_steps=1, decay_rate=0.5)
        >>> [schedule(count) for count in range(6)]
        [0.0, 4.0, 8.0, 4.0, 2.0, 1.0]

    References:
        ``optax.warmup_exponential_decay_schedule`` (DeepMind, 2020).
    """
    check_finite(init_value=init_value, peak_value=peak_value)
    decay = exponential_decay_schedule(
        peak_value,
        decay_rate,
        transition_begin=transition_begin,
        transition_steps=transition_steps,
        staircase=staircase,
        end_value=end_value,
    )
    return warm_up(init_value, peak_value, warmup_steps, decay)
