"""Every test that asks for `engine` runs on both engines."""

import contextlib

import pytest

from torchopt.pytree import _engine


@contextlib.contextmanager
def _selected(name):
    before = _engine.engine()
    if name == "native" and before != "native":
        pytest.skip("the native engine can be neither found nor built here")
    _engine.select(name)
    yield name
    _engine.select(before)


@pytest.fixture(params=["native", "python"])
def engine(request):
    """Choose an engine for the time of a test."""
    with _selected(request.param) as name:
        yield name


@pytest.fixture
def native():
    """Choose the native engine, and return its module."""
    with _selected("native"):
        yield _engine._load()
