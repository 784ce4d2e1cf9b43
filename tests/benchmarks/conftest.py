"""Lanes of benchmarks are in the tests' process: only figures need one of their own."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from benchmarks import (
    _lane,
    _selection,
    implicit,
    maml_step,
    meta_step,
    multilevel,
    optimizer,
    zero_order,
)
from benchmarks._lane import Lane


def _here(python: str, threads: int = 1, **_: Any) -> Lane:
    return Lane(threads)


@pytest.fixture(scope="session", autouse=True)
def lanes_are_here() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for benchmark in (
            _selection,
            implicit,
            maml_step,
            meta_step,
            multilevel,
            optimizer,
            zero_order,
        ):
            patch.setattr(benchmark, "ProcessLane", _here)
        # Before each timing a lane collects garbage, here all that the suite has imported.
        patch.setattr(_lane, "gc", SimpleNamespace(collect=lambda: None))
        yield
