"""Jumps by a factor at each boundary."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torchopt import checks
from torchopt.io.calls import Partial, records_call, value_text
from torchopt.pytree.typing import Numeric, Schedule
from torchopt.schedule._arguments import check_finite, check_not_negative, select
from torchopt.schedule._constant import constant_schedule


@records_call
def piecewise_constant_schedule(
    init_value: Numeric, boundaries_and_scales: Mapping[Numeric, Numeric] | None = None
) -> Schedule:
    r"""Multiply a value by a factor at each boundary.

    With the entries :math:`b_k: f_k` of ``boundaries_and_scales``,

    .. math::
        v(t) = v_0 \prod_{k: \, b_k \le t} f_k .

    Args:
        init_value: The value :math:`v_0` before the first boundary; a tensor may require grad.
        boundaries_and_scales: The factor (a tensor may require grad) of each boundary. A boundary may
            be a tensor, but its derivative is zero.

    Returns:
        A function of the step count, as of :func:`polynomial_schedule`.

    Raises:
        ValueError: If a factor is negative, or a value is not finite.

    Example:
        >>> schedule = piecewise_constant_schedule(1.0, {2: 0.5, 4: 0.5})
        >>> [schedule(count) for count in range(6)]
        [1.0, 1.0, 0.5, 0.5, 0.25, 0.25]

    References:
        ``optax.piecewise_constant_schedule`` (DeepMind, 2020).
    """
    check_finite(init_value=init_value)
    boundaries, scales = check_scales(boundaries_and_scales)
    return Partial(
        _piecewise, start=constant_schedule(init_value), boundaries=boundaries, scales=scales
    )


_BY_BOUNDARY = checks.or_none(checks.of_type(Mapping, "a dictionary from boundaries to scales"))


def check_scales(
    boundaries_and_scales: Mapping[Numeric, Numeric] | None,
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Return the keys and the values of a dict; raise ``ValueError`` for bad numbers in it."""
    checks.check("boundaries_and_scales", boundaries_and_scales, _BY_BOUNDARY)
    entries = dict(boundaries_and_scales or {})
    for boundary, scale in entries.items():
        check_finite(**{"boundaries_and_scales": boundary})
        check_not_negative(**{f"boundaries_and_scales[{value_text(boundary)}]": scale})
    return tuple(entries), tuple(entries.values())


def _piecewise(
    count: Numeric, *, start: Schedule, boundaries: tuple[Any, ...], scales: tuple[Any, ...]
) -> Any:
    value = start(count)
    for boundary, scale in zip(boundaries, scales, strict=True):
        value = value * select(count >= boundary, scale, 1.0)
    return value
