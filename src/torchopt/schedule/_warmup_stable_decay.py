"""Linear warm-up, a constant, and a short decay."""

from __future__ import annotations

from typing import Literal

from torchopt import checks
from torchopt.io.calls import Partial, records_call
from torchopt.pytree.typing import Numeric, Schedule
from torchopt.schedule._arguments import check_finite, check_not_negative, check_positive
from torchopt.schedule._transition import cosine, linear, one_minus_sqrt, transition
from torchopt.schedule._warmup_constant import warm_up

_SHAPES = {"linear": linear, "cosine": cosine, "1-sqrt": one_minus_sqrt}


@records_call
def warmup_stable_decay_schedule(
    init_value: Numeric,
    peak_value: Numeric,
    *,
    warmup_steps: Numeric,
    stable_steps: Numeric,
    decay_steps: Numeric,
    end_value: Numeric = 0.0,
    decay_type: Literal["linear", "cosine", "1-sqrt"] = "linear",
) -> Schedule:
    r"""Rise along a straight line, stay, then decay (WSD).

    Until the decay, the schedule does not depend on the number of steps of the whole training. With
    :math:`f` the share of the decay that is done,

    .. math::
        v(t) = v_T + (v_W - v_T) w(f), \qquad w(f) \in
        \left\{1 - f, \quad \tfrac{1}{2} (1 + \cos \pi f), \quad 1 - \sqrt{f}\right\} .

    Args:
        init_value: The value at the first step; a tensor may require grad.
        peak_value: The value :math:`v_W` after the warm-up; a tensor may require grad.
        warmup_steps: The length of the warm-up. A tensor may require grad; it must be positive. The
            number 0 leaves the warm-up out.
        stable_steps: The number of steps between warm-up and decay; a tensor may require grad.
        decay_steps: The length of the decay; a tensor may require grad.
        end_value: The value :math:`v_T` after the decay; a tensor may require grad.
        decay_type: The weight :math:`w`. That of ``"1-sqrt"`` has an infinite slope where the decay
            begins; the derivative at that step is taken to be 0.

    Returns:
        A function of the step count, as of :func:`polynomial_schedule`.

    Raises:
        ValueError: If ``decay_steps`` is not positive, ``warmup_steps`` or ``stable_steps`` is
            negative, a value is not finite, or ``decay_type`` is none of these.

    Example:
        >>> schedule = warmup_stable_decay_schedule(
        ...     0.0, 1.0, warmup_steps=2, stable_steps=2, decay_steps=4)
        >>> [schedule(count) for count in range(9)]
        [0.0, 0.5, 1.0, 1.0, 1.0, 0.75, 0.5, 0.25, 0.0]

    References:
        Hu et al., *MiniCPM: Unveiling the Potential of Small Language Models*, 2024, section 4.
        Hägele et al., *Scaling Laws and Compute-Optimal Training Beyond Fixed Training Durations*,
        2024, section 3 (``"1-sqrt"``).
    """
    check_finite(init_value=init_value, peak_value=peak_value, end_value=end_value)
    check_not_negative(stable_steps=stable_steps)
    check_positive(decay_steps=decay_steps)
    checks.check("decay_type", decay_type, checks.one_of(_SHAPES))
    decay: Partial[Numeric] = Partial(
        transition,
        init_value=peak_value,
        end_value=end_value,
        transition_steps=decay_steps,
        transition_begin=stable_steps,
        shape=_SHAPES[decay_type],
    )
    return warm_up(init_value, peak_value, warmup_steps, decay)
