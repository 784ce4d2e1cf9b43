"""Benchmarks: one file per claim, each run as ``python -m benchmarks.NAME``.

A benchmark first checks in float64 that all contenders compute the same gradient, then times them
in interleaved rounds and writes `benchmarks/results/NAME.md`. The packages that it compares with
live in an environment of their own, because the published TorchOpt has our import name:
``python -m benchmarks.peers install`` makes it.
"""
