"""Documents, each written with a few words of its own.

The words are those of Python's language reference, which comes with every Python as
``pydoc_data.topics``. The words of held-out documents are never seen in training.
"""

from __future__ import annotations

import math
import re
from pydoc_data.topics import topics
from typing import NamedTuple

import torch

__all__ = ["ALPHABET", "Words", "entropy", "split_words", "write"]

ALPHABET = " abcdefghijklmnopqrstuvwxyz"


class Words(NamedTuple):
    """Disjoint sets of words."""

    train: list[str]
    validation: list[str]
    test: list[str]


def split_words(seed: int) -> Words:
    """Return all words of three to eight letters, a fifth of them for each of the held-out sets."""
    vocabulary = sorted(set(re.findall(r"\b[a-z]{3,8}\b", " ".join(topics.values()))))
    order = torch.randperm(len(vocabulary), generator=torch.Generator().manual_seed(seed)).tolist()
    words = [vocabulary[i] for i in order]
    held_out = len(words) // 5
    return Words(words[2 * held_out :], words[:held_out], words[held_out : 2 * held_out])


def write(
    words: list[str], count: int, length: int, *, of: int, generator: torch.Generator
) -> torch.Tensor:
    """Return documents, each a random sequence of words from a dictionary of its own.

    Args:
        words: What dictionaries are drawn from.
        count: The number of documents.
        length: The number of characters in each.
        of: The number of words in a dictionary.
        generator: The source of randomness.

    Returns:
        Places in :data:`ALPHABET`, of shape ``(count, length)``.
    """
    documents = []
    for _ in range(count):
        dictionary = torch.randperm(len(words), generator=generator)[:of].tolist()
        order = torch.randint(of, (length,), generator=generator).tolist()
        text = " ".join(words[dictionary[i]] for i in order)[:length]
        documents.append([ALPHABET.index(character) for character in text])
    return torch.tensor(documents)


def entropy(words: list[str], *, of: int) -> float:
    """Return the bits per character of a reader that knows the dictionary: the least possible."""
    return math.log2(of) / (1 + sum(map(len, words)) / len(words))
