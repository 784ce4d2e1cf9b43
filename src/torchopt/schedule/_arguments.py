"""What all schedules share: the check of the transition, and the steps since it began."""

from __future__ import annotations

import math
from typing import Any

import torch

from torchopt.pytree.typing import Numeric

__all__ = ["check_finite", "check_transition", "elapsed"]


def check_finite(**values: Any) -> None:
    """Raise ``ValueError`` unless each value is a tensor or a finite real number.

    Tensors are not looked into: they may be traced, batched or learned.
    """
    for name, value in values.items():
        if isinstance(value, torch.Tensor):
            continue
        if not isinstance(value, (int, float)) or not math.isfinite(value):
            raise ValueError(f"`{name}` is {value!r}, but it must be a finite number or a tensor.")


def check_transition(transition_steps: Any, transition_begin: Any) -> None:
    """Raise ``ValueError`` unless the transition has a positive length and begins at 0 or later."""
    for name, value in (
        ("transition_steps", transition_steps),
        ("transition_begin", transition_begin),
    ):
        if not isinstance(value, (int, float)) or not math.isfinite(value):
            raise ValueError(f"`{name}` is {value!r}, but it must be a finite number.")
    if transition_steps <= 0:
        raise ValueError(f"`transition_steps` is {transition_steps}, but it must be positive.")
    if transition_begin < 0:
        raise ValueError(f"`transition_begin` is {transition_begin}, but it must be at least 0.")


def elapsed(count: Numeric, transition_begin: float, *, at_most: float | None = None) -> Numeric:
    """Return the steps since the transition began, at least 0 (and at most ``at_most``)."""
    if isinstance(count, torch.Tensor):
        # float64: a float32 loses steps, and its rounding would show in the learning rate.
        return (count.to(torch.float64) - transition_begin).clamp(0, at_most)
    since = max(count - transition_begin, 0)
    return since if at_most is None else min(since, at_most)
