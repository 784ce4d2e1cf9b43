"""Lanes of benchmarks are in the tests' process: only figures need one of their own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from benchmarks import implicit, maml_step, meta_step, multilevel, zero_order
from benchmarks._lane import Lane


def _here(python: str, threads: int = 1, **_: Any) -> Lane:
    return Lane(threads)


@pytest.fixture(scope="session", autouse=True)
def lanes_are_here() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for benchmark in (implicit, maml_step, meta_step, multilevel, zero_order):
            patch.setattr(benchmark, "ProcessLane", _here)
        yield
