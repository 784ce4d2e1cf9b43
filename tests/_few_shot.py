"""A small network with batch normalization and two regression tasks, all float64 and by formula.

`tests/reference/make_other_libraries.py` gives the same ones to other libraries.
"""

from __future__ import annotations

import torch
from torch import nn

Batch = tuple[torch.Tensor, torch.Tensor]


def _numbers(*shape: int, phase: float) -> torch.Tensor:
    count = torch.Size(shape).numel()
    return torch.sin(1.7 * torch.arange(count, dtype=torch.float64) + phase).reshape(shape)


def network() -> nn.Sequential:
    """Return the network, always with the same weights."""
    # No bias before the normalization: its gradient is zero, where Adam's derivative is 1 / eps.
    net = nn.Sequential(
        nn.Linear(2, 4, bias=False), nn.BatchNorm1d(4), nn.Tanh(), nn.Linear(4, 1)
    ).double()
    with torch.no_grad():
        for phase, p in enumerate(net.parameters()):
            p.copy_(0.5 * _numbers(*p.shape, phase=phase))
    return net


def tasks() -> list[tuple[Batch, Batch]]:
    """Return two tasks, each with a support and a query set of five examples."""

    def batch(phase: int, slope: float) -> Batch:
        x = _numbers(5, 2, phase=phase)
        return x, x.prod(1, keepdim=True) + slope * x.sum(1, keepdim=True)

    return [(batch(10 * k, k), batch(10 * k + 5, k)) for k in (1, 2)]


def loss_fn(model: nn.Module, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Return the mean squared error."""
    return nn.functional.mse_loss(model(x), y)
