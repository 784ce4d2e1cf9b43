"""Tiny letters and settings, so that a whole run takes a second."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
import torch

from torchopt.examples.maml.config import Config, recipe
from torchopt.examples.maml.glyphs import Handwriting, find_letters, outline, write
from torchopt.examples.maml.letters import Letters, Split


@pytest.fixture(scope="session")
def splits() -> dict[str, Split]:
    """A few letters of three scripts, by six writers."""
    found = {}
    for split, script in (("train", "GREEK"), ("validation", "LAO"), ("test", "HEBREW")):
        outlines = [outline(c) for c in find_letters([script])[script][:8]]
        images = write(outlines, Handwriting(writers=6), torch.Generator().manual_seed(0))
        found[split] = Split(images, (script,) * len(images))
    return found


@pytest.fixture
def tiny() -> Config:
    """Settings of a run of a second, in double precision."""
    return replace(
        recipe("letters", "default", "maml"),
        ways=3,
        queries=2,
        test_queries=3,
        channels=4,
        inner_steps=2,
        meta_batch=3,
        iterations=4,
        log_every=1,
        validate_every=2,
        validation_tasks=4,
        test_tasks=4,
        scratch_steps=2,
        dtype="float64",
        threads=1,
    )


@pytest.fixture
def letters(splits: dict[str, Split]) -> Letters:
    """The problem of :func:`tiny`."""
    return Letters(
        splits, ways=3, shots=1, queries=2, test_queries=3, channels=4, dtype=torch.float64
    )


@pytest.fixture
def few_threads() -> Iterator[None]:
    """Put PyTorch's number of threads back, which a program sets."""
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)
