"""Claim: the multilevel engine costs what a loop by hand costs, in time and in memory.

An outer step is some steps of a network of about a million parameters, one gradient of the outer loss
in it, and the derivative of its best response. Memory is the peak that one such step adds, less that of
plain training, in units of the parameters' size.
"""

from __future__ import annotations

import argparse
import functools
import sys
from collections.abc import Sequence

from benchmarks import _runner
from benchmarks._lane import Case, Lane, ProcessLane
from benchmarks._runner import Contender

MODES = ("darts", "sama", "neumann", "cg", "unroll", "unroll_step")
BY_HAND = {
    "darts": "darts_by_hand",
    "neumann": "neumann_by_hand",
    "cg": "cg_by_hand",
    "unroll": "unroll_by_hand",
}
# glibc then gives freed tensors back at once; else fragmentation is counted as memory in use.
ALLOCATOR = {"MALLOC_MMAP_THRESHOLD_": "65536"}
TOLERANCE = 1e-6


def main(argv: Sequence[str] | None = None) -> str:
    """Run the benchmark and return its report."""
    made = _runner.parser("multilevel", __doc__)
    made.set_defaults(rounds=7)
    made.add_argument("--width", type=int, default=900)
    made.add_argument("--batch", type=int, default=256)
    made.add_argument("--steps", nargs="+", type=int, default=[1, 5])
    made.add_argument("--modes", nargs="+", default=list(MODES), choices=MODES)
    options = made.parse_args(argv)
    parameters = (256 + 1 + options.width + 1 + 10) * options.width + 10
    rows = []
    for steps in options.steps:
        case = {
            "width": options.width,
            "batch": options.batch,
            "steps": steps,
            "dtype": "float32",
            "device": options.device,
        }
        weigh = functools.partial(_peaks, case, options.threads, options.rounds)
        plain = weigh("plain")
        for mode in options.modes:
            _runner.progress(f"{mode}, {steps} steps")
            rows.append(_row(mode, case, options, plain, weigh(mode), parameters * 4 / 2**20))
    header = ["mode", "inner steps", "ms", "engine / plain", "engine / by hand", "difference"]
    header += ["peak MiB", "extra / parameters"]
    sections = [
        f"A network of {parameters:,} parameters, batches of {options.batch}, Adam. Medians and "
        f"quartiles of {options.rounds} rounds; the difference is that of the float64 hypergradients "
        f"of engine and loop, relative to the largest entry.",
        _runner.table(header, rows),
    ]
    title = "Multilevel: an outer step of the engine, of plain training, and of a loop by hand"
    return _runner.write(title, sections, made=made, options=options)


def _row(
    mode: str,
    case: Case,
    options: argparse.Namespace,
    plain: list[float],
    peaks: list[float],
    size: float,
) -> list[str]:
    rounds, threads = options.rounds, options.threads
    names = {mode: mode, "plain": "plain"}
    if mode in BY_HAND:
        names["by hand"] = BY_HAND[mode]
    off = "-"
    with Lane(threads) as lane:
        if mode in BY_HAND:
            found = [
                lane.gradient(f"benchmarks._multilevel:{n}", case) for n in (mode, BY_HAND[mode])
            ]
            error = _runner.difference(*found)
            off = f"{error:.1e}"
            if not error <= TOLERANCE:
                raise ValueError(f"engine and loop differ by {off} in {mode}, {case}")
        contenders = [Contender(k, f"benchmarks._multilevel:{n}", lane) for k, n in names.items()]
        times = _runner.measure(contenders, case, rounds=rounds, budget=0.5)
    extra = (_runner.summarize(peaks).median - _runner.summarize(plain).median) / size
    by_hand = _runner.ratio(times[mode], times["by hand"]).show() if mode in BY_HAND else "-"
    return [
        mode,
        str(case["steps"]),
        _runner.summarize(times[mode]).show(1e3, 1),
        _runner.ratio(times[mode], times["plain"]).show(),
        by_hand,
        off,
        _runner.summarize(peaks).show(digits=1),
        f"{extra:.2f}",
    ]


def _peaks(case: Case, threads: int, rounds: int, name: str) -> list[float]:
    found = []
    for _ in range(min(rounds, 3)):
        with ProcessLane(sys.executable, threads, path=sys.path, variables=ALLOCATOR) as lane:
            found.append(lane.peak(f"benchmarks._multilevel:{name}", case))
    return found


if __name__ == "__main__":
    main()
