"""Benchmarks run in the tests' process, and compiled code is only traced: figures are not looked at."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from _traced import TRACED
from benchmarks import (
    _lane,
    _selection,
    implicit,
    maml_step,
    meta_step,
    multilevel,
    optimizer,
    scale,
    zero_order,
)
from benchmarks._lane import Lane
from torchopt.autodiff import compiler


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
            scale,
            zero_order,
        ):
            patch.setattr(benchmark, "ProcessLane", _here)
        # Before each timing a lane collects garbage, here all that the suite has imported.
        patch.setattr(_lane, "gc", SimpleNamespace(collect=lambda: None))
        yield


@pytest.fixture(scope="module", autouse=True)
def code_is_traced() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiler, "current", TRACED)
        yield
