"""What all schedules share: checks of arguments, and functions of numbers or tensors."""

from __future__ import annotations

import functools
import math
from typing import Any

import torch

from torchopt import checks
from torchopt.pytree.typing import Numeric
from torchopt.transform.hyperparameters import as_float


def _known(x: Any) -> bool:
    """Whether a value is a number that can be compared; a tensor may be on a device."""
    if isinstance(x, torch.Tensor):
        return not x.is_complex()
    return isinstance(x, (int, float)) and math.isfinite(x)


_FINITE = checks.Word("use a finite number or a real tensor", holds=_known)
_POSITIVE = checks.Word(
    "use a positive number or a real tensor",
    holds=lambda x: _known(x) and (isinstance(x, torch.Tensor) or x > 0),
)
_NOT_NEGATIVE = checks.Word(
    "use a number that is not negative, or a real tensor",
    holds=lambda x: _known(x) and (isinstance(x, torch.Tensor) or x >= 0),
)


def _check(word: checks.Word, **values: Any) -> None:
    for name, value in values.items():
        checks.check(name, value, word)


check_finite = functools.partial(_check, _FINITE)
check_positive = functools.partial(_check, _POSITIVE)
check_not_negative = functools.partial(_check, _NOT_NEGATIVE)


def elapsed(count: Numeric, begin: Numeric) -> Any:
    """Return the number of steps since a count, at least 0."""
    # In float64: a float32 loses steps, and its rounding would show in the learning rate.
    since = (as_float(count) if isinstance(count, torch.Tensor) else count) - begin
    return maximum(since, 0)


def maximum(a: Any, b: Any) -> Any:
    """Return the larger of two numbers or tensors."""
    if not isinstance(a, torch.Tensor):
        a, b = b, a
    return a.clamp(min=b) if isinstance(a, torch.Tensor) else max(a, b)


def minimum(a: Any, b: Any) -> Any:
    """Return the smaller of two numbers or tensors."""
    if not isinstance(a, torch.Tensor):
        a, b = b, a
    return a.clamp(max=b) if isinstance(a, torch.Tensor) else min(a, b)


def select(condition: Any, true: Any, false: Any) -> Any:
    """Return one of two values; where the condition is a tensor, in float64."""
    if not isinstance(condition, torch.Tensor):
        return true if condition else false
    # `torch.where` makes float32 of two numbers.
    true, false = (
        as_float(x) if isinstance(x, torch.Tensor) else torch.full_like(as_float(condition), x)
        for x in (true, false)
    )
    return torch.where(condition, true, false)


def safe_power(base: Any, exponent: Any) -> Any:
    """Return a power of a base of at least 0; the power and its derivatives are 0 where the base is."""
    # At zero, 1**p * 0 instead of 0**p, whose second derivative in p autograd makes NaN.
    return (base + (base <= 0)) ** exponent * (base > 0)
