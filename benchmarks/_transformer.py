"""A small causal transformer, of operations that can be differentiated any number of times."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy


class Block(nn.Module):
    """Attention, then two linear layers, each after a normalization and with a residual.

    Args:
        width: The number of channels.
        heads: How many heads share them.
    """

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        # No bias: that of the keys has gradient zero, and Adam would take the root of it.
        self.qkv, self.out = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Return the block's output; the mask is added to the scores."""
        x = x + self.attend(self.norm(x), mask)
        return x + self.down(nn.functional.gelu(self.up(self.norm2(x))))

    def attend(self, x: Tensor, mask: Tensor) -> Tensor:
        """Attend by hand: the fused kernels have no second derivative."""
        q, k, v = self.qkv(x).unflatten(-1, (3, self.heads, -1)).movedim(-2, -4).unbind(-2)
        scores = q @ k.mT / q.shape[-1] ** 0.5 + mask
        return self.out((scores.softmax(-1) @ v).movedim(-3, -2).flatten(-2))


class Transformer(nn.Module):
    """Scores of the next token at each position.

    Args:
        width: The number of channels.
        blocks: The number of blocks.
        heads: The number of heads.
        tokens: The size of the vocabulary.
        length: The longest sequence.
        call: Calls a block with its arguments; such as `torch.utils.checkpoint.checkpoint`.
    """

    def __init__(
        self,
        *,
        width: int,
        blocks: int,
        heads: int,
        tokens: int,
        length: int,
        call: Callable[..., Any] | None = None,
    ) -> None:
        super().__init__()
        self.call = call
        self.embed, self.position = nn.Embedding(tokens, width), nn.Embedding(length, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(blocks))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, tokens)
        self.mask: Tensor
        mask = torch.full((length, length), float("-inf")).triu(1)
        self.register_buffer("mask", mask, persistent=False)

    def forward(self, text: Tensor) -> Tensor:
        """Return the scores, with the vocabulary as the last axis."""
        length = text.shape[-1]
        x = self.embed(text) + self.position.weight[:length]
        mask = self.mask[:length, :length]
        for block in self.blocks:
            x = block(x, mask) if self.call is None else self.call(block, x, mask)
        return self.head(self.norm(x))


def token_loss(scores: Tensor, following: Tensor) -> Tensor:
    """Return the mean cross-entropy of the next tokens."""
    return cross_entropy(scores.flatten(0, -2), following.flatten())
