"""A user's own formula as an operator: numbers, derivatives, trees, refusals."""

from __future__ import annotations

import os
import warnings
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

import torchopt
from _trees import assert_trees_equal, generator, random_tensor
from _warm import Program
from torchopt import native
from torchopt.errors import FormulaError
from torchopt.ops import elementwise_update, kernel_of


def lion(p: Any, g: Any, m: Any, *, lr: Any, beta: Any, softness: Any) -> tuple[Any, Any]:
    """Return a smooth relative of Lion's step."""
    direction = torch.tanh((beta * m + (1 - beta) * g) / softness)
    return p - lr * direction, beta * m + (1 - beta) * g


SCALARS = {"lr": 0.3, "beta": 0.8, "softness": 0.9}
UPDATE = elementwise_update(lion)


def test_signs_and_bounds_at_nan_are_those_of_torch() -> None:
    def limited(x: Any, low: Any, high: Any) -> tuple[Any, Any, Any]:
        return torch.sign(x), torch.clamp(x, low, high), torch.clamp(x, max=float("nan"))

    nan = float("nan")
    x = torch.tensor([nan, 1.0, nan, -2.0, 0.5, -0.0, 5.0, nan], dtype=torch.float64)
    low = torch.tensor([0.0, nan, nan, -1.0, -1.0, -1.0, 1.0, -1.0], dtype=torch.float64)
    high = torch.tensor([1.0, 2.0, nan, nan, nan, 1.0, 2.0, 1.0], dtype=torch.float64)
    weights = torch.arange(1.0, 9.0, dtype=torch.float64)

    leaves = [t.clone().requires_grad_() for t in (x, low, high)]
    out = elementwise_update(limited)(*leaves)
    for mine, theirs in zip(out, limited(x, low, high), strict=True):
        torch.testing.assert_close(mine.detach(), theirs, rtol=0, atol=0, equal_nan=True)
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


def test_trees_of_several_dtypes_keep_structure_and_dtypes() -> None:
    gen = generator(2)
    trees = [
        {"a": (random_tensor(gen, (3,)), random_tensor(gen, (2, 0), torch.float32)),
         "b": [random_tensor(gen, (), torch.float32), random_tensor(gen, (4,), torch.bfloat16)]}
        for _ in range(3)
    ]  # fmt: skip
    new, moment = UPDATE(*trees, **SCALARS)
    for place in (
        lambda t: t["a"][0],
        lambda t: t["a"][1],
        lambda t: t["b"][0],
        lambda t: t["b"][1],
    ):
        expected = lion(*map(place, trees), **SCALARS)
        unit = 8 * torch.finfo(place(new).dtype).eps
        assert_trees_equal((place(new), place(moment)), expected, rtol=unit, atol=unit)
        assert place(new).dtype == place(trees[0]).dtype


@pytest.mark.compiled
def test_the_operator_is_compiled_into_one_graph() -> None:
    gen = generator(1)
    inputs = [random_tensor(gen, shape).requires_grad_() for shape in 3 * [(3, 2)] + 3 * [()]]

    def call(function: Any, *x: torch.Tensor) -> Any:
        return function(*x[:3], **dict(zip(SCALARS, x[3:], strict=True)))

    torch._dynamo.reset()
    try:
        compiled = torch.compile(partial(call, UPDATE), fullgraph=True, backend="aot_eager")
        results = [run(*inputs) for run in (partial(call, UPDATE), compiled, partial(call, lion))]
    finally:
        torch._dynamo.reset()
    slopes = [torch.autograd.grad(sum((y * y).sum() for y in ys), inputs) for ys in results]
    for found, first in zip(results[:2], slopes[:2], strict=True):
        torch.testing.assert_close(found, results[2], rtol=1e-12, atol=1e-13)
        torch.testing.assert_close(first, slopes[2], rtol=1e-12, atol=1e-13)


def test_fake_tensors_run_in_operations() -> None:
    with FakeTensorMode():
        x = torch.ones(3, dtype=torch.float64)
        new, _ = UPDATE(x, x, x, **SCALARS)
        assert new.shape == (3,)


