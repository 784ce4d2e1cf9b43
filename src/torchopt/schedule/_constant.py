"""The same value at each step."""

from __future__ import annotations

from typing import Any

import torch

from torchopt.io.calls import Partial, records_call
from torchopt.pytree.typing import Numeric, Schedule
from torchopt.schedule._arguments import check_finite
from torchopt.transform.hyperparameters import as_float


@records_call
def constant_schedule(value: Numeric) -> Schedule:
    """Keep a value at each step, for example as a part of :func:`join_schedules`.

    Args:
        value: The value; a tensor may require grad.

    Returns:
        A function of the step count, as of :func:`polynomial_schedule`.

    Raises:
        ValueError: If ``value`` is not finite.

    Example:
        >>> constant_schedule(0.1)(7)
        0.1

    References:
        ``optax.constant_schedule`` (DeepMind, 2020).
    """
    check_finite(value=value)
    return Partial(_constant, value=value)


def _constant(count: Numeric, *, value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return as_float(value) if isinstance(count, torch.Tensor) else value
    return (
        torch.full_like(as_float(count), value) if isinstance(count, torch.Tensor) else float(value)
    )
