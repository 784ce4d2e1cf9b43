"""What the kernels compute, against formulas in plain torch operations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import pytest
import torch
from _cuda_functors import ADAM, ADAM_VJP, AXPY, MIXED, adam, mixed

from _emulation import Emulator
from torchopt.native.cuda import ABSENT, LIST, fused
from torchopt.native.cuda._layout import MANY_ELEMENTS

H = [0.9, 0.99, 1e-8, 0.1, 3.0]
DTYPES = [torch.float32, torch.float64]
#: For what has thousands of elements or hundreds of tensors; the quick tests have both on smaller ones.
ONE_DTYPE = [torch.float64, pytest.param(torch.float32, marks=pytest.mark.slow)]
# Every way that a leaf may end within a vector, a round of a block and a chunk.
SIZES = [0, 1, 2, 3, 5, 255, 256, 257, 1023, 1024, 1025, 4095, 4096, 4097]
RTOL = {torch.float32: 3e-6, torch.float64: 1e-13}
SENTINEL = -7.0


def draw(sizes: Sequence[int], dtype: torch.dtype, device: Any, seed: int) -> list[torch.Tensor]:
    gen = torch.Generator().manual_seed(seed)
    return [
        (0.2 + torch.rand(n, generator=gen, dtype=torch.float64)).to(dtype).to(device)
        * (torch.randint(0, 2, (n,), generator=gen) * 2 - 1).to(device)
        for n in sizes
    ]


def adam_inputs(sizes: Sequence[int], dtype: torch.dtype, device: Any) -> list[list[torch.Tensor]]:
    g, m, v = (draw(sizes, dtype, device, seed) for seed in (0, 1, 2))
    return [g, m, [x.abs() for x in v]]


def joined(lists: Sequence[Sequence[torch.Tensor]]) -> list[torch.Tensor]:
    return list(chain.from_iterable(lists))


def scalars(values: Sequence[float], device: Any) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64, device=device)


def split(results: list[torch.Tensor], leaves: int) -> list[list[torch.Tensor]]:
    return [results[i : i + leaves] for i in range(0, len(results), leaves)]


def equal_bits(a: Sequence[torch.Tensor], b: Sequence[torch.Tensor]) -> bool:
    return len(a) == len(b) and all(torch.equal(x, y) for x, y in zip(a, b, strict=True))


def assert_is_adam(
    results: list[list[torch.Tensor]], inputs: list[list[torch.Tensor]], dtype: torch.dtype
) -> None:
    for i, leaf in enumerate(zip(*inputs, strict=True)):
        expected = adam(*(t.double() for t in leaf), scalars(H, leaf[0].device))
        for found, right in zip((r[i] for r in results), expected, strict=True):
            assert found.dtype == dtype
            torch.testing.assert_close(found.double(), right, rtol=RTOL[dtype], atol=RTOL[dtype])


@dataclass
class Counting:
    """A launcher that also counts."""

    inner: Any
    grids: list[int] = field(default_factory=list)

    @property
    def device_type(self) -> str:
        return self.inner.device_type

    def kernels(self, *args: Any) -> Any:
        return self.inner.kernels(*args)

    def stream(self, *args: Any) -> int:
        return self.inner.stream(*args)

    def launch(self, function: int, grid: int, *args: Any) -> None:
        self.grids.append(grid)
        self.inner.launch(function, grid, *args)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("sizes", [SIZES, *([n] for n in SIZES)], ids=str)
def test_adam_equals_its_formula(machine, sizes, dtype):
    inputs = adam_inputs(sizes, dtype, machine.device)
    results = fused(ADAM, joined(inputs), [LIST] * 6, len(sizes), H, launcher=machine.launcher)
    assert len(results) == 3 * len(sizes)
    assert_is_adam(split(results, len(sizes)), inputs, dtype)


@pytest.mark.parametrize("dtype", ONE_DTYPE)
def test_large_leaves_are_done_in_large_chunks(machine, dtype):
    sizes = [MANY_ELEMENTS // 2 + 1, 5, MANY_ELEMENTS // 2]
    x, y = draw(sizes, dtype, machine.device, 0), draw(sizes, dtype, machine.device, 1)
    launcher = Counting(machine.launcher)
    results = fused(AXPY, [*x, *y], [LIST] * 3, 3, [1.5], launcher=launcher)
    assert launcher.grids == [sum(math.ceil(n / 4096) for n in sizes)]
    assert equal_bits(results, [1.5 * a + b for a, b in zip(x, y, strict=True)])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("sizes", [[5], [7, 0, 1, 3000, 256]], ids=str)
def test_vjp_of_adam_equals_autograd(machine, sizes, dtype):
    primals = adam_inputs(sizes, dtype, machine.device)
    cotangents = [draw(sizes, dtype, machine.device, seed) for seed in (3, 4, 5)]
    n = len(sizes)
    results = fused(
        ADAM_VJP, joined([*primals, *cotangents]), [LIST] * 9, n, H, launcher=machine.launcher
    )
    h = scalars(H, machine.device).requires_grad_()
    leaves = [[t.double().requires_grad_() for t in p] for p in primals]
    outputs = [adam(*leaf, h) for leaf in zip(*leaves, strict=True)]
    expected = torch.autograd.grad(
        [o[k] for k in range(3) for o in outputs],
        [h, *joined(leaves)],
        [t.double() for t in joined(cotangents)],
    )
    *found, sums = results
    rtol = 100 * RTOL[dtype]
    for a, b in zip(found, expected[1:], strict=True):
        torch.testing.assert_close(a.double(), b, rtol=rtol, atol=rtol)
    assert sums.dtype == torch.float64
    # Terms in float32 have both signs.
    atol = 1e-6 * sum(sizes) if dtype == torch.float32 else 1e-10
    torch.testing.assert_close(sums, expected[0][[0, 3]], rtol=rtol, atol=atol)


def test_absent_inputs_are_zeros_and_absent_outputs_are_left_out(machine):
    sizes = [5, 1, 2000]
    primals = adam_inputs(sizes, torch.float64, machine.device)
    cotangent = draw(sizes, torch.float64, machine.device, 3)
    zeros = [torch.zeros_like(t) for t in cotangent]
    run = {"leaves": 3, "scalars": H, "launcher": machine.launcher}
    full = fused(
        ADAM_VJP, joined([*primals, cotangent, zeros, zeros]), [LIST] * 9, **run
    )  # fmt: skip
    modes = [LIST, LIST, LIST, LIST, ABSENT, ABSENT, LIST, ABSENT, LIST]
    some = fused(ADAM_VJP, joined([*primals, cotangent]), modes, **run)
    assert equal_bits(some, [*full[:3], *full[6:]])


@pytest.mark.parametrize("dtype", DTYPES)
def test_results_may_overwrite_inputs(machine, dtype):
    sizes = [5, 0, 1025]
    g, m, v = adam_inputs(sizes, dtype, machine.device)
    expected = fused(ADAM, [*g, *m, *v], [LIST] * 6, 3, H, launcher=machine.launcher)
    results = fused(
        ADAM, [*g, *m, *v], [LIST] * 6, 3, H, out=[None, m, v], launcher=machine.launcher
    )
    assert all(a is b for a, b in zip(results[3:], [*m, *v], strict=True))
    assert equal_bits(results, expected)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shift", [1, 2, 3])
def test_unaligned_views_and_nothing_around_them(machine, dtype, shift):
    sizes = [3, 1024, 4097]
    base = adam_inputs(sizes, dtype, machine.device)
    room = [n + 8 for n in sizes]

    def shifted(leaves: list[torch.Tensor]) -> list[torch.Tensor]:
        found = []
        for t, n in zip(leaves, room, strict=True):
            whole = torch.full((n,), SENTINEL, dtype=dtype, device=machine.device)
            whole[shift : shift + t.numel()] = t
            found.append(whole[shift : shift + t.numel()])
        return found

    inputs = [shifted(leaves) for leaves in base]
    expected = fused(ADAM, joined(base), [LIST] * 6, 3, H, launcher=machine.launcher)
    out = [shifted(expected[:3]), None, inputs[2]]
    results = fused(ADAM, joined(inputs), [LIST] * 6, 3, H, out=out, launcher=machine.launcher)
    assert equal_bits(results, expected)
    for t in [*out[0], *out[2]]:
        whole = t._base
        assert whole is not None
        around = torch.cat([whole[:shift], whole[shift + t.numel() :]])
        assert torch.all(around == SENTINEL)


@pytest.mark.parametrize("dtype", ONE_DTYPE)
def test_sums_are_exact_to_rounding_and_have_the_same_bits_every_time(machine, dtype):
    sizes = [1, 263_001, 0, 5, 1024]  # more chunks than a block has threads
    a, b = draw(sizes, dtype, machine.device, 0), draw(sizes, dtype, machine.device, 1)
    run = {"leaves": 5, "scalars": [0.7], "launcher": machine.launcher}
    *_, sums = fused(MIXED, [*a, *b], [LIST] * 5, **run)
    terms = [
        mixed(x.double(), y.double(), scalars([0.7], machine.device))[3]
        for x, y in zip(a, b, strict=True)
    ]
    exact = math.fsum(torch.cat(terms).tolist())
    size = float(torch.cat(terms).abs().sum())
    assert abs(sums.item() - exact) <= {torch.float32: 5e-7, torch.float64: 2e-15}[dtype] * size
    for modes in ([LIST] * 5, [LIST, LIST, ABSENT, ABSENT, LIST]):
        assert torch.equal(fused(MIXED, [*a, *b], modes, **run)[-1], sums)


def test_scalars_in_tensors_give_the_same_bits(machine):
    inputs = joined(adam_inputs([5, 2000], torch.float32, machine.device))
    values = [0.5, 0.75, 2.0**-20, 0.125, 3.0]  # exact in float32
    expected = fused(ADAM, inputs, [LIST] * 6, 2, values, launcher=machine.launcher)
    whole = scalars(values, machine.device)
    b1, _, eps, lr, t = whole.unbind()
    mixed_kinds = [b1.float(), 0.75, eps.reshape(1), lr.cpu(), t.long()]
    for h in (whole, mixed_kinds):
        found = fused(ADAM, inputs, [LIST] * 6, 2, h, launcher=machine.launcher)
        assert equal_bits(found, expected)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("h", [0.7, 0.3])
def test_every_function_at_ordinary_and_special_values(machine, dtype, h):
    info = torch.finfo(dtype)
    special = torch.tensor(
        [0.0, -0.0, 1.0, -2.5, math.inf, -math.inf, math.nan, info.tiny, info.tiny / 4, info.max],
        dtype=dtype,
    )
    a, b = (t.flatten().contiguous() for t in torch.meshgrid(special, special, indexing="ij"))
    usual = draw([5000, 5000], dtype, "cpu", 0)
    first, second = [a, usual[0]], [b, usual[1]]
    *found, sums = fused(
        MIXED, [t.to(machine.device) for t in (*first, *second)], [LIST] * 5, 2, [h],
        launcher=machine.launcher,
    )  # fmt: skip
    for i, (x, y) in enumerate(zip(first, second, strict=True)):
        expected = mixed(x, y, torch.tensor([h], dtype=torch.float64))
        for k in range(3):
            torch.testing.assert_close(
                found[2 * k + i].cpu(), expected[k], rtol=RTOL[dtype], atol=RTOL[dtype],
                equal_nan=True,
            )  # fmt: skip
    assert sums.isnan().item()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            {"tensors": [torch.zeros(3), torch.zeros(3, dtype=torch.float64)]},
            "one dtype and device",
        ),
        ({"tensors": [torch.zeros(3), torch.zeros(3, device="meta")]}, "one dtype and device"),
        ({"tensors": [torch.zeros(3).half()] * 2}, "float32 and float64"),
        ({"tensors": [torch.zeros(3, device="meta")] * 2}, "run on cpu tensors"),
        ({"tensors": [torch.zeros(3)] * 3}, "3 tensors were given"),
        ({"tensors": [torch.zeros(3), torch.zeros(4)]}, r"\(4,\) elements"),
        ({"modes": [LIST, LIST]}, "one mode"),
        ({"modes": [LIST, 2, LIST]}, "one mode"),
        ({"tensors": [], "modes": [ABSENT, ABSENT, LIST]}, "At least one input"),
        ({"scalars": [1.0, 2.0]}, "1 scalars; 2 were given"),
        ({"scalars": [torch.ones(2)]}, r"tensor of shape \(2,\)"),
        ({"scalars": [torch.ones((), device="meta")]}, "A scalar is on meta"),
        ({"out": []}, "one entry for each output"),
        ({"out": [[torch.zeros(6)[::2]]]}, "not contiguous"),
        ({"out": [[torch.zeros(4)]]}, r"\(4,\) elements"),
        ({"out": [[torch.zeros(3).double()]]}, "one dtype and device"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(emulator_library, change, sentence):
    call = {
        "tensors": [torch.zeros(3), torch.zeros(3)],
        "modes": [LIST] * 3,
        "leaves": 1,
        "scalars": [1.0],
        "launcher": Emulator(emulator_library),
    }
    with pytest.raises(RuntimeError, match=sentence):
        fused(AXPY, **(call | change))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
class TestOnTheGpu:
    def test_calls_are_captured_in_a_graph(self):
        device = torch.device("cuda", torch.cuda.current_device())
        x, y = draw([5, 3000], torch.float32, device, 0), draw([5, 3000], torch.float32, device, 1)
        h = torch.tensor([2.0], dtype=torch.float64, device=device)
        fused(AXPY, [*x, *y], [LIST] * 3, 2, h)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            results = fused(AXPY, [*x, *y], [LIST] * 3, 2, h)
        h.fill_(3.0)
        x[0].mul_(2.0)
        graph.replay()
        assert equal_bits(results, [3.0 * a + b for a, b in zip(x, y, strict=True)])

    def test_work_goes_to_the_current_stream(self):
        device = torch.device("cuda", torch.cuda.current_device())
        x, y = draw([1 << 20], torch.float32, device, 0), draw([1 << 20], torch.float32, device, 1)
        stream = torch.cuda.Stream(device)
        stream.wait_stream(torch.cuda.current_stream(device))
        with torch.cuda.stream(stream):
            for _ in range(50):  # each reads what the one before wrote
                x = fused(AXPY, [*x, *y], [LIST] * 3, 1, [0.5])
            result = x[0] + 0.0
        stream.synchronize()
        expected = draw([1 << 20], torch.float32, device, 0)[0]
        for _ in range(50):
            expected = 0.5 * expected + y[0]
        assert torch.equal(result, expected)
