"""Claim: on several workers, a meta-step takes its share of the time, and a worker little memory.

MAML: 16 tasks, a network of three convolutions, five inner steps. The machine may have fewer cores
than there are workers, so what is compared is CPU time along the critical path: that of the busiest
worker, and that of the controller where it does nothing else.
"""

from __future__ import annotations

import importlib.util
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks import _runner
from benchmarks._distributed import Size, start
from benchmarks._distributed_model import Model, Wire, fit, wire
from benchmarks._distributed_runtimes import (
    EXECUTORS,
    PAYLOADS,
    PLAIN,
    SERIAL,
    SPMD,
    Plan,
    Report,
    measure,
)

SCALES = (8, 64, 1024)
QUICK = Size(tasks=2, shots=1, queries=1, width=4, image=8, steps=1)
TOLERANCE = 1e-4  # between gradients in float32, summed in different orders

NOTES = f"""\
- One task is one call of the executors, which return a gradient with each loss; within a rank,
  `task_map` calls `remote_map(executor="local")`, which does the same, and keeps no graph.
- All gradients agree with that of one process to {TOLERANCE:.0e} (float32).
- {PLAIN}: plain `torch.distributed.rpc`, a call for each task, and
  `torch.distributed.autograd`; rank 0 is a worker, too. Its transport by shared memory, the default,
  polls: every process that waits takes CPU time. The RPC executor's group here is one without it.
- The model has no term for the controller of the paper's runtime, which is a worker, too: what it says
  of more workers there is too good.
- CPU time of a process is that of all its threads, by its own clock. What Ray's daemons take is not
  counted.
- Where there are fewer cores than workers, seconds on the clock show the machine, not the runtime."""


def main(argv: Sequence[str] | None = None) -> str:
    """Run the benchmark and return its report."""
    made = _runner.parser("distributed", __doc__)
    made.set_defaults(rounds=3, threads=1)
    names = [SPMD, *EXECUTORS, PLAIN]
    if importlib.util.find_spec("ray") is None:
        names.remove("Ray executor")
    made.add_argument("--workers", nargs="+", type=int, default=[1, 2, 4, 8])
    made.add_argument("--runtimes", nargs="+", default=names, choices=names)
    made.add_argument("--calls", type=int, default=100, help="calls whose latency is measured")
    made.add_argument("--quick", action="store_true", help="a tiny meta-step, to see it run")
    options = made.parse_args(argv)
    if options.threads != 1 or options.device != "cpu":
        raise ValueError("each process has one thread, on the CPU: leave the options out.")
    bench = _Bench(QUICK if options.quick else Size(), options)
    bench.run()
    sections = [
        *bench.speedups(),
        *bench.memory(),
        *bench.latency(),
        *bench.model(),
        NOTES,
        *(["Ray is not installed here."] if "Ray executor" not in names else []),
        *([f"Crashed, and measured anew: {', '.join(bench.crashes)}."] if bench.crashes else []),
    ]
    return _runner.write("Distributed meta-step", sections, made=made, options=options)


def check(name: str, found: Report, truth: Report) -> float:
    """Return how far a gradient is from that of one process.

    Raises:
        ValueError: If it is further than the tolerance.
    """
    off = _runner.difference(truth.gradient, found.gradient)
    if not off <= TOLERANCE:
        raise ValueError(f"{name} differs by {off:.1e} from the gradient of one process")
    return off


