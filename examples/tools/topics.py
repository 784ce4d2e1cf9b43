"""A made-up language: texts about topics, and an opinion about each topic."""

from __future__ import annotations

import torch

__all__ = ["OPINIONS", "TOPICS", "VOCABULARY", "opinions", "texts"]

TOPICS, _WORDS, _COMMON = 8, 8, 40
VOCABULARY = TOPICS * _WORDS + _COMMON
OPINIONS = 2

_GOOD = (1, 2, 4, 7)  # neither half of the topics, nor every other


def texts(count: int, length: int, generator: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """Draw texts: half of the words, on average, are of the topic, the others common ones.

    Returns:
        The words, of shape ``(count, length)``, and the topics.
    """
    topics = torch.randint(TOPICS, (count,), generator=generator)
    own = torch.randint(_WORDS, (count, length), generator=generator) + topics[:, None] * _WORDS
    common = torch.randint(_COMMON, (count, length), generator=generator) + TOPICS * _WORDS
    told = torch.rand(count, length, generator=generator) < 0.5
    return torch.where(told, own, common), topics


def opinions(topics: torch.Tensor) -> torch.Tensor:
    """Return 1 for a good opinion about the topic, else 0."""
    return torch.isin(topics, torch.tensor(_GOOD)).long()
