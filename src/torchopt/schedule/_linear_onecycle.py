"""One cycle of three straight lines: up, down, and further down."""

from __future__ import annotations

from torchopt.io.calls import records_call
from torchopt.pytree.typing import Numeric, Schedule
from torchopt.schedule._arguments import check_finite, check_positive
from torchopt.schedule._cosine_onecycle import whole
from torchopt.schedule._piecewise_interpolate import between
from torchopt.schedule._transition import linear


@records_call
def linear_onecycle_schedule(
    transition_steps: Numeric,
    peak_value: Numeric,
    *,
    pct_start: Numeric = 0.3,
    pct_final: Numeric = 0.85,
    div_factor: Numeric = 25.0,
    final_div_factor: Numeric = 1e4,
) -> Schedule:
    r"""Rise to a peak, fall back, and fall further, along straight lines.

    With :math:`T` the ``transition_steps``, the lines join

    .. math::
        v(0) = \frac{v_p}{d}, \qquad v(p_s T) = v_p, \qquad v(p_f T) = \frac{v_p}{d}, \qquad
        v(T) = \frac{v_p}{d \, d_f} .

    Ends of lines that are numbers are rounded down to whole steps. Those that are tensors are not, so
    that they have derivatives.

    Args:
        transition_steps: The length :math:`T` of the cycle; a tensor may require grad.
        peak_value: The value :math:`v_p` at the peak; a tensor may require grad.
        pct_start: The share :math:`p_s` of the cycle until the peak; a tensor may require grad.
        pct_final: The share :math:`p_f` of the cycle until the value is back; a tensor may require
            grad.
        div_factor: The peak divided by the first value, :math:`d`; a tensor may require grad.
        final_div_factor: The first value divided by the last, :math:`d_f`; a tensor may require grad.

    Returns:
        A function of the step count, as of :func:`polynomial_schedule`.

    Raises:
        ValueError: If a number is not positive or not finite.

    Example:
        >>> schedule = linear_onecycle_schedule(
        ...     8, 4.0, pct_start=0.25, pct_final=0.5, div_factor=4.0, final_div_factor=2.0)
        >>> [schedule(count) for count in range(10)]
        [1.0, 2.5, 4.0, 2.5, 1.0, 0.875, 0.75, 0.625, 0.5, 0.5]

    References:
        Smith and Topin, *Super-Convergence: Very Fast Training of Neural Networks Using Large Learning
        Rates*, 2017. ``optax.linear_onecycle_schedule`` (DeepMind, 2020).
    """
    check_finite(peak_value=peak_value, pct_start=pct_start, pct_final=pct_final)
    check_positive(
        transition_steps=transition_steps, div_factor=div_factor, final_div_factor=final_div_factor
    )
    first = peak_value / div_factor
    return between(
        (first, peak_value, first, first / final_div_factor),
        (
            whole(pct_start * transition_steps),
            whole(pct_final * transition_steps),
            whole(transition_steps),
        ),
        linear,
    )