def test_a_formula_of_one_result_gives_one_tree() -> None:
    double = elementwise_update(lambda p: 2 * p)
    assert torch.equal(double(torch.tensor([1.5])), torch.tensor([3.0]))
    assert_trees_equal(double({"a": torch.ones(2)}), {"a": 2 * torch.ones(2)})


def test_conditions_as_scalars_select() -> None:
    choose = elementwise_update(lambda p, *, flag: torch.where(flag, p, -p))
    x = torch.tensor([1.0, -2.0], requires_grad=True)
    for flag in (True, torch.tensor(True), 1.0):
        assert torch.equal(choose(x, flag=flag), x)
    assert torch.equal(torch.autograd.grad(choose(x, flag=False).sum(), x)[0], -torch.ones(2))


X = torch.ones(3)
ONE = {"lr": 0.1, "beta": 0.2, "softness": 0.3}
REFUSED: list[tuple[Any, Any, type[Exception], str]] = [
    ((X, X), ONE, TypeError, r"takes tensors \(p, g, m\)"),
    ((X, X, X), {"lr": 0.1}, TypeError, r"scalars \(lr, beta, softness\)"),
    ((X, X, X), {**ONE, "rho": 1.0}, TypeError, "rho"),
    ((X, X, torch.ones(2)), ONE, ValueError, r"`m`.*\(2,\).*\(3,\)"),
    (({"a": X}, {"b": X}, {"a": X}), ONE, ValueError, r"g\['a'\]"),
    (({"a": X}, {"a": X.double()}, {"a": X}), ONE, ValueError, r"`g\['a'\]` is torch.float64"),
    (({"a": X}, {"a": None}, {"a": X}), ONE, TypeError, r"`g\['a'\]`"),
    (({"a": X}, {"a": X.long()}, {"a": X}), ONE, TypeError, r"`g\['a'\]`"),
    ((X.to(torch.complex64),) * 3, ONE, TypeError, "`p`"),
    (({}, {}, {}), ONE, ValueError, "p"),
    ((X, X, X), {**ONE, "beta": torch.ones(2)}, ValueError, r"`beta` has shape \(2,\)"),
    ((X, X, X), {**ONE, "beta": None}, TypeError, "beta"),
    ((X, X, X), {**ONE, "beta": "half"}, TypeError, "beta"),
]


@pytest.mark.parametrize(("trees", "scalars", "error", "message"), REFUSED)
def test_wrong_arguments_are_refused_in_one_sentence(
    trees: Any, scalars: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message) as caught:
        UPDATE(*trees, **scalars)
    assert "\n" not in str(caught.value)


def test_formulas_that_cannot_be_recorded_are_refused_when_the_operator_is_made() -> None:
    with pytest.raises(FormulaError, match=r"torch\.erf"):
        elementwise_update(lambda p: torch.erf(p))
    with pytest.raises(FormulaError, match=r"torch\.where"):
        elementwise_update(lambda p: p if p > 0 else 0 * p)


WITHOUT_COMPILER = """
import torch
from torchopt.ops import elementwise_update
update = elementwise_update(lambda p, *, a: a * torch.tanh(p) * 1.2345)
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = update(x, a=3.0)
torch.testing.assert_close(y, 3.7035 * torch.tanh(x))
y.sum().backward()
"""


@pytest.mark.processes
def test_without_a_compiler_the_operator_runs_in_operations(tmp_path: Path) -> None:
    # The library's own binaries are there; nothing new can be made.
    assert torchopt.accelerated_op_available("cpu")
    environment = {**os.environ, "CXX": str(tmp_path / "no-compiler")}
    status, _, err = Program(["-c", WITHOUT_COMPILER], environment).end()
    assert status == 0, err


def test_a_compiler_that_fails_is_told_once_and_operations_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(header: str) -> dict[str, int]:
        raise torchopt.errors.CompileError("no compiler here")

    monkeypatch.setattr(native, "compile_kernels", refuse)
    update = elementwise_update(lambda x, *, a: a * x * x - 0.123456)
    x = torch.tensor([1.0, -2.0])
    with pytest.warns(UserWarning, match="no compiler here"):
        found = update(x, a=2.0)
    torch.testing.assert_close(found, 2 * x * x - 0.123456)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        update(x, a=3.0)
