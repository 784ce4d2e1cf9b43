"""The formula of every schedule that goes from one value to another once."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

from torchopt.pytree.typing import Numeric
from torchopt.schedule._arguments import elapsed, minimum, safe_power


def transition(
    count: Numeric,
    *,
    init_value: Any,
    end_value: Any,
    transition_steps: Any,
    transition_begin: Any = 0,
    power: Any = 1,
    shape: Callable[[Any], Any] | None = None,
) -> Any:
    """Return the value between two that has the weight ``shape(remaining) ** power`` of the first.

    ``remaining`` falls from 1 to 0 within ``transition_steps`` after ``transition_begin``; a shape
    goes from 1 to 0 with it, by default along a straight line.
    """
    remaining = 1 - minimum(elapsed(count, transition_begin) / transition_steps, 1)
    return interpolate(init_value, end_value, safe_power((shape or linear)(remaining), power))


def interpolate(start: Any, end: Any, weight: Any) -> Any:
    """Return the mean of two values, of which the first has this weight."""
    # A weighted mean is exact at both ends, which `end + (start - end) * weight` is not.
    return start * weight + end * (1 - weight)


def linear(remaining: Any) -> Any:
    """Return a weight that falls along a straight line."""
    return remaining


def cosine(remaining: Any) -> Any:
    """Return ``(1 + cos(pi * (1 - remaining))) / 2``, exact at both ends and without cancellation."""
    angle = math.pi / 2 * remaining
    sine = angle.sin() if isinstance(angle, torch.Tensor) else math.sin(angle)
    return sine * sine


def one_minus_sqrt(remaining: Any) -> Any:
    """Return ``1 - sqrt(1 - remaining)``."""
    return 1 - safe_power(1 - remaining, 0.5)
