"""One driver for any formula and any list of tensors: against the same formula in plain torch."""

import gc
import threading

import pytest
import torch
from _formulas import ABSENT, ADAM, INTO, LEAVES, adam, adam_vjp, fused, state

from torchopt import native

SHAPES = [(), (1,), (0,), (7,), (3, 5), (64,), (1021,), (2, 0, 3), (257, 33), (70001,)]
DTYPES = [torch.float32, torch.float64]


def close(actual, expected, dtype):
    tolerance = {torch.float32: 3e-6, torch.float64: 1e-13}[dtype]
    torch.testing.assert_close(actual, expected.to(actual.dtype), rtol=tolerance, atol=tolerance)


@pytest.fixture(params=[1, 2])
def threads(request):
    before = torch.get_num_threads()
    torch.set_num_threads(request.param)
    yield request.param
    torch.set_num_threads(before)


@pytest.mark.parametrize("dtype", DTYPES)
def test_forward_equals_plain_torch_for_every_size(kernels, dtype, threads):
    g, m, v = state(SHAPES, dtype)
    results = fused(kernels["k_adam_forward"], [g, m, v], [LEAVES] * 3, ADAM)
    for index, leaf in enumerate(zip(g, m, v, strict=True)):
        for result, expected in zip(results, adam(*leaf, ADAM), strict=True):
            assert result[index].shape == expected.shape
            assert result[index].is_contiguous()
            close(result[index], expected, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 15, 16, 17, 31, 33, 1023, 1025, 4099])
def test_vjp_and_its_sum_equal_autograd(kernels, dtype, n):
    g, m, v, du, dm, dv = state([(n,)], dtype, seed=n, count=6)
    *results, sums = fused(kernels["k_adam_vjp"], [g, m, v, du, dm, dv], [LEAVES] * 3, ADAM)
    *expected, d_lr = adam_vjp(g[0], m[0], v[0], du[0], dm[0], dv[0], ADAM)
    for result, wanted in zip(results, expected, strict=True):
        tolerance = 1e-4 if dtype == torch.float32 else 1e-11
        torch.testing.assert_close(result[0].double(), wanted, rtol=tolerance, atol=tolerance)
    assert sums.dtype == torch.float64
    assert sums.shape == (1,)
    tolerance = 1e-5 if dtype == torch.float32 else 1e-12
    torch.testing.assert_close(sums[0], d_lr, rtol=tolerance, atol=tolerance * n)


def test_absent_inputs_are_zeros_and_absent_outputs_are_not_made(kernels):
    g, m, v, du, _, _ = state([(5,), (3000,)], count=6)
    zeros = [torch.zeros_like(x) for x in g]
    kernel = kernels["k_adam_vjp"]
    full = fused(kernel, [g, m, v, du, zeros, zeros], [LEAVES] * 3, ADAM)
    part = fused(kernel, [g, m, v, du, None, None], [LEAVES, ABSENT, LEAVES], ADAM)
    assert part[1] is None
    for k in (0, 2):
        for a, b in zip(full[k], part[k], strict=True):
            torch.testing.assert_close(a, b, rtol=0, atol=0)
    torch.testing.assert_close(full[3], part[3], rtol=0, atol=0)


