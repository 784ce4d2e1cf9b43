"""The engines of trees, chosen for the time of a block."""

import contextlib

import pytest

from torchopt.pytree import _engine


def available():
    """Return the names of the engines that there are; the native one is also the default."""
    return ("python", "native") if _engine.backend() == "native" else ("python",)


@contextlib.contextmanager
def selected(name):
    if name not in available():
        pytest.skip("the native engine can be neither found nor built here")
    before = _engine.backend()
    _engine.select(name)
    try:
        yield name
    finally:
        _engine.select(before)
