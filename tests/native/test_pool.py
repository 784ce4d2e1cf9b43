"""Outputs come from a pool that is bounded, gives back, and counts."""

import gc
import os
from pathlib import Path

import pytest
from _formulas import ADAM, LEAVES, fused, state

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
