"""A small transformer that reads a text and answers with a label."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention

__all__ = ["Transformer"]


class _Block(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.read, self.write = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.think = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        q, k, v = self.read(self.norm(x)).unflatten(-1, (3, self.heads, -1)).unbind(-3)
        seen = scaled_dot_product_attention(*(t.transpose(1, 2) for t in (q, k, v)))
        x = x + self.write(seen.transpose(1, 2).flatten(-2))
        x = x + self.think(self.norm2(x))
        return x


class Transformer(nn.Module):
    """An encoder, whose mean over the words is classified.

    Args:
        vocabulary: The number of words.
        labels: The number of answers.
        length: Words in a text.
        width: Of the words' vectors.
        layers: The number of blocks.
        heads: Of the attention.
    """

    def __init__(
        self, *, vocabulary: int, labels: int, length: int, width: int, layers: int, heads: int
    ) -> None:
        super().__init__()
        self.words = nn.Embedding(vocabulary, width)
        self.places = nn.Parameter(0.1 * torch.randn(length, width))
        self.blocks = nn.Sequential(*(_Block(width, heads) for _ in range(layers)))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, labels)

    def forward(self, text: torch.Tensor) -> torch.Tensor:
        """Return the labels' logits, of shape ``(texts, labels)``."""
        x = self.blocks(self.words(text) + self.places)
        logits: torch.Tensor = self.head(self.norm(x).mean(1))
        return logits
