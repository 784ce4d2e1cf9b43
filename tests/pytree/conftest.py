"""Every test that asks for `engine` runs on both engines."""

import pytest
from _engines import selected

from torchopt.pytree import _engine


@pytest.fixture(params=["native", "python"])
def engine(request):
    """Choose an engine for the time of a test."""
    with selected(request.param) as name:
        yield name


@pytest.fixture
def native():
    """Choose the native engine, and return its module."""
    with selected("native"):
        yield _engine._load()
