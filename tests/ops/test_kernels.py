"""Every shipped kernel, and its emulated GPU twin, computes its formula and derivatives."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import torch
from _kernel_cases import (
    KINDS,
    OPTIMIZERS,
    SIZES,
    KernelCase,
    Tensors,
    counted_cases,
    draw,
    emulated_cases,
    kernel_cases,
    run_call,
)

from _cases import diagonal
from _emulation import Emulator
from _trees import assert_trees_close, generator, random_like, random_params
from torchopt import diff, minimize, native, transform
from torchopt.formula import optimizers
from torchopt.native import cuda
from torchopt.ops import (
    INTO_LIST,
    LIST,
    Graph,
    call,
    derivatives,
    evaluate,
    kernel_name,
    kernel_of,
    signature,
)
from torchopt.ops._backend import BACKENDS, Kernel, functor_of
from torchopt.transform import _step

CASES = kernel_cases()
COUNTED = counted_cases()
EMULATED = emulated_cases()
#: First order and second, and what float32 leaves of it.
RTOL = {
    torch.float64: {"first": 1e-11, "second": 1e-9},
    torch.float32: {"first": 2e-5, "second": 2e-4},
}

Results = tuple[Tensors, Tensors]
Backend = Callable[[Graph, Tensors, Tensors], Results]


DTYPES = [torch.float64, torch.float32]


def case_id(case: KernelCase) -> str:
    return case.name


def id_of(x: KernelCase | torch.dtype) -> str:
    return x.name if isinstance(x, KernelCase) else str(x)


def split(tensors: Tensors) -> list[torch.Tensor]:
    return [leaf for t in tensors for leaf in t.split(SIZES)]


def join(leaves: Tensors, graph: Graph) -> Results:
    count = len(SIZES) * len(graph.outputs)
    outputs = [torch.cat(leaves[i : i + len(SIZES)]) for i in range(0, count, len(SIZES))]
    return outputs, leaves[count:]


def on_processor(graph: Graph, tensors: Tensors, scalars: Tensors) -> Results:
    assert kernel_of(graph, tensors[0]) is not None
    columns = [t.split(SIZES) for t in tensors]
    return join(run_call(graph, columns, list(map(float, scalars))), graph)


def on_emulated_gpu(
    emulator: Emulator, graph: Graph, tensors: Tensors, scalars: Tensors
) -> Results:
    modes = [LIST] * (len(graph.tensors) + len(graph.outputs))
    numbers = list(map(float, scalars))
    out = cuda.fused(
        functor_of(graph), split(tensors), modes, len(SIZES), numbers, launcher=emulator
    )
    return join([*out[:-1], *out[-1]] if graph.sums else out, graph)


def check(backend: Backend, case: KernelCase, dtype: torch.dtype) -> None:
    """Compare with operations; `test_graph.py` compares these with autograd."""
    for graph in derivatives(case.graph):
        tolerance = RTOL[dtype]["second" if "_" in graph.order else "first"]
        for condition in (True, False):
            tensors, scalars = draw(graph, case.graph, len(case.name), dtype, condition=condition)
            outputs, sums = backend(graph, tensors, scalars)
            exact = [t.double() for t in tensors], [s.double() for s in scalars]
            expected, expected_sums = evaluate(graph, *exact)
            for found, right in ((outputs, expected), (sums, expected_sums)):
                # Terms that cancel leave rounding of the size of the largest.
                scale = max((float(x.abs().max()) for x in right), default=0.0)
                for k, (y, x) in enumerate(zip(found, right, strict=True)):
                    torch.testing.assert_close(
                        y.double(),
                        x.expand_as(y),
                        rtol=tolerance,
                        atol=tolerance * scale,
                        msg=lambda m, k=f"{graph.order}, result {k}, {condition}": f"{k}: {m}",
                    )
            assert all(y.dtype == dtype for y in outputs)
            assert all(y.dtype == torch.float64 and y.dim() == 0 for y in sums)


@pytest.mark.parametrize(("case", "dtype"), diagonal(CASES, DTYPES), ids=id_of)
def test_kernels_compute_the_formula_and_its_derivatives(
    case: KernelCase, dtype: torch.dtype
) -> None:
    check(on_processor, case, dtype)


@pytest.fixture
def on_gpu(stepping_emulator: Emulator, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Have steps take their tensors for those of a GPU; return the names of the kernels that ran."""
    ran: list[str] = []
    run = partial(cuda.fused, launcher=stepping_emulator)
    monkeypatch.setattr(cuda, "fused", lambda f, *a, **k: (ran.append(f.name), run(f, *a, **k))[1])
    monkeypatch.setattr(cuda, "unavailable", lambda: None)
    monkeypatch.setitem(BACKENDS, "cpu", BACKENDS["cuda"])
    monkeypatch.setattr(_step, "_is_on_cpu", lambda tensor: False)
    return ran


@pytest.mark.parametrize("name", ["adam", "radam"])
def test_steps_on_a_gpu_make_bias_corrections_in_their_kernel(name: str, on_gpu: list[str]) -> None:
    gen = generator(3)
    params = random_params(gen)
    grads = [random_like(gen, params) for _ in range(7)]

    def end(*, fused: bool | None) -> dict[str, torch.Tensor]:
        tx = OPTIMIZERS[name][0](lr=0.1, use_accelerated_op=fused)
        state, p = tx.init(params), params
        for g in grads:
            p, state = transform.advance(tx, g, state, p)
        return p

    expected = end(fused=False)
    assert not on_gpu
    assert_trees_close(end(fused=None), expected)
    counted = next(case.graph for case in COUNTED if case.name == name)
    assert on_gpu == [kernel_name(counted)] * len(grads)


