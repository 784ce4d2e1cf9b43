"""Outputs come from a pool that is bounded, gives back, and counts."""

import gc
import os
import subprocess
import sys
from pathlib import Path

import pytest
from _formulas import ADAM, LEAVES, fused, state

from _warm import Program
from torchopt import native

MIB = 1 << 20


@pytest.fixture
def pool():
    """An empty pool, with its limit restored afterwards."""
    gc.collect()
    native.trim()
    limit = native.memory_stats()["limit"]
    yield native.memory_stats()
    native.set_memory_limit(limit)


def step(kernels, tensors):
    return fused(kernels["k_adam_forward"], tensors, [LEAVES] * 3, ADAM)


def test_buffers_are_counted_reused_and_given_back(kernels, pool):
    tensors = state([(MIB,)])
    results = step(kernels, tensors)
    used = native.memory_stats()
    assert used["bytes_in_use"] - pool["bytes_in_use"] == 3 * 4 * MIB
    assert used["misses"] - pool["misses"] == 3
    addresses = {result[0].data_ptr() for result in results}
    assert all(address % (2 * MIB) == 0 for address in addresses)
    del results
    freed = native.memory_stats()
    assert freed["bytes_in_use"] == pool["bytes_in_use"]
    assert freed["bytes_cached"] == 3 * 4 * MIB
    results = step(kernels, tensors)
    assert {result[0].data_ptr() for result in results} == addresses
    assert native.memory_stats()["hits"] - freed["hits"] == 3
    del results
    assert native.trim(5 * MIB) == 2 * 4 * MIB
    assert native.trim() == 4 * MIB
    assert native.memory_stats()["bytes_cached"] == 0


def test_cached_bytes_stay_within_the_limit_and_the_oldest_go_first(kernels, pool):
    native.set_memory_limit(9 * MIB)
    small = step(kernels, state([(MIB // 4,)]))
    large = step(kernels, state([(MIB // 2,)]))
    del small
    assert native.memory_stats()["bytes_cached"] == 3 * MIB
    del large
    # 3 of 1 MiB, freed first, and 3 of 2 MiB: those of 1 MiB had to go.
    assert native.memory_stats()["bytes_cached"] == 9 * MIB
    native.set_memory_limit(6 * MIB)
    before = native.memory_stats()["hits"]
    del_later = step(kernels, state([(MIB // 2,)]))
    assert native.memory_stats()["hits"] - before == 3
    del del_later
    native.set_memory_limit(0)
    assert native.memory_stats()["bytes_cached"] == 0
    step(kernels, state([(MIB,)]))
    assert native.memory_stats()["bytes_cached"] == 0


@pytest.mark.parametrize("n", [1, 100, 5_000, 70_000, 600_000, 3_000_000])
def test_at_most_an_eighth_is_unused_beyond_pages(kernels, pool, n):
    results = step(kernels, state([(n,)]))
    used = native.memory_stats()["bytes_in_use"] - pool["bytes_in_use"]
    page = 1024 if n < 20_000 else 64 << 10 if n < 500_000 else 2 * MIB
    assert 12 * n <= used <= 12 * n * 9 / 8 + 3 * page
    del results


def test_a_leaf_keeps_its_buffer(kernels, pool):
    results = step(kernels, state([(MIB // 4,), (MIB // 4,)]))
    leaf = results[0][1]
    del results
    assert native.memory_stats()["bytes_in_use"] - pool["bytes_in_use"] == 2 * MIB
    del leaf
    assert native.memory_stats()["bytes_in_use"] == pool["bytes_in_use"]


def test_negative_limit_is_refused():
    with pytest.raises(ValueError, match="at least 0"):
        native.set_memory_limit(-1)


def resident():
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGESIZE")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux's /proc")
def test_resident_memory_is_steady_over_ten_thousand_calls(kernels):
    tensors = state([(64, 64), (64,), (10, 64), (10,)])
    half = [[x[0].half()] for x in tensors]

    def calls(count):
        held = None
        for index in range(count):
            held = step(kernels, tensors)
            if index % 10 == 0:
                with pytest.raises(RuntimeError):
                    step(kernels, half)
        return held

    calls(2_000)
    before = resident()
    calls(10_000)
    assert resident() - before < 2 * MIB


@pytest.mark.processes
def test_environment_sets_the_limit():
    code = "from torchopt import native; print(native.memory_stats()['limit'])"
    environment = {**os.environ, "TORCHOPT_POOL_BYTES": "12345678"}
    status, out, err = Program(["-c", code], environment).end()
    assert (status, out.strip()) == (0, "12345678"), err


@pytest.mark.processes
@pytest.mark.slow
def test_tensors_may_outlive_the_interpreters_teardown():
    code = (
        "import torch\nfrom torchopt import native\n"
        "x, probe = [torch.ones(300_000)], native.kernel('probe')\n"
        "torch.kept = torch.ops.torchopt.fused(x * 3, probe, 1, [1] * 5, [0.3, 0.7])\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
