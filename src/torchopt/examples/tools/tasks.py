"""Few-shot tasks: some examples to learn from, and others to be tested on."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch

__all__ = ["ZERO_ERROR", "Tasks", "sample_waves"]

_AMPLITUDE = (0.1, 5.0)
_PHASE = (0.0, math.pi)
_DOMAIN = (-5.0, 5.0)

#: The mean squared error on waves of a model that predicts zero: half the mean squared amplitude.
ZERO_ERROR = (_AMPLITUDE[1] ** 3 - _AMPLITUDE[0] ** 3) / (_AMPLITUDE[1] - _AMPLITUDE[0]) / 6


class Tasks(NamedTuple):
    """A batch of tasks; the first axis of every tensor counts them.

    Attributes:
        support_x: Inputs to learn from.
        support_y: Their targets.
        query_x: Inputs to be tested on.
        query_y: Their targets.
    """

    support_x: torch.Tensor
    support_y: torch.Tensor
    query_x: torch.Tensor
    query_y: torch.Tensor


def sample_waves(
    count: int,
    shots: int,
    queries: int,
    generator: torch.Generator,
    dtype: torch.dtype = torch.float32,
) -> Tasks:
    """Draw regression tasks, each a wave ``a sin(x - b)``; amplitude, phase and x are uniform.

    Args:
        count: Number of tasks.
        shots: Support points.
        queries: Query points.
        generator: The source of randomness.
        dtype: Of the points.

    Returns:
        Inputs and targets of shape ``(count, points, 1)``.

    References:
        Finn et al., *Model-Agnostic Meta-Learning*, 2017, section 5.1.
    """

    def uniform(low: float, high: float, *shape: int) -> torch.Tensor:
        u = torch.rand(shape, generator=generator, dtype=torch.float64)
        return low + (high - low) * u

    amplitude = uniform(*_AMPLITUDE, count, 1, 1)
    phase = uniform(*_PHASE, count, 1, 1)
    x = uniform(*_DOMAIN, count, shots + queries, 1)
    y = (amplitude * torch.sin(x - phase)).to(dtype)
    x = x.to(dtype)
    return Tasks(x[:, :shots], y[:, :shots], x[:, shots:], y[:, shots:])