@pytest.mark.parametrize("memory", ["step", "sqrt", "forward"])
def test_a_learning_rate_on_a_gpu_is_found_where_steps_are_evaluated_again(
    memory: Any, on_gpu: list[str]
) -> None:
    # No operation but the kernel reads it there.
    lr = torch.tensor(0.1, dtype=torch.float64, requires_grad=True)

    def slope(mode: diff.Explicit, *, fused: bool | None = None) -> torch.Tensor:
        solver = OPTIMIZERS["adam"][0](lr=lr, use_accelerated_op=fused)
        x = torch.linspace(-1.0, 2.0, 7, dtype=torch.float64)
        solution = minimize(lambda p: p.cosh().sum(), x, solver=solver, steps=5, diff=mode)
        return torch.autograd.grad(solution.params.square().sum(), lr)[0]

    expected = slope(diff.Explicit(), fused=False)
    assert not on_gpu
    torch.testing.assert_close(slope(diff.Explicit(memory)), expected, rtol=1e-9, atol=0.0)
    assert on_gpu


def test_steps_on_a_gpu_are_evaluated_again_after_a_transform_has_ended(on_gpu: list[str]) -> None:
    start = torch.ones(3, dtype=torch.float64)

    def outer(scale: torch.Tensor, mode: diff.Explicit) -> torch.Tensor:
        solver = OPTIMIZERS["adam"][0](lr=scale)
        solution = minimize(
            lambda p, batch: (p * batch).sin().sum() + p.square().sum(),
            start,
            solver=solver,
            steps=4,
            batches=lambda step: scale * (step + start),
            diff=mode,
        )
        return solution.params.sum()

    at = torch.tensor(0.1, dtype=torch.float64)
    expected = torch.func.grad(outer)(at, diff.Explicit())
    torch.testing.assert_close(torch.func.grad(outer)(at, diff.Explicit("step")), expected)
    assert on_gpu


@pytest.mark.slow
@pytest.mark.parametrize(("case", "dtype"), diagonal(EMULATED, DTYPES), ids=id_of)
def test_emulated_gpu_kernels_compute_the_formula_and_its_derivatives(
    case: KernelCase, dtype: torch.dtype, emulator: Emulator
) -> None:
    check(partial(on_emulated_gpu, emulator), case, dtype)


def test_every_formula_has_its_kernels_in_the_loaded_library() -> None:
    assert native.is_live(), native.status().reason
    table = native.kernels()
    graphs = [graph for case in CASES for graph in derivatives(case.graph)]
    assert {graph.order for graph in graphs} == set(KINDS)
    assert {kernel_name(graph) for graph in graphs} == {
        kernel_name(graph) for formula in optimizers.formulas() for graph in derivatives(formula)
    }
    assert {kernel_name(graph) for graph in graphs} <= set(table)


def test_order_three_has_no_kernel() -> None:
    graph, like = CASES[0].graph, torch.zeros(1)
    assert kernel_of(graph.vjp.vjp, like) is not None
    assert kernel_of(graph.vjp.vjp.vjp, like) is None


def check_writing(case: KernelCase, find: Callable[[Graph], Kernel | None]) -> None:
    graph = case.graph
    tensors, scalars = draw(graph, graph, 3, torch.float64, condition=True)
    numbers, count = list(map(float, scalars)), len(graph.outputs)
    columns = [[leaf.clone() for leaf in t.split(SIZES)] for t in tensors]
    expected = [y.clone() for y in run_call(graph, columns, numbers)]
    inputs = [leaf for column in columns for leaf in column]
    into = inputs[len(inputs) - count * len(SIZES) :]
    versions = [t._version for t in into]
    how = signature(graph, len(SIZES), (LIST,) * len(columns), (INTO_LIST,) * count)
    results = call(how, numbers, inputs, find(graph), into)
    assert all(a is b for a, b in zip(results, into, strict=True))
    assert all(t._version > version for t, version in zip(into, versions, strict=True))
    for y, right in zip(into, expected, strict=True):
        torch.testing.assert_close(y, right, rtol=1e-13, atol=1e-13)
    # A layout that no kernel takes as it is.
    strided = [torch.stack([leaf, leaf], dim=-1)[..., 0] for leaf in inputs]
    known, versions = [leaf.clone() for leaf in strided], [leaf._version for leaf in strided]
    results = call(how, numbers, strided, find(graph), strided[len(inputs) - len(into) :])
    assert not any(a is b for a in results for b in strided)
    assert all(torch.equal(a, b) for a, b in zip(strided, known, strict=True))
    assert [leaf._version for leaf in strided] == versions


@pytest.mark.parametrize("case", [c for c in CASES if "parameters" in c.name], ids=case_id)
def test_kernels_write_into_their_inputs(case: KernelCase) -> None:
    check_writing(case, BACKENDS["cpu"])


@pytest.mark.slow
@pytest.mark.parametrize("case", EMULATED, ids=case_id)
def test_emulated_gpu_kernels_write_into_their_inputs(
    case: KernelCase, emulator: Emulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cuda, "fused", partial(cuda.fused, launcher=emulator))
    monkeypatch.setattr(cuda, "unavailable", lambda: None)
    check_writing(case, BACKENDS["cuda"])
