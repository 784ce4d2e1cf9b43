"""What a program leaves: a picture with something in it, or one sentence that says what is wrong."""

from __future__ import annotations

from pathlib import Path

from PIL import Image


def check_is_picture(path: Path) -> None:
    """Check that a file is a picture of some size, in more than a few greys."""
    with Image.open(path) as image:
        assert min(image.size) > 100
        assert len(image.convert("L").getcolors() or []) > 5


def check_is_one_sentence(err: str, message: str) -> None:
    """Check that what a program wrote to stderr is one error, with a message in it."""
    assert err.startswith("error: ")
    assert message in err
    assert err.count("\n") == 1
