"""Two families of tasks: reach a hidden goal, and fit a sine wave from a few points.

A network's parameters are one vector, so that a thousand of them are a matrix.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple, Protocol

import torch

__all__ = ["Navigation", "Problem", "Sinusoid", "Tasks", "perceptron"]


class Tasks(NamedTuple):
    """Some tasks, along the first axis.

    Attributes:
        support: What a task is learned from.
        query: What is judged by.
    """

    support: torch.Tensor
    query: torch.Tensor


class Problem(Protocol):
    """A family of tasks.

    Attributes:
        name: What tables call it.
        sizes: Of the network's layers.
        pairs: Of perturbations in each step of an adaptation.
        reference: A name and the mean cost of something to compare with.
    """

    name: str
    sizes: Sequence[int]
    pairs: int
    reference: tuple[str, float]

    def sample(self, count: int, generator: torch.Generator) -> Tasks:
        """Draw tasks."""
        ...

    def cost(self, theta: torch.Tensor, data: torch.Tensor) -> torch.Tensor:
        """Return the cost of parameters on one task's support or query."""
        ...


def perceptron(theta: torch.Tensor, sizes: Sequence[int], x: torch.Tensor) -> torch.Tensor:
    """Return the outputs of a perceptron with tanh units, whose parameters are a vector."""
    layers = list(pairwise(sizes))
    parts = theta.split([n for i, o in layers for n in (i * o, o)])
    for k, (i, o) in enumerate(layers):
        x = x @ parts[2 * k].reshape(i, o) + parts[2 * k + 1]
        x = x.tanh() if k < len(layers) - 1 else x
    return x


class Navigation:
    """A robot on a plane goes to a goal that it does not see; it feels only how far it was.

    Its motors move in clicks, so that the cost is a step function of the parameters, and has no
    gradient. The cost of a walk is the mean distance to the goal.

    Args:
        width: Of the hidden layer of its policy, from position to velocity.
        horizon: Steps in a walk.
        pairs: See :class:`Problem`.

    References:
        Finn et al., *MAML*, 2017, section 5.3 (where motors are smooth).
    """

    name = "2-D navigation"
    speed, click = 0.1, 0.02

    def __init__(self, width: int, horizon: int, pairs: int) -> None:
        self.sizes: Sequence[int] = (2, width, 2)
        self._horizon, self.pairs = horizon, pairs
        # The mean of a uniform point's distance to the centre of a square of side one.
        self.reference = ("standing still", (math.sqrt(2) + math.asinh(1)) / 6)

    def sample(self, count: int, generator: torch.Generator) -> Tasks:
        """Draw goals, uniform in a square of side one around the start."""
        goals = torch.rand(count, 2, generator=generator) - 0.5
        return Tasks(goals, goals)

    def cost(self, theta: torch.Tensor, data: torch.Tensor) -> torch.Tensor:
        """Return the mean distance to the goal, ``data``."""
        return (self.walk(theta) - data).norm(dim=-1).mean()

    def walk(self, theta: torch.Tensor) -> torch.Tensor:
        """Return the positions after each step, of shape ``(horizon, 2)``."""
        position = theta.new_zeros(2)
        positions = []
        for _ in range(self._horizon):
            velocity = perceptron(theta, self.sizes, position).clamp(-self.speed, self.speed)
            position = position + (velocity / self.click).round() * self.click
            positions.append(position)
        return torch.stack(positions)


class Sinusoid:
    """Regression of waves ``a sin(x - b)`` from a few points; the cost is the mean squared error.

    Args:
        width: Of the hidden layer.
        shots: Points to learn from; there are as many to be judged by.
        pairs: See :class:`Problem`.

    References:
        Finn et al., *MAML*, 2017, section 5.1.
    """

    name = "sine waves"

    def __init__(self, width: int, shots: int, pairs: int) -> None:
        self.sizes: Sequence[int] = (1, width, 1)
        self._shots, self.pairs = shots, pairs
        low, high = 0.1, 5.0
        self.reference = ("predicting zero", (high**3 - low**3) / (high - low) / 6)

    def sample(self, count: int, generator: torch.Generator) -> Tasks:
        """Draw waves and points on them; pairs (x, y) along the last axis."""

        def uniform(low: float, high: float, *shape: int) -> torch.Tensor:
            return low + (high - low) * torch.rand(shape, generator=generator)

        amplitude, phase = uniform(0.1, 5.0, count, 1), uniform(0, math.pi, count, 1)
        x = uniform(-5, 5, count, 2 * self._shots)
        points = torch.stack([x, amplitude * torch.sin(x - phase)], -1)
        return Tasks(points[:, : self._shots], points[:, self._shots :])

    def cost(self, theta: torch.Tensor, data: torch.Tensor) -> torch.Tensor:
        """Return the mean squared error on some points."""
        return (self.predict(theta, data[:, :1]) - data[:, 1:]).square().mean()

    def predict(self, theta: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        """Return the network's outputs for inputs of shape ``(points, 1)``."""
        return perceptron(theta, self.sizes, x / 1.5)  # of the size that tanh likes
