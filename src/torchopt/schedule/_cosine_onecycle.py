"""One cycle of two halves of a cosine: up, and down."""

from __future__ import annotations

from typing import Any

import torch

from torchopt.io.calls import records_call
from torchopt.pytree.typing import Numeric, Schedule
from torchopt.schedule._arguments import check_finite, check_positive
from torchopt.schedule._piecewise_interpolate import between
from torchopt.schedule._transition import cosine


@records_call
def cosine_onecycle_schedule(
    transition_steps: Numeric,
    peak_value: Numeric,
    *,
    pct_start: Numeric = 0.3,
    div_factor: Numeric = 25.0,
    final_div_factor: Numeric = 1e4,
) -> Schedule:
    r"""Rise to a peak and fall, each along half a period of a cosine.

    With :math:`T` the ``transition_steps``, the curves join

    .. math::
        v(0) = \frac{v_p}{d}, \qquad v(p_s T) = v_p, \qquad v(T) = \frac{v_p}{d \, d_f} .

    Ends of curves that are numbers are rounded down to whole steps. Those that are tensors are not, so
    that they have derivatives.

    Args:
        transition_steps: The length :math:`T` of the cycle; a tensor may require grad.
        peak_value: The value :math:`v_p` at the peak; a tensor may require grad.
        pct_start: The share :math:`p_s` of the cycle until the peak; a tensor may require grad.
        div_factor: The peak divided by the first value, :math:`d`; a tensor may require grad.
        final_div_factor: The first value divided by the last, :math:`d_f`; a tensor may require grad.

    Returns:
        A function of the step count, as of :func:`polynomial_schedule`.

    Raises:
        ValueError: If a number is not positive or not finite.

    Example:
        >>> schedule = cosine_onecycle_schedule(
        ...     8, 4.0, pct_start=0.25, div_factor=4.0, final_div_factor=2.0)
        >>> [round(schedule(count), 3) for count in range(10)]
        [1.0, 2.5, 4.0, 3.766, 3.125, 2.25, 1.375, 0.734, 0.5, 0.5]

    References:
        Smith and Topin, *Super-Convergence: Very Fast Training of Neural Networks Using Large Learning
        Rates*, 2017. ``optax.cosine_onecycle_schedule`` (DeepMind, 2020).
    """
    check_finite(peak_value=peak_value, pct_start=pct_start)
    check_positive(
        transition_steps=transition_steps, div_factor=div_factor, final_div_factor=final_div_factor
    )
    first = peak_value / div_factor
    return between(
        (first, peak_value, first / final_div_factor),
        (whole(pct_start * transition_steps), whole(transition_steps)),
        cosine,
    )


def whole(steps: Any) -> Any:
    """Round a number down. A tensor stays as it is: rounding has no derivative."""
    return steps if isinstance(steps, torch.Tensor) else int(steps)
