"""Decay along half a period of a cosine."""

from __future__ import annotations

from torchopt.io.calls import Partial, records_call
from torchopt.pytree.typing import Numeric, Schedule
from torchopt.schedule._arguments import check_finite, check_positive
from torchopt.schedule._transition import cosine, transition


@records_call
def cosine_decay_schedule(
    init_value: Numeric,
    decay_steps: Numeric,
    *,
    alpha: Numeric = 0.0,
    exponent: Numeric = 1.0,
) -> Schedule:
    r"""Decay along half a period of a cosine.

    With :math:`t` held within :math:`0 \le t \le T` where :math:`T` is ``decay_steps``,

    .. math::
        v(t) = v_0 \left(\alpha + (1 - \alpha) w^p\right), \qquad
        w = \frac{1}{2} \left(1 + \cos \frac{\pi t}{T}\right) .

    Args:
        init_value: The value :math:`v_0` at the first step; a tensor may require grad.
        decay_steps: The length :math:`T` of the decay; a tensor may require grad.
        alpha: The last value :math:`\alpha`, as a share of the first; a tensor may require grad.
        exponent: The exponent :math:`p`, positive; a tensor may require grad.

    Returns:
        A function of the step count, as of :func:`polynomial_schedule`.

    Raises:
        ValueError: If ``decay_steps`` or ``exponent`` is not positive, or a value is not finite.

    Example:
        >>> schedule = cosine_decay_schedule(1.0, decay_steps=4, alpha=0.5)
        >>> [round(schedule(count), 3) for count in range(6)]
        [1.0, 0.927, 0.75, 0.573, 0.5, 0.5]

    References:
        Loshchilov and Hutter, *SGDR: Stochastic Gradient Descent with Warm Restarts*, 2017, equation 5.
        ``optax.cosine_decay_schedule`` (DeepMind, 2020).
    """
    check_finite(init_value=init_value, alpha=alpha)
    check_positive(decay_steps=decay_steps, exponent=exponent)
    return Partial(
        transition,
        init_value=init_value,
        end_value=alpha * init_value,
        transition_steps=decay_steps,
        power=exponent,
        shape=cosine,
    )
