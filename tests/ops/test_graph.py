"""A recorded formula is the formula, and its derivatives are those of autograd."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from _kernel_cases import Plain, run_call, truth
from _random_formulas import BINARY, SCALARS, TENSORS, UNARY, draw, formula, names, seeded
from hypothesis import given
from hypothesis import strategies as st

from _trees import generator, random_tensor
from torchopt import native
from torchopt.errors import FormulaError
from torchopt.formula import functor, header
from torchopt.ops import (
    Graph,
    derivatives,
    evaluate,
    kernel_name,
    kernel_of,
    record,
    safe_sqrt,
    trace,
)
from torchopt.ops._backend import _COMPILED

SIZE = 21
SEEDS = (29, 166, 229, 234, 267)  # of formulas with every operation


def plain(function: Any) -> Plain:
    def run(tensors: Any, scalars: Any) -> Any:
        return list(function(*tensors, **dict(zip(SCALARS, scalars, strict=True)))), []

    return Plain(len(TENSORS), len(SCALARS), run)


def arguments(graph: Graph, dtype: torch.dtype = torch.float64) -> tuple[list[Any], list[Any]]:
    gen = generator(len(graph.tensors))
    tensors = [random_tensor(gen, (SIZE,), dtype) for _ in graph.tensors]
    return tensors, [random_tensor(gen, ()) for _ in graph.scalars]


def derived(graph: Graph, function: Any) -> list[tuple[Graph, Plain]]:
    """Return each derivative as a graph, and by autograd."""
    first = plain(function)
    found = [(graph, first), (graph.jvp, first.jvp())]
    for of_scalars in (False, True):
        once = graph.vjps if of_scalars else graph.vjp
        by_autograd = first.vjp(of_scalars=of_scalars)
        by_autograd = Plain(len(once.tensors), len(once.scalars), by_autograd.function)
        twice = once.vjps if of_scalars else once.vjp
        found += [(once, by_autograd), (twice, by_autograd.vjp(of_scalars=of_scalars))]
    return found


def assert_same(found: Any, expected: Any, tolerance: float) -> None:
    for y, x in zip([*found[0], *found[1]], [*expected[0], *expected[1]], strict=True):
        scale = 1 + float(x.abs().max())
        torch.testing.assert_close(y.double(), x, rtol=tolerance, atol=tolerance * scale)


@given(st.data())
def test_graphs_of_random_formulas_equal_autograd(data: Any) -> None:
    def choose(options: Any) -> Any:
        return data.draw(st.sampled_from(options))

    function = formula([draw(choose, 3), draw(choose, 2)])
    for graph, by_autograd in derived(trace(function), function):
        tensors, scalars = arguments(graph)
        expected = truth(by_autograd, tensors, scalars)
        assert_same(evaluate(graph, tensors, scalars), expected, 1e-9)


def test_every_operation_is_in_a_formula_that_is_compiled() -> None:
    assert {n for seed in SEEDS for node in seeded(seed) for n in names(node)} == {*UNARY, *BINARY}


@pytest.fixture(scope="session")
def formulas() -> list[tuple[Any, Graph]]:
    """Random formulas whose kernels have been compiled, together and soon."""
    found = [(function := formula(seeded(seed)), trace(function)) for seed in SEEDS]
    text = header(root for _, root in found)
    assert native.is_live()  # as it is, with its own flags
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TORCHOPT_CXXFLAGS", "-O1")
        _COMPILED.update(native.compile_kernels(text))
    return found


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=str)
def test_compiled_kernels_of_random_formulas_equal_autograd(
    formulas: list[tuple[Any, Graph]], dtype: torch.dtype
) -> None:
    for function, root in formulas:
        for graph, by_autograd in derived(root, function):
            tensors, scalars = arguments(graph, dtype)
            assert kernel_of(graph, tensors[0]) is not None
            found = run_call(graph, [[t] for t in tensors], [float(h) for h in scalars])
            count = len(graph.outputs)
            expected = truth(by_autograd, tensors, scalars)
            tolerance = 1e-9 if dtype == torch.float64 else 2e-4
            assert_same((found[:count], found[count:]), expected, tolerance)


def test_third_derivatives_of_random_formulas_equal_autograd() -> None:
    for seed in SEEDS:
        function = formula(seeded(seed, depth=2))
        once, by_autograd = derived(trace(function), function)[2]
        by_autograd = Plain(len(once.tensors), len(once.scalars), by_autograd.function)
        twice = by_autograd.vjp(of_scalars=False)
        twice = Plain(len(once.vjp.tensors), len(once.vjp.scalars), twice.function)
        graph = once.vjp.vjp
        tensors, scalars = arguments(graph)
        expected = truth(twice.vjp(of_scalars=False), tensors, scalars)
        assert_same(evaluate(graph, tensors, scalars), expected, 1e-8)


# --- text --------------------------------------------------------------------------------------------


def test_recording_twice_gives_the_same_text_and_name_whatever_came_before() -> None:
    roots = [trace(formula(seeded(seed))) for seed in SEEDS]
    texts = [[functor(g) for g in derivatives(root)] for root in roots]
    again = [trace(formula(seeded(seed))) for seed in reversed(SEEDS)][::-1]
    # Derivatives in another order, and of order three first.
    for root in again:
        _ = root.jvp, root.vjps.vjps.vjps, root.vjp.jvp
    assert [[functor(g) for g in derivatives(root)] for root in again] == texts
    assert [kernel_name(root) for root in again] == [kernel_name(root) for root in roots]
    assert len({name for root in roots for name in map(kernel_name, derivatives(root))}) == 6 * len(
        SEEDS
    )


def test_names_of_arguments_do_not_matter_to_kernels() -> None:
    a = trace(lambda p, g, *, lr: (p - lr * g,))
    b = trace(lambda d, c0, *, dp: (d - dp * c0,))
    assert [functor(g) for g in derivatives(a)] == [functor(g) for g in derivatives(b)]
    swapped = trace(lambda g, p, *, lr: (p - lr * g,))
    assert kernel_name(swapped) != kernel_name(a)


def test_different_constants_have_kernels_of_their_own() -> None:
    values = [0.5, -0.5, 1e-300, float("inf"), -float("inf"), float("nan")]
    names = {
        kernel_name(record(lambda p, value=value: (p * p + value,), ["p"], [])) for value in values
    }
    assert len(names) == len(values)


# --- what derivatives send where roots, powers and ties are ------------------------------------------


def two(function: Any, *tensors: torch.Tensor) -> list[list[torch.Tensor]]:
    """Return the gradients of a formula's sum, by its graph and by autograd."""
    graph = record(lambda *x: (function(*x),), [f"x{k}" for k in range(len(tensors))], [])
    ones = torch.ones_like(tensors[0])
    mine = evaluate(graph.vjp, [*tensors, ones], [])[0]
    leaves = [t.clone().requires_grad_() for t in tensors]
    return [mine, list(torch.autograd.grad(function(*leaves).sum(), leaves))]


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=str)
def test_derivative_of_the_logistic_function_has_torch_values_far_out(dtype: torch.dtype) -> None:
    x = torch.tensor([-800.0, -100.0, -60.0, -3.0, 0.0, 3.0, 60.0, 800.0], dtype=dtype)
    (mine,), (theirs,) = two(torch.sigmoid, x)
    torch.testing.assert_close(mine, theirs, rtol=1e-5, atol=1e-15)


