"""A corpus of several sources: lines of sentences by small grammars, and lines of noise.

A sentence is a subject, a verb, an object and a full stop. Each source has its own subjects, and a
grammar: which verbs follow a subject, and which objects a verb. Two sources at a time share verbs,
objects and what follows a verb, so a line of one teaches half of what there is to know about the other.
"""

from __future__ import annotations

from typing import NamedTuple

import torch

__all__ = ["SOURCES", "VOCABULARY", "Corpus", "write_corpus"]

SOURCES, _WORDS = 6, 4
VOCABULARY = 1 + 2 * SOURCES * _WORDS
"""A full stop, subjects of each source, and verbs and objects of each pair of sources."""


class Corpus(NamedTuple):
    """Lines, as words' numbers, of shape ``(lines, words)``, and their sources; the last is noise."""

    text: torch.Tensor
    source: torch.Tensor


def write_corpus(
    lines: int, length: int, noise: float, grammar: int, generator: torch.Generator
) -> Corpus:
    """Return lines of the sources in turn.

    Args:
        lines: How many.
        length: Words in a line; four make a sentence.
        noise: The fraction of lines, the last ones, whose words are all random.
        grammar: The seed of what follows what.
        generator: Of the lines.
    """
    rules = torch.Generator().manual_seed(grammar)
    # Two of four verbs follow a subject, and two of four objects a verb.
    verbs = torch.rand(SOURCES * _WORDS, _WORDS, generator=rules).argsort(1)[:, :2]
    objects = torch.rand(SOURCES // 2 * _WORDS, _WORDS, generator=rules).argsort(1)[:, :2]
    source, sentences = torch.arange(lines) % SOURCES, -(-length // 4)
    subject, coin, coin2 = torch.randint(4, (3, lines, sentences), generator=generator)
    pair, subject = source[:, None] // 2 * _WORDS, source[:, None] * _WORDS + subject
    verb = pair + verbs[subject, coin % 2]
    thing = pair + objects[verb, coin2 % 2]
    first_verb = SOURCES * _WORDS
    first_object = first_verb + SOURCES // 2 * _WORDS
    words = (subject + 1, verb + first_verb + 1, thing + first_object + 1, torch.zeros_like(verb))
    text = torch.stack(words, -1).flatten(1)[:, :length]
    noisy = torch.arange(lines) >= lines - round(noise * lines)
    random = torch.randint(VOCABULARY, text.shape, generator=generator)
    return Corpus(torch.where(noisy[:, None], random, text), source.masked_fill(noisy, SOURCES))
