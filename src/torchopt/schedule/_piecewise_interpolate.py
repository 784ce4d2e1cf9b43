"""Interpolation between values at boundaries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, Literal

import torch

from torchopt import checks
from torchopt.io.calls import Partial, records_call
from torchopt.pytree.typing import Numeric, Schedule
from torchopt.schedule._arguments import check_finite, elapsed, maximum, minimum, select
from torchopt.schedule._constant import constant_schedule
from torchopt.schedule._piecewise_constant import check_scales
from torchopt.schedule._transition import cosine, interpolate, linear

SHAPES = {"linear": linear, "cosine": cosine}


@records_call
def piecewise_interpolate_schedule(
    interpolate_type: Literal["linear", "cosine"],
    init_value: Numeric,
    *,
    boundaries_and_scales: Mapping[Numeric, Numeric] | None = None,
) -> Schedule:
    r"""Interpolate between values, each the one before times a factor.

    With the entries :math:`b_k: f_k` of ``boundaries_and_scales`` and :math:`b_0 = 0`, for
    :math:`b_k \le t < b_{k+1}`,

    .. math::
        v(t) &= w v_k + (1 - w) v_{k+1}, \qquad v_{k+1} = f_{k+1} v_k \\
        f &= \frac{t - b_k}{b_{k+1} - b_k}, \qquad
        w \in \left\{1 - f, \quad \tfrac{1}{2} (1 + \cos \pi f)\right\} .

    Args:
        interpolate_type: Which weight :math:`w`: ``"linear"`` or ``"cosine"``.
        init_value: The value :math:`v_0` at the first step; a tensor may require grad.
        boundaries_and_scales: The factor of each boundary; boundaries and factors may be tensors
            that require grad. Numbers are sorted; if one of the boundaries is a tensor, all must be in
            increasing order.

    Returns:
        A function of the step count, as of :func:`polynomial_schedule`.

    Raises:
        ValueError: If a factor is negative, a value is not finite, or ``interpolate_type`` is neither.

    Example:
        >>> schedule = piecewise_interpolate_schedule(
        ...     "linear", 1.0, boundaries_and_scales={2: 3.0, 4: 0.5})
        >>> [schedule(count) for count in range(6)]
        [1.0, 2.0, 3.0, 2.25, 1.5, 1.5]

    References:
        ``optax.piecewise_interpolate_schedule`` (DeepMind, 2020).
    """
    checks.check("interpolate_type", interpolate_type, checks.one_of(SHAPES))
    check_finite(init_value=init_value)
    boundaries, scales = check_scales(boundaries_and_scales)
    if not any(isinstance(boundary, torch.Tensor) for boundary in boundaries):
        pairs = sorted(zip(boundaries, scales, strict=True), key=lambda pair: pair[0])
        boundaries, scales = tuple(b for b, _ in pairs), tuple(f for _, f in pairs)
    values = [init_value]
    for scale in scales:
        values.append(values[-1] * scale)
    return between(tuple(values), boundaries, SHAPES[interpolate_type])


@records_call
def between(
    values: tuple[Any, ...], boundaries: tuple[Any, ...], shape: Callable[[Any], Any]
) -> Schedule:
    """Return a schedule that has the first value at 0, and each other one at its boundary."""
    return Partial(
        _between,
        start=constant_schedule(values[0]),
        values=values,
        boundaries=(0, *boundaries),
        shape=shape,
    )


def _between(
    count: Numeric,
    *,
    start: Schedule,
    values: tuple[Any, ...],
    boundaries: tuple[Any, ...],
    shape: Callable[[Any], Any],
) -> Any:
    value = start(count)
    for index, (begin, end) in enumerate(pairwise(boundaries)):
        length = maximum(end - begin, 1e-30)  # of two boundaries at one step, the last counts
        remaining = 1 - minimum(elapsed(count, begin) / length, 1)
        here = interpolate(values[index], values[index + 1], shape(remaining))
        here = select(count >= end, values[index + 1], here)
        value = select(count >= begin, here, value)
    return value
