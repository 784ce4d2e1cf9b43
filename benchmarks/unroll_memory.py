"""Claim: `memory="step"` bounds the memory of a long unroll, with the same gradient; its price.

Peak memory is what one meta-step adds at its peak to the resident memory of a fresh process that
has already run a shorter one (on a GPU: to the allocator's); tracemalloc does not see tensors.
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
# glibc then gives freed tensors back at once; else fragmentation is counted as memory in use.
ALLOCATOR = {"MALLOC_MMAP_THRESHOLD_": "65536"}
SHOTS = {"mlp": 200, "cnn": 40}  # enough that one step is megabytes


def main(argv: Sequence[str] | None = None) -> str:
    """Run the benchmark and return its report."""
    made = _runner.parser("unroll_memory", __doc__)
    made.set_defaults(rounds=3)
    made.add_argument("--models", nargs="+", default=["mlp", "cnn"], choices=["mlp", "cnn"])
    made.add_argument("--optimizers", nargs="+", default=["sgd", "adam"], choices=["sgd", "adam"])
    made.add_argument("--steps", nargs="+", type=int, default=[10, 50])
    made.add_argument("--shots", type=int, help="support examples a class, of 5 classes")
    made.add_argument("--width", type=int, default=64)
    options = made.parse_args(argv)

    rows = []
    for model, optimizer, steps in itertools.product(
        options.models, options.optimizers, options.steps
    ):
        shots = options.shots or SHOTS[model]
        label = f"{model}, {5 * shots} examples, {optimizer}, {steps} steps"
        _runner.progress(label)
        case = {
            "model": model,
            "optimizer": optimizer,
            "steps": steps,
            "tasks": 1,
            "shots": shots,
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
        "One task. Medians and quartiles; the difference is that of the float64 gradients, "
        "relative to the largest entry.",
        _runner.table(header, rows),
    ]
    title = 'Peak memory of an unroll: `memory="graph"` against `memory="step"`'
    return _runner.write(title, sections, made=made, options=options)


def _peak(target: str, case: Case, threads: int) -> float:
    with ProcessLane(sys.executable, threads, path=sys.path, variables=ALLOCATOR) as lane:
        return lane.peak(target, case)


if __name__ == "__main__":
    main()