@pytest.mark.parametrize("stream", [False, True])
def test_sums_and_outputs_have_the_same_bits_for_any_number_of_threads(kernels, stream):
    n = 3_000_001 if stream else 400_003
    g, m, v, du, dm, dv = state([(n,), (1000,), (n // 3,)], count=6)
    found, digests = [], []
    before = torch.get_num_threads()
    for count in (1, 2):
        torch.set_num_threads(count)
        digests.append(digest([*g, *m], g[0][:1000].double()))
        found.append(fused(kernels["k_adam_vjp"], [g, m, v, du, dm, dv], [LEAVES] * 3, ADAM))
    torch.set_num_threads(before)
    for a, b in zip(found[0][:3], found[1][:3], strict=True):
        assert all(map(torch.equal, a, b))
    assert torch.equal(found[0][3], found[1][3])
    assert torch.equal(*digests)
    expected = adam(g[0], m[0], v[0], ADAM)
    forward = fused(kernels["k_adam_forward"], [g, m, v], [LEAVES] * 3, ADAM)
    for result, wanted in zip(forward, expected, strict=True):
        close(result[0], wanted, torch.float32)


def test_channels_last_is_kept_and_mixed_strides_are_refused(kernels):
    g, m, v = state([(2, 3, 4, 5)])
    g, m, v = ([x[0].to(memory_format=torch.channels_last)] for x in (g, m, v))
    results = fused(kernels["k_adam_forward"], [g, m, v], [LEAVES] * 3, ADAM)
    for result, expected in zip(results, adam(g[0], m[0], v[0], ADAM), strict=True):
        assert result[0].stride() == g[0].stride()
        close(result[0], expected, torch.float32)
    with pytest.raises(RuntimeError, match="differs in size or strides"):
        fused(kernels["k_adam_forward"], [g, [m[0].contiguous()], v], [LEAVES] * 3, ADAM)


@pytest.mark.parametrize("dtype", DTYPES)
def test_denormals_infinities_and_nan_propagate_as_in_torch(kernels, dtype):
    tiny = torch.finfo(dtype).tiny
    special = [0.0, -0.0, tiny / 4, -tiny / 8, float("inf"), -float("inf"), float("nan"), 1.0]
    g = torch.tensor(special * 8, dtype=dtype)
    m = torch.tensor([x for x in special for _ in special], dtype=dtype)
    v = m.abs().roll(5)
    results = fused(kernels["k_adam_forward"], [[g], [m], [v]], [LEAVES] * 3, ADAM)
    for result, expected in zip(results, adam(g, m, v, ADAM), strict=True):
        tolerance = {torch.float32: 1e-6, torch.float64: 1e-14}[dtype]
        torch.testing.assert_close(
            result[0], expected, rtol=tolerance, atol=tiny / 16, equal_nan=True
        )


def digest(tensors, directions):
    return torch.ops.torchopt.digest(tensors, directions)


def freed(tensor):
    """A tensor of this shape without memory, as sharded training leaves them."""
    empty = torch.empty_like(tensor)
    empty.untyped_storage().resize_(0)
    return empty


BAD_CALLS = {
    "few_tensors": (
        lambda x, k: torch.ops.torchopt.fused(x * 2, k, 1, [1] * 6, ADAM),
        "takes 3 tensors in these modes, but got 2",
    ),
    "modes": (
        lambda x, k: fused(k, [x, x, x], [LEAVES] * 2, ADAM),
        "takes 6 modes, one for each input and output, but got 5",
    ),
    "mode": (lambda x, k: fused(k, [x, x, x], [LEAVES, LEAVES, 5], ADAM), "a mode is 0"),
    "mode_of_input": (
        lambda x, k: torch.ops.torchopt.fused(x * 3, k, 1, [INTO] + [LEAVES] * 5, ADAM),
        "a mode is 0",
    ),
    "nothing_to_write_into": (
        lambda x, k: fused(k, [x, x, x], [LEAVES, LEAVES, INTO], ADAM),
        "takes 4 tensors in these modes, but got 3",
    ),
    "scalars": (lambda x, k: fused(k, [x, x, x], [LEAVES] * 3, ADAM[1:]), "takes 6 scalars"),
    "no_leaves": (
        lambda x, k: torch.ops.torchopt.fused(x, k, 1, [ABSENT] * 3 + [INTO, ABSENT, ABSENT], ADAM),
        "needs one input that is given as leaves",
    ),
    "zero_leaves": (
        lambda x, k: torch.ops.torchopt.fused(x, k, 0, [1] * 6, ADAM),
        "at least one leaf",
    ),
    "kernel": (lambda x, k: fused(0, [x, x, x], [LEAVES] * 3, ADAM), "address of the kernel"),
    "dtypes": (
        lambda x, k: fused(k, [x, [x[0].double()], x], [LEAVES] * 3, ADAM),
        "argument 1 of k_adam_forward differs in dtype",
    ),
    "half": (lambda x, k: fused(k, [[x[0].half()]] * 3, [LEAVES] * 3, ADAM), "float32 or float64"),
    "sizes": (
        lambda x, k: fused(k, [x, [x[0][:-1]], x], [LEAVES] * 3, ADAM),
        "leaf 0 of argument 1",
    ),
    "not_dense": (
        lambda x, k: fused(k, [[x[0][::2]]] * 3, [LEAVES] * 3, ADAM),
        "leaf 0 is not dense",
    ),
    "expanded": (
        lambda x, k: fused(k, [[x[0][:1].expand(4)]] * 3, [LEAVES] * 3, ADAM),
        "leaf 0 is not dense",
    ),
    "freed": (
        lambda x, k: fused(k, [x, [freed(x[0])], x], [LEAVES] * 3, ADAM),
        "its storage was freed",
    ),
    "digest": (lambda x, _: digest([*x, x[0].int()], x[0].double()), "digest is of float16"),
    "digest_strided": (lambda x, _: digest([x[0][::2]], x[0].double()), "of contiguous tensors"),
    "digest_freed": (lambda x, _: digest([freed(x[0])], x[0].double()), "its storage was freed"),
    "digest_directions": (lambda x, _: digest(x, x[0]), "contiguous tensor of float64"),
    "digest_no_directions": (lambda x, _: digest(x, x[0][:0].double()), "tensor of float64"),
}


@pytest.fixture(scope="module")
def few_objects():
    """Leave what there is out of the collections of the tests below."""
    gc.collect()
    gc.freeze()


@pytest.mark.usefixtures("few_objects")
@pytest.mark.parametrize("name", BAD_CALLS)
def test_bad_calls_say_what_is_wrong_and_leak_nothing(kernels, name):
    call, message = BAD_CALLS[name]
    x = [torch.arange(10.0)]
    gc.collect()
    in_use = native.memory_stats()["bytes_in_use"]
    uses = x[0]._use_count()
    for _ in range(10):
        with pytest.raises(RuntimeError, match=message):
            call(x, kernels["k_adam_forward"])
    gc.collect()
    assert native.memory_stats()["bytes_in_use"] == in_use
    assert x[0]._use_count() == uses


def test_many_threads_call_at_once(kernels):
    shapes = [(17,), (1000,), (60_000,)]
    wrong = []

    def work(seed):
        g, m, v = state(shapes, seed=seed)
        expected = fused(kernels["k_adam_forward"], [g, m, v], [LEAVES] * 3, ADAM)
        for _ in range(50):
            results = fused(kernels["k_adam_forward"], [g, m, v], [LEAVES] * 3, ADAM)
            if not all(all(map(torch.equal, a, b)) for a, b in zip(results, expected, strict=True)):
                wrong.append(seed)

    workers = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not wrong
