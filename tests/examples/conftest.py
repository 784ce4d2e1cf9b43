"""Tiny letters, so that a whole run takes a second."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from examples.tools import letters
from examples.tools.glyphs import Handwriting, find_letters, outline, write
from examples.tools.report import Report


@pytest.fixture(scope="session")
def images() -> dict[str, torch.Tensor]:
    """Eight letters of three scripts, by six writers."""
    found = {}
    for split, script in (("train", "GREEK"), ("validation", "LAO"), ("test", "HEBREW")):
        outlines = [outline(c) for c in find_letters([script])[script][:8]]
        found[split] = write(outlines, Handwriting(writers=6), torch.Generator().manual_seed(0))
    return found


@pytest.fixture
def no_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw nothing, in tests that look at no picture."""
    monkeypatch.setattr(letters, "draw", lambda *_: None)
    monkeypatch.setattr(Report, "picture", lambda *_: None)


@pytest.fixture
def few_threads() -> Iterator[None]:
    """Put PyTorch's number of threads back, which a program sets."""
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)
