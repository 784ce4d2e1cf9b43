"""Kernels that are compiled for formulas which the package has none of: numbers and derivatives."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

import pytest
import torch

import torchopt
from _trees import assert_trees_equal, generator, random_tensor
from _warm import Program
from torchopt import native, transform
from torchopt.errors import FormulaError
from torchopt.ops import call_columns, kernel_of, trace


def lion(p: Any, g: Any, m: Any, *, lr: Any, beta: Any, softness: Any) -> tuple[Any, Any]:
    """Return a smooth relative of Lion's step."""
    direction = torch.tanh((beta * m + (1 - beta) * g) / softness)
    return p - lr * direction, beta * m + (1 - beta) * g


SCALARS = {"lr": 0.3, "beta": 0.8, "softness": 0.9}


def kernel(formula: Any) -> Any:
    """Return a formula as a function of tensors of one leaf, by a kernel that is compiled for it."""
    graph = trace(formula)

    def run(*tensors: torch.Tensor, **scalars: Any) -> list[torch.Tensor]:
        columns, values = [[t] for t in tensors], [scalars[name] for name in graph.scalars]
        done = call_columns(graph, columns, len(graph.outputs), values, compile=True)
        assert done is not None
        return [x for (x,) in done]

    run.graph = graph  # type: ignore[attr-defined]
    return run


UPDATE = kernel(lion)


def test_signs_bounds_and_choices_at_nan_are_those_of_torch() -> None:
    def limited(x: Any, low: Any, high: Any, *, flag: Any) -> tuple[Any, ...]:
        bounded = torch.clamp(x, low, high), torch.clamp(x, max=float("nan"))
        return torch.sign(x), *bounded, torch.where(flag, x, -x)

    nan = float("nan")
    x = torch.tensor([nan, 1.0, nan, -2.0, 0.5, -0.0, 5.0, nan], dtype=torch.float64)
    low = torch.tensor([0.0, nan, nan, -1.0, -1.0, -1.0, 1.0, -1.0], dtype=torch.float64)
    high = torch.tensor([1.0, 2.0, nan, nan, nan, 1.0, 2.0, 1.0], dtype=torch.float64)
    weights = torch.arange(1.0, 9.0, dtype=torch.float64)

    leaves = [t.clone().requires_grad_() for t in (x, low, high)]
    run = kernel(limited)
    for flag in (1.0, torch.tensor(True), False):
        out = run(*leaves, flag=flag)
        expected = limited(x, low, high, flag=torch.tensor(bool(flag)))
        for mine, theirs in zip(out, expected, strict=True):
            torch.testing.assert_close(mine.detach(), theirs, rtol=0, atol=0, equal_nan=True)
    (slope,) = torch.autograd.grad(out[3], leaves[0], weights, retain_graph=True)
    assert torch.equal(slope, -weights)
    # Backward from the cotangents: a weighted sum would be NaN, and so would what it sends. Of
    # PyTorch's releases, 2.13 has these derivatives at NaN.
    gradients = torch.autograd.grad(out[1], leaves, weights)
    expected = torch.zeros(3, 8, dtype=torch.float64)
    expected[0, 5] = 6.0  # the only value within its bounds
    expected[2, 6] = 7.0  # the only one above
    torch.testing.assert_close(torch.stack(gradients), expected, rtol=0, atol=0)


def test_kernels_are_compiled_at_the_first_call() -> None:
    x = torch.ones(3)
    UPDATE(x, x, x, **SCALARS)
    assert kernel_of(UPDATE.graph, x) is not None
    assert kernel_of(UPDATE.graph.vjps.vjps, x) is not None


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=str)
def test_numbers_are_those_of_the_formula(dtype: torch.dtype) -> None:
    gen = generator(2)
    x = [random_tensor(gen, (7, 5), dtype) for _ in range(3)]
    found, expected = UPDATE(*x, **SCALARS), [*lion(*x, **SCALARS)]
    rtol = {torch.float64: 1e-13, torch.float32: 3e-6}[dtype]
    assert_trees_equal(found, expected, rtol=rtol, atol=rtol)


def test_four_derivatives_equal_those_of_the_formula() -> None:
    gen = generator(1)
    tensors = [random_tensor(gen, (2,)) for _ in range(3)]
    knobs = [torch.tensor(v, dtype=torch.float64) for v in SCALARS.values()]
    inputs = [x.requires_grad_() for x in (*tensors, *knobs)]
    found = []
    for function in (UPDATE, lion):
        out = function(*inputs[:3], **dict(zip(SCALARS, inputs[3:], strict=True)))
        value: Any = sum((y * torch.cos(y)).sum() for y in out)
        for _ in range(4):
            slopes = torch.autograd.grad(value, inputs, create_graph=True, materialize_grads=True)
            value = sum((d * torch.cos(d.detach() + k)).sum() for k, d in enumerate(slopes))
        found.append(slopes)
    for a, b in zip(*found, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-8, atol=1e-8)


def test_formulas_that_cannot_be_recorded_are_refused() -> None:
    with pytest.raises(FormulaError, match=r"torch\.erf"):
        trace(lambda p: torch.erf(p))
    with pytest.raises(FormulaError, match=r"torch\.where"):
        trace(lambda p: p if p > 0 else 0 * p)


WITHOUT_COMPILER = """
import torch
from torchopt.transform import elementwise
tx = elementwise(lambda g, *, a: (a * torch.tanh(g) * 1.2345,), hyper={"a": 3.0}, fused=True)
x = torch.tensor([1.0, 2.0], requires_grad=True)
y, _ = tx.update(x, tx.init(x), inplace=False)
torch.testing.assert_close(y, 3.7035 * torch.tanh(x))
y.sum().backward()
"""


@pytest.mark.processes
def test_without_a_compiler_formulas_run_in_operations(tmp_path: Path) -> None:
    # The library's own binaries are there; nothing new can be made.
    assert torchopt.experimental.status().live
    environment = {**os.environ, "CXX": str(tmp_path / "no-compiler")}
    status, _, err = Program(["-c", WITHOUT_COMPILER], environment).end()
    assert status == 0, err


def test_a_compiler_that_fails_is_told_once_and_operations_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(header: str) -> dict[str, int]:
        raise torchopt.errors.CompileError("no compiler here")

    monkeypatch.setattr(native, "compile_kernels", refuse)
    tx = transform.elementwise(lambda g: (2 * g * g - 0.123456,), fused=True)
    x = torch.tensor([1.0, -2.0])
    with pytest.warns(UserWarning, match="no compiler here"):
        found, _ = tx.update(x, tx.init(x), inplace=False)
    torch.testing.assert_close(found, 2 * x * x - 0.123456)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tx.update(x, tx.init(x), inplace=False)
