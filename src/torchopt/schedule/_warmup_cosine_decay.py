"""Linear warm-up, then decay along half a period of a cosine."""

from __future__ import annotations

from torchopt.io.calls import Partial, records_call
from torchopt.pytree.typing import Numeric, Schedule
from torchopt.schedule._arguments import check_finite, check_positive
from torchopt.schedule._transition import cosine, transition
from torchopt.schedule._warmup_constant import warm_up


@records_call
def warmup_cosine_decay_schedule(
    init_value: Numeric,
    peak_value: Numeric,
    *,
    warmup_steps: Numeric,
    decay_steps: Numeric,
    end_value: Numeric = 0.0,
    exponent: Numeric = 1.0,
) -> Schedule:
    r"""Rise along a straight line, then decay along half a period of a cosine.

    With :math:`W` the ``warmup_steps`` and :math:`T` the ``decay_steps``, for :math:`W \le t \le T`,

    .. math::
        v(t) = v_T + (v_W - v_T) w^p, \qquad
        w = \frac{1}{2} \left(1 + \cos \frac{\pi (t - W)}{T - W}\right) .

    Args:
        init_value: The value at the first step; a tensor may require grad.
        peak_value: The value :math:`v_W` after the warm-up; a tensor may require grad.
        warmup_steps: The length :math:`W` of the warm-up. A tensor may require grad; it must be
            positive. The number 0 leaves the warm-up out.
        decay_steps: The length :math:`T` of warm-up and decay together; a tensor may require grad.
        end_value: The value :math:`v_T` after the decay; a tensor may require grad.
        exponent: The exponent :math:`p`, positive; a tensor may require grad.

    Returns:
        A function of the step count, as of :func:`polynomial_schedule`.

    Raises:
        ValueError: If ``warmup_steps`` is negative, ``exponent`` is not positive, ``decay_steps`` is
            not greater than ``warmup_steps``, or a value is not finite.

    Example:
        >>> schedule = warmup_cosine_decay_schedule(0.0, 1.0, warmup_steps=2, decay_steps=6)
        >>> [round(schedule(count), 3) for count in range(8)]
        [0.0, 0.5, 1.0, 0.854, 0.5, 0.146, 0.0, 0.0]

    References:
        ``optax.warmup_cosine_decay_schedule`` (DeepMind, 2020). With a ``peak_value`` of 0, Optax
        ignores ``end_value``.
    """
    check_finite(init_value=init_value, peak_value=peak_value, end_value=end_value)
    check_positive(decay_steps=decay_steps, exponent=exponent)
    check_finite(warmup_steps=warmup_steps)
    remaining = decay_steps - warmup_steps
    check_positive(**{"decay_steps - warmup_steps": remaining})
    decay: Partial[Numeric] = Partial(
        transition,
        init_value=peak_value,
        end_value=end_value,
        transition_steps=remaining,
        power=exponent,
        shape=cosine,
    )
    return warm_up(init_value, peak_value, warmup_steps, decay)
