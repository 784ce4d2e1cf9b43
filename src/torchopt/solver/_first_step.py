"""How long a first step may be, which has no curvature to go by."""

from __future__ import annotations

import torch


def first_length(x: torch.Tensor, value: torch.Tensor, direction: torch.Tensor) -> torch.Tensor:
    """Return a factor of the first direction, down the gradient.

    The step is no longer than one, and changes the value, if it goes on falling as it does here, no
    more than twice; and, from zero, which has no scale, by more than rounding errors.
    """
    square = direction.square().sum()
    short = square < torch.finfo(x.dtype).tiny ** 0.5
    one = torch.where(short, 0.0, value.abs()) / torch.where(short, 1.0, square)  # to zero
    least = torch.where((x == 0).all(), 100 * torch.finfo(x.dtype).eps * one, 0.0)
    most = torch.where(one > 0, 2 * one, 1.0).clamp(max=1)
    return torch.maximum(least, torch.minimum(most, square.clamp(min=1).rsqrt()))
