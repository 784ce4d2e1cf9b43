"""A network that checkpoints its activations in each way that PyTorch has."""

from __future__ import annotations

import functools

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint, checkpoint_sequential

DTYPE = torch.float64


def randn(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, dtype=DTYPE, generator=torch.Generator().manual_seed(seed))


class Net(nn.Module):
    def __init__(self, remat: str = "") -> None:
        super().__init__()
        self.a, self.b = nn.Linear(3, 3), nn.Linear(3, 3)
        self.remat = remat
        self.blocks = [self.a, self.b]
        self.bound = self.middle
        self.bound_partial = functools.partial(self.middle)

    def middle(self, x: torch.Tensor) -> torch.Tensor:
        return torch.tanh(self.b(torch.tanh(self.a(x))))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        run = {
            "": lambda x: self.middle(x),
            "method": lambda x: checkpoint(self.middle, x, use_reentrant=False),
            "attribute": lambda x: checkpoint(self.bound, x, use_reentrant=False),
            "partial": lambda x: checkpoint(self.bound_partial, x, use_reentrant=False),
            "list": lambda x: checkpoint(
                lambda y: torch.tanh(self.blocks[1](torch.tanh(self.blocks[0](y)))),
                x,
                use_reentrant=False,
            ),
            "sequential": lambda x: checkpoint_sequential(
                [self.a, torch.tanh, self.b, torch.tanh], 2, x, use_reentrant=False
            ),
            "nested": lambda x: checkpoint(
                lambda y: checkpoint(self.middle, y, use_reentrant=False), x, use_reentrant=False
            ),
        }[self.remat]
        return run(x)


REMATERIALIZED = ["method", "attribute", "partial", "list", "sequential", "nested"]
