"""Linear warm-up, then decay as the inverse square root of the step count."""

from __future__ import annotations

from typing import Any

import torch

from torchopt.io.calls import Partial, records_call
from torchopt.pytree.typing import Numeric, Schedule
from torchopt.schedule._arguments import check_finite, check_positive, elapsed
from torchopt.schedule._warmup_constant import warm_up


@records_call
def inverse_sqrt_schedule(
    init_value: Numeric,
    peak_value: Numeric,
    *,
    warmup_steps: Numeric,
    timescale: Numeric | None = None,
) -> Schedule:
    r"""Rise along a straight line, then decay as the inverse square root of the step count.

    With :math:`W` the ``warmup_steps`` and :math:`\tau` the ``timescale``, for :math:`t \ge W`,

    .. math::
        v(t) = v_W \Big/ \sqrt{1 + \frac{t - W}{\tau}} ,

    which is :math:`v_W \sqrt{W / t}` if :math:`\tau = W`.

    Args:
        init_value: The value at the first step; a tensor may require grad.
        peak_value: The value :math:`v_W` after the warm-up; a tensor may require grad.
        warmup_steps: The length :math:`W` of the warm-up. A tensor may require grad; it must be
            positive. The number 0 leaves the warm-up out.
        timescale: The number of steps :math:`\tau`, after three of which the value is half the peak; a
            tensor may require grad. None is ``warmup_steps``, or 10000 without a warm-up.

    Returns:
        A function of the step count, as of :func:`polynomial_schedule`.

    Raises:
        ValueError: If ``timescale`` is not positive, ``warmup_steps`` is negative, or a value is not
            finite.

    Example:
        >>> schedule = inverse_sqrt_schedule(0.0, 1.0, warmup_steps=4)
        >>> [schedule(count) for count in (0, 2, 4, 16, 64)]
        [0.0, 0.5, 1.0, 0.5, 0.25]

    References:
        Vaswani et al., *Attention Is All You Need*, 2017, equation 3. The argument ``timescale`` is
        that of ``transformers.get_inverse_sqrt_schedule``.
    """
    check_finite(init_value=init_value, peak_value=peak_value, warmup_steps=warmup_steps)
    if timescale is None:
        known = isinstance(warmup_steps, torch.Tensor) or warmup_steps > 0
        timescale = warmup_steps if known else 10_000
    check_positive(timescale=timescale)
    decay: Partial[Numeric] = Partial(_inverse_sqrt, peak_value=peak_value, timescale=timescale)
    return warm_up(init_value, peak_value, warmup_steps, decay)


def _inverse_sqrt(count: Numeric, *, peak_value: Any, timescale: Any) -> Any:
    return peak_value / (1 + elapsed(count, 0) / timescale) ** 0.5
