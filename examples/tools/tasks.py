"""Few-shot tasks: some examples to learn from, and others to be tested on."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import torch

__all__ = ["ZERO_ERROR", "TaskLoader", "Tasks", "sample_waves"]

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


class TaskLoader:
    """Batches of tasks without end, each given several times in a row, for a multilevel problem.

    A lower problem takes a batch at each of its steps. It must be given the same tasks until the upper
    problem, which has a loader of its own with the same seed, makes its step.

    Args:
        sample: ``sample(generator=...)`` draws a batch of tasks.
        seed: Of the tasks.
        times: How often each batch is given.
    """

    def __init__(self, sample: Callable[..., Tasks], seed: int, times: int) -> None:
        self._sample, self._times, self._given = sample, times, 0
        self._before = torch.Generator().manual_seed(seed).get_state()

    def __iter__(self) -> Iterator[tuple[torch.Tensor, ...]]:
        generator = torch.Generator()
        while True:
            generator.set_state(self._before)
            tasks = tuple(self._sample(generator=generator))  # of types that a checkpoint may hold
            while self._given < self._times:
                self._given += 1
                yield tasks
            self._before, self._given = generator.get_state(), 0

    def state_dict(self) -> dict[str, Any]:
        """Return the position: the random numbers of the batch, and how often it was given."""
        return {"before": self._before, "given": self._given}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go to a position."""
        self._before, self._given = state["before"], state["given"]
