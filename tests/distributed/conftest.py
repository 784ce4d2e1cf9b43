"""Engines that many tests share, since a process takes seconds to start."""

from __future__ import annotations

import pytest

from torchopt.distributed import LocalEngine, ProcessEngine


@pytest.fixture(scope="session")
def process_engine():
    with ProcessEngine(2) as engine:
        yield engine


@pytest.fixture(
    scope="session", params=["local", pytest.param("process", marks=pytest.mark.processes)]
)
def engine(request):
    if request.param == "local":
        return LocalEngine(2)
    return request.getfixturevalue("process_engine")
