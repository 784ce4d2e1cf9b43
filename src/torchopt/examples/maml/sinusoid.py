"""Regression of sine waves from a few points, the toy problem of the MAML paper."""

from __future__ import annotations

import math

import torch
from torch import nn
from torch.nn.functional import mse_loss

from torchopt.examples.maml.problem import Tasks

__all__ = ["Sinusoid"]

_AMPLITUDE = (0.1, 5.0)
_PHASE = (0.0, math.pi)
_DOMAIN = (-5.0, 5.0)


class Sinusoid:
    """Tasks that each ask for one wave ``a sin(x - b)``.

    Amplitude, phase and inputs are uniform; the score is the mean squared error.

    Args:
        shots: Points to learn from.
        queries: Points to be judged on, in meta-training.
        test_queries: The same in validation and test.
        channels: Width of the two hidden layers.
        dtype: Of the points.

    References:
        Finn et al., *MAML*, 2017, section 5.1.
    """

    score_name = "squared error"

    def __init__(
        self,
        *,
        shots: int,
        queries: int,
        test_queries: int,
        channels: int,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        low, high = _AMPLITUDE
        self.reference = ("predicting zero", (high**3 - low**3) / (high - low) / 6)
        self._shots, self._queries, self._test_queries = shots, queries, test_queries
        self._channels, self._dtype = channels, dtype

    def sample(self, split: str, count: int, generator: torch.Generator) -> Tasks:
        """Draw tasks; see :class:`Problem`."""

        def uniform(low: float, high: float, *shape: int) -> torch.Tensor:
            u = torch.rand(shape, generator=generator, dtype=torch.float64)
            return low + (high - low) * u

        queries = self._queries if split == "train" else self._test_queries
        amplitude = uniform(*_AMPLITUDE, count, 1, 1)
        phase = uniform(*_PHASE, count, 1, 1)
        x = uniform(*_DOMAIN, count, self._shots + queries, 1)
        y = amplitude * torch.sin(x - phase)
        x, y, k = x.to(self._dtype), y.to(self._dtype), self._shots
        return Tasks(x[:, :k], y[:, :k], x[:, k:], y[:, k:])

    def network(self) -> nn.Module:
        """Make the network."""
        width = self._channels
        net = nn.Sequential()
        net.add_module(
            "features",
            nn.Sequential(nn.Linear(1, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU()),
        )
        net.add_module("head", nn.Linear(width, 1))
        return net

    @staticmethod
    def loss(output: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """Return the mean squared error on one task."""
        return mse_loss(output, target)

    @staticmethod
    def score(output: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """Return the mean squared error on one task."""
        return mse_loss(output, target)
