"""Calls the driver in every mode; ``tools/sanitize.sh`` runs it with sanitized binaries.

The driver is the library's own, the formulas are the sample ones, so that there is little to compile.
"""

import threading

import torch
from _formulas import ABSENT, ADAM, HEADER, LEAVES, fused, state

from torchopt.native import _build, _load

SHAPES = [(), (0,), (3, 5), (1021,), (33_000,), (16,)]


def load():
    """Return the sample formulas' addresses, without the hundreds of kernels of the library."""
    sample = _build.kernels(_load.usable_instruction_sets()[0], HEADER, "sample")
    table = _load._open_kernels(_load.find(sample))
    _load._open_driver(_load.find(_build.DRIVER))
    return table


def every_mode(table, seed):
    """Run kernels with each kind of argument, and calls that fail."""
    for dtype in (torch.float32, torch.float64):
        g, m, v, du, dm, dv = state(SHAPES, dtype, seed, count=6)
        forward, vjp = table["k_adam_forward"], table["k_adam_vjp"]
        update, _, v_new = fused(forward, [g, m, v], [LEAVES] * 3, ADAM)
        fused(vjp, [g, m, v_new, du, None, dv], [LEAVES, ABSENT, LEAVES], ADAM)
        fused(vjp, [g, m, v, update, dm, dv], [LEAVES] * 3, ADAM)
        fused(table["k_dot_vjp"], [g, m], [])
        fused(vjp, [g, m, v, du, dm, dv], [ABSENT, LEAVES, LEAVES], ADAM)
        for bad in ([g, m[1:], v], [g, m, [x.half() for x in v]]):
            try:
                fused(forward, bad, [LEAVES] * 3, ADAM)
            except RuntimeError:
                continue
            raise AssertionError("a bad call went through")


def main():
    """Run all of it, in one thread and in four."""
    table = load()
    found = _load._difference(table)
    assert found is None, found
    torch.set_num_threads(2)
    every_mode(table, seed=0)
    directions = torch.rand(65_536, dtype=torch.float64)
    for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64):
        parts = [torch.ones(shape, dtype=dtype) for shape in [*SHAPES, (200_001,)]]
        assert torch.ops.torchopt.digest(parts, directions)[1].tolist() == [
            x.numel() for x in parts
        ]
    big = [[torch.rand(3_000_001)] for _ in range(3)]  # beyond the cache
    for _ in range(3):
        fused(table["k_adam_forward"], big, [LEAVES] * 3, ADAM)
    workers = [threading.Thread(target=every_mode, args=(table, seed)) for seed in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    print("driver: clean")


if __name__ == "__main__":
    main()
