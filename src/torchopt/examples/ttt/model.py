"""A character transformer in three parts, of which the middle one has the fast weights."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn.functional import pad

from torchopt.examples.ttt.config import Config
from torchopt.examples.ttt.documents import ALPHABET

__all__ = ["make_parts"]


class _Attention(nn.Module):
    """Causal attention to the last few characters, by their distance."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        width, window = config.width, config.window
        self.heads, self.window = config.heads, window
        self.norm = nn.LayerNorm(width)
        self.read, self.write = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.distances = nn.Parameter(torch.zeros(config.heads, window))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        window, blocks = self.window, x.shape[0] // self.window
        q, k, v = self.read(self.norm(x)).unflatten(-1, (3, self.heads, -1)).permute(1, 2, 0, 3)
        # Blocks of queries, each with the keys of its own and of the block before.
        q = q.unflatten(1, (blocks, window))
        k, v = (pad(t, (0, 0, window, 0)).unfold(1, 2 * window, window) for t in (k, v))
        place = torch.arange(2 * window)
        distance = place[window:, None] - place
        seen = (distance >= 0) & (distance < window)
        before = (torch.arange(blocks) == 0)[:, None, None] & (place < window)  # of the document
        scores = q @ k / q.shape[-1] ** 0.5 + self.distances[:, None, distance % window]
        weights = scores.masked_fill(before | ~seen, -torch.inf).softmax(-1)
        mixed: torch.Tensor = weights @ v.transpose(-1, -2)
        return x + self.write(mixed.flatten(1, 2).transpose(0, 1).flatten(1))


class _MLP(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        width = config.width
        self.norm = nn.LayerNorm(width, elementwise_affine=False)
        self.think = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.think(self.norm(x))


def make_parts(config: Config) -> tuple[nn.Module, nn.Module, nn.Module]:
    """Return a transformer's backbone, its last MLP, and its head; the same for the same seed.

    All attention is in the backbone, which maps the characters of a document to features, of shape
    ``(length, width)``: these do not depend on the fast weights, those of the last MLP.
    """
    width = config.width
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(config.seed)
        layers: list[nn.Module] = [nn.Embedding(len(ALPHABET), width)]
        for _ in range(config.layers - 1):
            layers += [_Attention(config), _MLP(config)]
        backbone = nn.Sequential(*layers, _Attention(config))
        head = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, len(ALPHABET)))
        parts = backbone, _MLP(config), head
    dtype = getattr(torch, config.dtype)
    return tuple(part.to(dtype) for part in parts)  # type: ignore[return-value]
