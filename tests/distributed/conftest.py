"""Executors that many tests share, since a process takes seconds to start."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from _warm import CONTEXT
from torchopt.distributed import LocalExecutor, ProcessExecutor, _process


@pytest.fixture(scope="session", autouse=True)
def warm_workers() -> Iterator[None]:
    """Workers have imported PyTorch before; those of programs and of workers are spawned."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_process, "_CONTEXT", CONTEXT)
        yield


@pytest.fixture(scope="session")
def process_executor(warm_workers: None):
    with ProcessExecutor(2) as executor:
        yield executor


@pytest.fixture(
    scope="session", params=["local", pytest.param("process", marks=pytest.mark.processes)]
)
def executor(request):
    if request.param == "local":
        return LocalExecutor(2)
    return request.getfixturevalue("process_executor")
