"""The network: an equilibrium of one convolution, and a linear classifier of it."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.nn.functional import conv2d

import torchopt
from torchopt.diff import DifferentiationMode, Solution
from torchopt.solver import Anderson, Solver

__all__ = ["Equilibrium"]


class Equilibrium(nn.Module):
    r"""A deep equilibrium classifier of 8 by 8 images.

    .. math:: z^* = \max(0,\; W * z^* + U * x + b), \qquad \text{logits} = V z^* + c

    The absolute entries of each output channel of :math:`W` sum to ``contraction`` at most, so that
    the layer is a contraction in the maximum norm: there is one equilibrium, whatever the weights.

    Args:
        channels: Of the equilibrium.
        contraction: The bound, below one.
        solver: Finds the equilibrium.
        diff: How it is differentiated.

    References:
        Bai, Kolter and Koltun, *Deep Equilibrium Models*, 2019.
    """

    def __init__(
        self,
        channels: int,
        *,
        contraction: float,
        solver: Solver[Any] | None = None,
        diff: DifferentiationMode | None = None,
    ) -> None:
        super().__init__()
        self.inject = nn.Conv2d(1, channels, 3, padding=1)
        self.recur = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.head = nn.Linear(64 * channels, 10)
        self.contraction = contraction
        self.solver = Anderson() if solver is None else solver
        self.diff = torchopt.diff.Implicit() if diff is None else diff

    def equilibrium(self, x: torch.Tensor) -> Solution:
        """Return the equilibrium of a batch of images."""
        injected = self.inject(x)
        weight = self.recur.weight
        size = weight.abs().sum((1, 2, 3), keepdim=True)
        weight = weight * (self.contraction / size.clamp_min(self.contraction))

        def layer(z: torch.Tensor, weight: torch.Tensor, injected: torch.Tensor) -> torch.Tensor:
            return (conv2d(z, weight, padding=1) + injected).relu()

        return torchopt.fixed_point(
            layer,
            torch.zeros_like(injected),
            (weight, injected),
            solver=self.solver,
            diff=self.diff,
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return logits."""
        return self.head(self.equilibrium(x).params.flatten(1))
