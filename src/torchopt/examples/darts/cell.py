"""The cell: three nodes, an edge between each two, and four operations to choose from on each edge."""

from __future__ import annotations

from itertools import product

import torch
from torch import nn

__all__ = [
    "ARCHITECTURES",
    "EDGES",
    "OPERATIONS",
    "Architecture",
    "Network",
    "name",
    "one_hot",
    "without_dead_edges",
]

EDGES = ((0, 1), (0, 2), (1, 2))
OPERATIONS = ("none", "skip", "pool", "conv")

Architecture = tuple[int, ...]
ARCHITECTURES: tuple[Architecture, ...] = tuple(product(range(len(OPERATIONS)), repeat=len(EDGES)))


def name(architecture: Architecture) -> str:
    """Return the operations of the edges in words."""
    return " | ".join(OPERATIONS[choice] for choice in architecture)


def one_hot(architecture: Architecture) -> torch.Tensor:
    """Return the mixture that is one architecture: a row for each edge."""
    return nn.functional.one_hot(torch.tensor(architecture), len(OPERATIONS)).float()


def without_dead_edges(architecture: Architecture) -> Architecture:
    """Return the same function, without an edge into or out of the middle node that leads nowhere."""
    into, across, out = architecture
    return architecture if into and out else (0, across, 0)


class Edge(nn.Module):
    """A mixture of operations; what has weight zero in it is not computed.

    Args:
        channels: Of the input and the output.
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.pool = nn.Sequential(
            nn.AvgPool2d(3, 1, 1, count_include_pad=False), _normalize(channels)
        )
        self.conv = nn.Sequential(
            nn.ReLU(), nn.Conv2d(channels, channels, 3, padding=1, bias=False), _normalize(channels)
        )

    def forward(self, x: torch.Tensor, mixture: torch.Tensor) -> torch.Tensor:
        """Return the operations' weighted sum."""
        alone = not mixture.requires_grad
        out = torch.zeros_like(x)
        for weight, operation in zip(
            mixture[1:], (nn.Identity(), self.pool, self.conv), strict=True
        ):
            if not alone or weight != 0:
                out = out + weight * operation(x)
        return out


class Network(nn.Module):
    """A stem, the cell, and a linear classifier of the mean over places.

    Args:
        channels: Of the cell.
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(1, channels, 3, stride=2, padding=1, bias=False), _normalize(channels)
        )
        self.edges = nn.ModuleList(Edge(channels) for _ in EDGES)
        self.head = nn.Linear(channels, 10)

    def forward(self, x: torch.Tensor, mixture: torch.Tensor) -> torch.Tensor:
        """Return the logits of images, rows of 64 numbers, by the cell with a mixture."""
        nodes = [self.stem(x.reshape(-1, 1, 8, 8))]
        for node in (1, 2):
            into = [
                edge(nodes[start], weights)
                for (start, end), edge, weights in zip(EDGES, self.edges, mixture, strict=True)
                if end == node
            ]
            nodes.append(sum(into[1:], into[0]))
        return self.head(nodes[-1].relu().mean((2, 3)))


def _normalize(channels: int) -> nn.Module:
    # By the batch in training and in judgement alike: there are no averages to go stale.
    return nn.BatchNorm2d(channels, affine=False, track_running_stats=False)
