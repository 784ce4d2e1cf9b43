"""Claim: `memory="step"` bounds the memory of a long unroll, with the same gradient, for a known price in time.

Peak memory is what one meta-step adds to the peak resident memory of a fresh process that has already run a shorter one
(on a GPU: to the allocator's peak), because tracemalloc does not see tensors.
"""

from __future__ import annotations

import functools
import itertools
import sys
from collections.abc import Sequence

from benchmarks import _runner
from benchmarks._lane import Case, ProcessLane
from benchmarks._runner import Contender

TARGETS = {"graph": "benchmarks._unroll:graph", "step": "benchmarks._unroll:step"}
TOLERANCE = 1e-8


def main(argv: Sequence[str] | None = None) -> str:
    """Run the benchmark and return its report."""
    made = _runner.parser(__name__ if __name__ != "__main__" else "unroll_memory", __doc__)
    made.set_defaults(rounds=3)
    made.add_argument("--models", nargs="+", default=["mlp", "cnn"], choices=["mlp", "cnn"])
    made.add_argument("--optimizers", nargs="+", default=["sgd", "adam"], choices=["sgd", "adam"])
    made.add_argument("--steps", nargs="+", type=int, default=[10, 50])
    made.add_argument("--shots", type=int, default=40, help="support examples a class, of 5")
    made.add_argument("--width", type=int, default=64)
    options = made.parse_args(argv)

    rows = []
    for model, optimizer, steps in itertools.product(
        options.models, options.optimizers, options.steps
    ):
        label = f"{model}, {optimizer}, {steps} steps"
        _runner.progress(label)
        case = {
            "model": model,
            "optimizer": optimizer,
            "steps": steps,
            "tasks": 1,
            "shots": options.shots,
            "width": options.width,
            "dtype": "float32",
            "device": options.device,
        }
        weigh = {
            name: functools.partial(_peak, target, case, options.threads)
            for name, target in TARGETS.items()
        }
        peaks = _runner.interleave(weigh, options.rounds)
        with ProcessLane(sys.executable, options.threads, path=sys.path) as lane:
            off = _runner.difference(*(lane.gradient(target, case) for target in TARGETS.values()))
            if not off <= TOLERANCE:
                raise ValueError(f"the memory policies' gradients differ by {off:.1e} in {case}")
            contenders = [Contender(name, target, lane) for name, target in TARGETS.items()]
            times = _runner.measure(contenders, case, rounds=options.rounds, budget=0.1)
        rows.append(
            [
                label,
                *(_runner.summarize(peaks[name]).show(digits=1) for name in TARGETS),
                _runner.ratio(peaks["graph"], peaks["step"]).show(digits=1),
                *(_runner.summarize(times[name]).show(1e3, 1) for name in TARGETS),
                _runner.ratio(times["step"], times["graph"]).show(),
                f"{off:.1e}",
            ]
        )

    header = ["inner loop", "graph MiB", "step MiB", "graph / step"]
    header += ["graph ms", "step ms", "step / graph", "difference"]
    sections = [
        f"One task, {5 * options.shots} support examples. Medians and quartiles; the difference is that of the "
        "gradients in float64, relative to the largest entry.",
        _runner.table(header, rows),
    ]
    title = 'Peak memory of an unroll: `memory="graph"` against `memory="step"`'
    return _runner.write(title, sections, made=made, options=options)


def _peak(target: str, case: Case, threads: int) -> float:
    with ProcessLane(sys.executable, threads, path=sys.path) as lane:
        return lane.peak(target, case)


if __name__ == "__main__":
    main()
