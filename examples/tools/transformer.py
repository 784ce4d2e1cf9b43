"""Small transformers: causal ones, of which one sees a window, and one that classifies texts."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import pad, scaled_dot_product_attention

__all__ = ["GPT", "MLP", "Classifier", "WindowAttention", "make_backbone"]


class WindowAttention(nn.Module):
    """Causal attention to the last few places of a text, by their distance, with a skip connection.

    Args:
        width: Of the features.
        heads: The number of heads; ``width`` is a multiple of it.
        window: How many places each one sees, itself included; the text's length is a multiple of it.
    """

    def __init__(self, width: int, heads: int, window: int) -> None:
        super().__init__()
        self.heads, self.window = heads, window
        self.norm = nn.LayerNorm(width)
        self.read, self.write = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.distances = nn.Parameter(torch.zeros(heads, window))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return features like ``x``, of shape ``(length, width)``."""
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


class MLP(nn.Module):
    """Two linear layers, with a skip connection.

    Args:
        width: Of the features.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width, elementwise_affine=False)
        self.think = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return features like ``x``."""
        return x + self.think(self.norm(x))


def make_backbone(
    vocabulary: int, width: int, *, heads: int, window: int, layers: int
) -> nn.Sequential:
    """Return an embedding and layers of attention and an MLP, the last one without its MLP.

    Args:
        vocabulary: The number of different characters or words.
        width: Of the features.
        heads: Of the attention.
        window: How many places attention sees.
        layers: The number of attentions.
    """
    parts: list[nn.Module] = [nn.Embedding(vocabulary, width)]
    for _ in range(layers - 1):
        parts += [WindowAttention(width, heads, window), MLP(width)]
    return nn.Sequential(*parts, WindowAttention(width, heads, window))


class _Encoder(nn.Module):
    def __init__(self, width: int, heads: int, *, causal: bool = False) -> None:
        super().__init__()
        self.heads, self.causal = heads, causal
        self.norm, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.read, self.write = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.think = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        q, k, v = self.read(self.norm(x)).unflatten(-1, (3, self.heads, -1)).unbind(-3)
        q, k, v = (t.transpose(1, 2) for t in (q, k, v))
        seen = scaled_dot_product_attention(q, k, v, is_causal=self.causal)
        x = x + self.write(seen.transpose(1, 2).flatten(-2))
        x = x + self.think(self.norm2(x))
        return x


class Classifier(nn.Module):
    """A transformer that reads a text and answers with a label.

    Args:
        vocabulary: The number of words.
        labels: The number of answers.
        length: Words in a text.
        width: Of the words' vectors.
        layers: The number of blocks.
        heads: Of the attention.
    """

    def __init__(
        self, vocabulary: int, labels: int, length: int, width: int, layers: int, heads: int
    ) -> None:
        super().__init__()
        self.words = nn.Embedding(vocabulary, width)
        self.places = nn.Parameter(0.1 * torch.randn(length, width))
        self.blocks = nn.Sequential(*(_Encoder(width, heads) for _ in range(layers)))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, labels)

    def forward(self, text: torch.Tensor) -> torch.Tensor:
        """Return the labels' logits, of shape ``(texts, labels)``."""
        x = self.blocks(self.words(text) + self.places)
        logits: torch.Tensor = self.head(self.norm(x).mean(1))
        return logits


class GPT(nn.Module):
    """A transformer that predicts each next word of a text; it can be differentiated twice.

    Args:
        vocabulary: The number of words.
        length: Words in a text, at most.
        width: Of the words' vectors.
        layers: The number of blocks.
        heads: Of the attention.
    """

    def __init__(self, vocabulary: int, length: int, width: int, layers: int, heads: int) -> None:
        super().__init__()
        self.words = nn.Embedding(vocabulary, width)
        self.places = nn.Parameter(0.1 * torch.randn(length, width))
        self.blocks = nn.Sequential(*(_Encoder(width, heads, causal=True) for _ in range(layers)))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary)

    def forward(self, text: torch.Tensor) -> torch.Tensor:
        """Return the next words' logits, of shape ``(texts, length, vocabulary)``."""
        x = self.words(text) + self.places[: text.shape[1]]
        with sdpa_kernel(SDPBackend.MATH):  # the kernels for CPUs have no second derivative
            logits: torch.Tensor = self.head(self.norm(self.blocks(x)))
        return logits