def test_derivatives_of_powers_of_zero_are_those_of_torch() -> None:
    base = torch.tensor([0.0, 0.0, 0.0, 2.0, 3.0], dtype=torch.float64)
    exponent = torch.tensor([0.0, 1.0, 2.5, 0.0, -1.5], dtype=torch.float64)
    mine, theirs = two(lambda x, y: x**y, base, exponent)
    for a, b in zip(mine, theirs, strict=True):
        torch.testing.assert_close(a, b)


def test_derivatives_at_ties_and_bounds_are_those_of_torch() -> None:
    a = torch.tensor([1.0, 2.0, -0.5, 3.0, -3.0])
    b = torch.tensor([1.0, 1.0, 0.5, 3.0, -3.0])
    for function in (torch.maximum, torch.minimum):
        mine, theirs = two(function, a, b)
        for x, y in zip(mine, theirs, strict=True):
            torch.testing.assert_close(x, y)
    # At the bounds by PyTorch 2.13's rule, which later releases have changed.
    (mine,), _ = two(lambda x: torch.clamp(x, -3.0, 2.0) * x, a)
    torch.testing.assert_close(mine, torch.tensor([2.0, 4.0, -1.0, 2.0, -6.0]))
    zeros = torch.tensor([0.0, -0.0])
    for function in (torch.abs, torch.sign):
        (mine,), (theirs,) = two(lambda x, f=function: f(x) + x, zeros)
        torch.testing.assert_close(mine, theirs)


def test_nan_passes_through_derivatives_as_in_plain_operations() -> None:
    nan, inf = float("nan"), float("inf")
    a = torch.tensor([nan, 1.0, nan, inf, inf], dtype=torch.float64)
    b = torch.tensor([1.0, nan, nan, inf, 1.0], dtype=torch.float64)
    mine, theirs = two(lambda x, y: torch.maximum(x, y), a, b)
    for x, y in zip(mine, theirs, strict=True):
        torch.testing.assert_close(x, y, equal_nan=True)
    (mine,), (theirs,) = two(safe_sqrt, a)
    torch.testing.assert_close(mine, theirs, equal_nan=True)


def test_the_method_where_is_that_of_tensors() -> None:
    graph = trace(lambda x, y, *, first: (x.where(first, y), x.where(x > y, y)))
    x, y = torch.tensor([1.0, -2.0]), torch.tensor([0.5, 3.0])
    for first in (True, False):
        found, _ = evaluate(graph, [x, y], [float(first)])
        assert torch.equal(found[0], x.where(torch.tensor(first), y))
        assert torch.equal(found[1], x.where(x > y, y))


# --- refusals ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda p: p if p > 0 else -p, "torch.where"),
        (lambda p: p if p else -p, "torch.where"),
        (lambda p: torch.sin(p), "torch.sin"),
        (lambda p: p.mean(), "`.mean`"),
        (lambda p: p.data, "`.data`"),
        (lambda p: None, "NoneType"),
        (lambda p: p * torch.ones(()), "a formula"),
        (lambda p: p[0], "a formula"),
        (lambda p: p % 2, "a formula"),
        (lambda p: float(p), "a formula"),
        (lambda p: torch.where((p > 0) & (p < 1), p, 0.0), "a formula"),
        (lambda p: p + "a", "a formula"),
        (lambda *p: p[0], "`\\*p`"),
        (lambda p, **h: p, "`\\*\\*h`"),
        (lambda *, lr: lr, "positional"),
        (lambda p: (), "result"),
    ],
)
def test_what_cannot_be_recorded_is_refused_with_the_reason(function: Any, reason: str) -> None:
    with pytest.raises(FormulaError, match=reason):
        trace(function)


def test_values_of_two_recordings_are_refused() -> None:
    kept = []
    trace(lambda p: (kept.append(p) or p,))
    with pytest.raises(FormulaError, match="two different recordings"):
        trace(lambda p: (p + kept[0],))