@dataclass
class _Bench:
    """The measurements, and the sections of the report."""

    size: Size
    options: Any
    serial: list[Report] = field(default_factory=list)
    found: dict[str, dict[int, Report]] = field(default_factory=dict)
    crashes: list[str] = field(default_factory=list)

    def run(self) -> None:
        """Measure all runtimes, by number of workers, with one process in between."""
        o = self.options
        for workers in o.workers:
            _runner.progress(SERIAL)
            self.serial.append(measure(SERIAL, 1, Plan(self.size, o.rounds)))
            for name in o.runtimes:
                _runner.progress(f"{name}, {workers}")
                last = workers == max(w for w in o.workers if w <= 2)
                plan = Plan(self.size, o.rounds, o.calls if last else 0)
                report = self._measure(name, workers, plan)
                check(f"{name} with {workers} workers", report, self.serial[0])
                self.found.setdefault(name, {})[workers] = report

    def _measure(self, name: str, workers: int, plan: Plan) -> Report:
        """Measure anew where the processes crashed, which the report says."""
        for _ in range(2):
            try:
                return measure(name, workers, plan)
            except RuntimeError as error:
                _runner.progress(str(error))
                self.crashes.append(f"{name} ({workers})")
        return measure(name, workers, plan)

    @property
    def alone(self) -> float:
        """The CPU seconds of the meta-step in one process."""
        return statistics.median(x for report in self.serial for x in report.workers)

    def speedups(self) -> list[str]:
        """Compare the critical paths with one process."""
        counts = self.options.workers
        times = [x for report in self.serial for x in report.workers]
        gain, path, rest = [], [], []
        for name, reports in self.found.items():
            medians = {n: statistics.median(reports[n].critical) for n in counts}
            gain.append([name, *(f"{self.alone / medians[n]:.2f}" for n in counts)])
            path.append([name, *(_runner.summarize(reports[n].critical).show() for n in counts)])
            controls = [statistics.median(reports[n].controller) for n in counts]
            clock = [statistics.median(reports[n].wall) for n in counts]
            rest.append(
                [name, *(f"{1e3 * c:.0f}" if any(controls) else "-" for c in controls)]
                + [f"{c:.2f}" for c in clock]
            )
        header = ["runtime", *(f"{n} worker{'s' * (n > 1)}" for n in counts)]
        more = [f"controller ms, {n}" for n in counts] + [f"clock s, {n}" for n in counts]
        return [
            "## Speed-up along the critical path\n\nCPU seconds of one process "
            f"({_runner.summarize(times).show()}) over those of the critical path.",
            _runner.table(header, gain),
            "## CPU seconds of the critical path\n\nMedian and quartiles.",
            _runner.table(header, path),
            "## Of these the controller's CPU milliseconds, and seconds on the clock",
            _runner.table(["runtime", *more], rest),
        ]

    def memory(self) -> list[str]:
        """Weigh the processes."""
        counts = self.options.workers
        rows = []
        for name, reports in self.found.items():
            controller = f"{reports[max(counts)].memory[1]:.0f}" if name in EXECUTORS else "-"
            rows.append([name, *(f"{reports[n].memory[0]:.0f}" for n in counts), controller])
        alone = max(report.memory[0] for report in self.serial)
        header = ["runtime", *(f"{n} worker{'s' * (n > 1)}" for n in counts)]
        return [
            "## Peak memory of a process, MiB\n\nOf the largest worker, with all that PyTorch itself "
            f"needs; of the controller of {max(counts)}. One process alone: {alone:.0f}.",
            _runner.table([*header, "controller"], rows),
        ]

    def latency(self) -> list[str]:
        """Time a call of no work, and one with its derivative."""
        rows = [
            [name, *(f"{1e3 * s:.2f}" for s in (*report.calls, *report.derivatives))]
            for name, report in self._timed().items()
        ]
        sizes = [f"{4 * n / 1024:.0f} KiB" if n > 1 else "4 B" for n in PAYLOADS]
        header = ["runtime", *(f"call, {s}" for s in sizes)]
        header += [f"and derivative, {s}" for s in sizes]
        return [
            "## Milliseconds of a call that doubles a tensor\n\nThere and back, median; alone, and "
            "with a backward pass. Of SPMD: `psum`. With two workers at most.",
            _runner.table(header, rows),
        ]

    def model(self) -> list[str]:
        """Fit, check and use the model."""
        counts = sorted(self.options.workers)
        if len(counts) < 2:
            return []
        models = {name: self._fit(reports) for name, reports in self.found.items()}
        held = counts[2:]
        fitted = [
            [
                name,
                f"{1e3 * m.task:.0f}",
                f"{1e3 * m.fixed:.0f}",
                f"{1e3 * m.handle:.2f}",
                f"{1e3 * m.worker:.2f}",
                f"{1e3 * m.wire.latency:.2f}",
                f"{1e-6 / m.wire.per_byte if m.wire.per_byte else float('inf'):.0f}",
            ]
            for name, m in models.items()
        ]
        checks = []
        for name, m in models.items():
            row = [name]
            for n in held:
                truth = statistics.median(self.found[name][n].critical)
                row.append(f"{m.cpu(self.size.tasks, n) / truth - 1:+.1%}")
            timed = self._timed()[name]
            guess = m.wire.seconds(4 * PAYLOADS[1])
            row.append(f"{guess / timed.calls[1] - 1:+.0%}")
            checks.append(row)
        scales = []
        for tasks in (self.size.tasks, 1024):
            for name, m in models.items():
                # Alone, the same tasks one after the other.
                alone = self.alone / self.size.tasks * tasks
                cells = []
                for n in SCALES:
                    cells += [f"{alone / m.seconds(tasks, n):.1f}", m.bound(tasks, n)]
                scales.append([f"{tasks} tasks, {name}", *cells])
        header = ["task ms", "fixed ms", "controller ms a task", "controller ms a worker"]
        wide = [x for n in SCALES for x in (f"{n} workers", "most of the time")]
        return [
            "## A model\n\n"
            "`T = ceil(K / N) task + fixed + K handle + N each + messages`, of K tasks on N workers, "
            f"fitted to {counts[0]} and {counts[1]} workers, and to the smallest and the largest "
            "message. Ranks reduce in 2 log2(N) messages; a controller does one thing after the other.",
            _runner.table(["runtime", *header, "latency ms", "MB/s"], fitted),
            "## The model, checked\n\nPredicted critical path beside the measured one for numbers of "
            "workers that it was not fitted to, and the time of a message of the size in between.",
            _runner.table(["runtime", *(f"{n} workers" for n in held), "message"], checks),
            "## What the model says of more workers\n\nSpeed-up on the clock over one process, if each "
            "worker had a core of this machine and messages took what they take here, and what takes "
            "most of the time.",
            _runner.table(["meta-step", *wide], scales),
        ]

    def _timed(self) -> dict[str, Report]:
        return {
            name: next(report for report in reports.values() if report.calls)
            for name, reports in self.found.items()
        }

    def _fit(self, reports: dict[int, Report]) -> Model:
        timed = next(report for report in reports.values() if report.calls)
        message: Wire = wire([4 * n for n in PAYLOADS], timed.calls)
        return fit(
            {n: statistics.median(r.workers) for n, r in reports.items()},
            {n: statistics.median(r.controller) for n, r in reports.items()},
            self.size.tasks,
            message,
            4 * sum(p.numel() for p in start(self.size)),
            reduces=reports is self.found.get(SPMD),
        )


if __name__ == "__main__":
    main()
