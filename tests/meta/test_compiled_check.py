"""The debugging option that compares compiled code with eager code."""

from __future__ import annotations

import sys
from typing import Any

import pytest
import torch
from torch import nn

from _traced import TRACED
from torchopt import meta_grad_and_value
from torchopt.autodiff import compiler
from torchopt.compiled.eager_check import EagerCheck

F64 = torch.float64
pytestmark = pytest.mark.compiled


@pytest.fixture(autouse=True)
def traced(monkeypatch: pytest.MonkeyPatch) -> None:
    torch._dynamo.reset()
    monkeypatch.setattr(compiler, "current", TRACED)
    monkeypatch.setenv("TORCHOPT_CHECK_COMPILED", "4")


def test_the_second_call_and_some_later_ones_are_compared() -> None:
    compiled = meta_grad_and_value(lambda x: x.sum() * sys.getrecursionlimit(), compile=True)
    x, calls, limit = torch.ones(3), [], sys.getrecursionlimit()
    # A state of the interpreter, which is not guarded: calls 2, 4 and 8 are compared.
    for k in range(1, 9):
        try:
            compiled(x)
        except RuntimeError as error:
            assert f"call {k} of" in str(error)  # noqa: PT017 - most calls do not raise
            calls.append(k)
        finally:
            sys.setrecursionlimit(limit + 500)
    sys.setrecursionlimit(limit)
    assert calls == [2, 4, 8]


def test_a_state_of_the_interpreter_that_changes_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = meta_grad_and_value(
        lambda x: (x.sum(), sys.getrecursionlimit()), has_aux=True, compile=True
    )
    x = torch.ones(3)
    compiled(x)
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(limit + 7)
    try:
        with pytest.raises(RuntimeError, match=f"{limit} instead of {limit + 7}"):
            compiled(x)
    finally:
        sys.setrecursionlimit(limit)


def test_a_comparison_changes_neither_buffers_nor_random_numbers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    runs = []
    for every in ("", "1"):
        monkeypatch.setenv("TORCHOPT_CHECK_COMPILED", every)
        torch.manual_seed(0)
        net = nn.Sequential(nn.BatchNorm1d(3, dtype=F64), nn.Dropout(0.5))
        compiled = meta_grad_and_value(lambda x, net=net: net(x).square().sum(), compile=True)
        x = torch.linspace(0, 1, 12, dtype=F64).view(4, 3)
        runs.append(([float(compiled(x)[1]) for _ in range(4)], net[0].running_mean.tolist()))
    assert runs[0] == runs[1]


@pytest.mark.parametrize(
    ("expected", "found", "what"),
    [
        (torch.ones(2), torch.ones(2, dtype=F64), "torch.float64 and shape"),
        (torch.ones(2), torch.ones(3), "shape \\(3,\\) instead of"),
        (1.0, torch.ones(()), "instead of an object of type float"),
        (1, 1.0, "type float instead of an object of type int"),
        (2, 3, "3 instead of 2"),
        (1.0, 1.5, "off by about"),
        ((1.0,), [1.0], "the tree"),
        (torch.ones(2), torch.full((2,), float("nan")), "off by about inf"),
    ],
)
def test_types_dtypes_shapes_and_values_are_compared(expected: Any, found: Any, what: str) -> None:
    with pytest.raises(RuntimeError, match=what):
        EagerCheck().compare(expected, found, "f")


def test_rounding_is_no_difference() -> None:
    expected = {"a": torch.tensor([1.0, 0.0]), "b": 1e-9, "c": None, "d": "text"}
    found = {"a": torch.tensor([1.0 + 2e-7, 1e-8]), "b": 1e-9 * (1 + 1e-12), "c": None, "d": "text"}
    EagerCheck().compare(expected, found, "f")
