"""Polynomial interpolation between two values, and its special case, the straight line."""

from __future__ import annotations

from torchopt.io.calls import Partial, records_call
from torchopt.pytree.typing import Numeric, Schedule
from torchopt.schedule._arguments import check_finite, check_not_negative, check_positive
from torchopt.schedule._transition import transition


@records_call
def polynomial_schedule(
    init_value: Numeric,
    end_value: Numeric,
    power: Numeric,
    transition_steps: Numeric,
    transition_begin: Numeric = 0,
) -> Schedule:
    r"""Go from one value to another along a power of the time that remains.

    With :math:`t` the number of steps since ``transition_begin``, held within
    :math:`0 \le t \le T` where :math:`T` is ``transition_steps``,

    .. math::
        v(t) = v_T + (v_0 - v_T) \left(1 - \frac{t}{T}\right)^p .

    Args:
        init_value: The value :math:`v_0` until the transition begins; a tensor may require grad.
        end_value: The value :math:`v_T` from the end of the transition on; a tensor may require
            grad.
        power: The exponent :math:`p`, positive; a tensor may require grad.
        transition_steps: The length :math:`T` of the transition; a tensor may require grad.
        transition_begin: The count at which it begins; a tensor may require grad.

    Returns:
        A function of the step count that can be pickled. A number gives a number, a tensor a
        float64 tensor; tensors in the arguments make the value a tensor, differentiable in them.

    Raises:
        ValueError: If ``transition_steps`` or ``power`` is not positive, ``transition_begin`` is
            negative, or a value is not finite.

    Example:
        >>> schedule = polynomial_schedule(1.0, 0.0, 2, transition_steps=4, transition_begin=1)
        >>> [schedule(count) for count in range(6)]
        [1.0, 1.0, 0.5625, 0.25, 0.0625, 0.0]

    References:
        ``optax.polynomial_schedule`` (DeepMind, 2020).
    """
    check_finite(init_value=init_value, end_value=end_value)
    check_positive(power=power, transition_steps=transition_steps)
    check_not_negative(transition_begin=transition_begin)
    return Partial(
        transition,
        init_value=init_value,
        end_value=end_value,
        power=power,
        transition_steps=transition_steps,
        transition_begin=transition_begin,
    )


@records_call
def linear_schedule(
    init_value: Numeric,
    end_value: Numeric,
    transition_steps: Numeric,
    transition_begin: Numeric = 0,
) -> Schedule:
    r"""Go from one value to another along a straight line.

    This is :func:`polynomial_schedule` with power 1.

    Args:
        init_value: The value until the transition begins; a tensor may require grad.
        end_value: The value from the end of the transition on; a tensor may require grad.
        transition_steps: The length of the transition; a tensor may require grad.
        transition_begin: The count at which it begins; a tensor may require grad.

    Returns:
        A function of the step count, as of :func:`polynomial_schedule`.

    Raises:
        ValueError: If ``transition_steps`` is not positive, ``transition_begin`` is negative, or a
            value is not finite.

    Example:
        >>> schedule = linear_schedule(0.0, 1.0, transition_steps=4)
        >>> [schedule(count) for count in range(6)]
        [0.0, 0.25, 0.5, 0.75, 1.0, 1.0]
    """
    return polynomial_schedule(init_value, end_value, 1, transition_steps, transition_begin)
