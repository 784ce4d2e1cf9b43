"""Claim: batching pays where calls are what costs; directions differ at equal budget.

What is timed is one estimate of the gradient of a perceptron's loss. Its quality is the cosine to the
gradient by backpropagation, and its projection on it, which is 1 where the scale is right. Ours and
the peers run in a process each; rounds are interleaved.
"""

from __future__ import annotations

import contextlib
import functools
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks import _runner, peers
from benchmarks._lane import Case, ProcessLane
from benchmarks._runner import Contender

LOOPED, BATCHED, DECORATED = "ours, looped", "ours, batched", "ours: zero_order"
OLD, EVOTORCH = "0.7.3: zero_order", "evotorch, batched"
TARGETS = {
    LOOPED: "benchmarks._zero_order_mode:looped",
    BATCHED: "benchmarks._zero_order_mode:batched",
    DECORATED: "benchmarks._zero_order_torchopt:decorator",
    OLD: "benchmarks._zero_order_torchopt:decorator",
    EVOTORCH: "benchmarks._zero_order_evotorch:batched",
}
PAIRS = [(BATCHED, LOOPED), (BATCHED, OLD), (BATCHED, EVOTORCH), (DECORATED, OLD)]
TRUTH = "benchmarks._zero_order:exact"
TOLERANCE = 1e-8
METHODS = ("naive", "forward", "antithetic")
ESTIMATORS = (
    *("Naive", "Naive, baseline", "ForwardDifference", "Antithetic", "SPSA", "Orthogonal", "Sobol"),
    *("LowRank", "ForwardGradient", "Guided"),
)
CASES: dict[str, Case] = {
    "41 unknowns": {"examples": 16, "features": 3, "hidden": 8},
    "97 unknowns": {"examples": 64, "features": 4, "hidden": 16},
    "1,025 unknowns": {"examples": 256, "features": 30, "hidden": 32},
    "8,321 unknowns": {"examples": 256, "features": 128, "hidden": 64},
}
LARGE: dict[str, Case] = {
    "128 x 128": {"examples": 64, "features": 128, "hidden": 128},
    "512 x 512": {"examples": 64, "features": 512, "hidden": 512},
}

NOTES = f"""\
- Equal budget: as many evaluations in each (the one for the value aside); {OLD} and ours draw
  normal directions, in pairs where nothing else is said. A product with the Jacobian (ForwardGradient)
  counts as two.
- With thousands of unknowns in one thread the products are what costs, and all points at once leave
  the cache: `Vmap(chunk_size=32)` or LowRank is faster there.
- Guided is given four rough gradients, each of cosine 0.5 to the gradient, which is help that no
  other has; it is biased by design, so that its scale is not 1.
- {DECORATED} and {OLD} are the same program, `benchmarks/_zero_order_torchopt.py`; 0.7.3 is the
  published TorchOpt. Its `forward` multiplies by sigma where it should divide.
- {EVOTORCH}: `make_functional_grad_estimator(SymmetricSeparableGaussian, ...)` on a function that is
  batched by `torch.func.vmap`."""


def main(argv: Sequence[str] | None = None) -> str:
    """Run the benchmark and return its report."""
    made = _runner.parser("zero_order", __doc__)
    made.set_defaults(rounds=9)
    made.add_argument("--cases", nargs="+", default=list(CASES), choices=list(CASES))
    made.add_argument("--evaluations", type=int, default=128, help="in an estimate, even")
    made.add_argument("--seeds", type=int, default=20, help="estimates that quality is a mean of")
    made.add_argument("--budget", type=float, default=0.05, help="least seconds of one turn")
    made.add_argument("--peers", type=Path, default=peers.ENVIRONMENT, help="their environment")
    options = made.parse_args(argv)
    python = peers.python(options.peers)
    if python is not None and options.device != "cpu":
        raise ValueError("the peers are measured on the CPU only: name an absent folder in --peers")

    with contextlib.ExitStack() as stack:
        threads = options.threads
        bench = _Bench(
            stack.enter_context(ProcessLane(sys.executable, threads, path=sys.path)),
            None if python is None else stack.enter_context(ProcessLane(python, threads)),
            options,
        )
        sections = [
            *bench.speed(),
            *bench.methods(),
            *bench.estimators(),
            *bench.matrices(),
        ]
    notes = NOTES if python is not None else f"{NOTES}\n\n{peers.ABSENT}"
    title = "Gradients from values: how fast, and how good"
    return _runner.write(title, [*sections, notes], made=made, options=options)


@dataclass(frozen=True)
class Quality:
    """How near estimates come to the gradient, as means with standard errors.

    Attributes:
        cosine: Of the angle.
        scale: The projection on the gradient, in units of its norm.
    """

    cosine: tuple[float, float]
    scale: tuple[float, float]

    def show(self) -> list[str]:
        """Return both as text."""
        return [_show(*self.cosine), _show(*self.scale)]


def _show(mean: float, error: float) -> str:
    return f"{mean:.3f} ± {error:.3f}" if abs(mean) >= 1e-3 else f"{mean:.0e} ± {error:.0e}"


def quality(estimates: Sequence[Sequence[float]], truth: Sequence[float]) -> Quality:
    """Return how near estimates come to the truth."""
    norm = math.hypot(*truth)
    along = [sum(a * b for a, b in zip(e, truth, strict=True)) / norm for e in estimates]
    cosines = [p / math.hypot(*e) for p, e in zip(along, estimates, strict=True)]
    return Quality(_mean(cosines), _mean([p / norm for p in along]))


def _mean(sample: Sequence[float]) -> tuple[float, float]:
    n = len(sample)
    mean = sum(sample) / n
    variance = sum((x - mean) ** 2 for x in sample) / max(n - 1, 1)
    return mean, (variance / n) ** 0.5


@dataclass
class _Bench:
    ours: ProcessLane
    peers: ProcessLane | None
    options: Any
    truths: dict[str, list[float]] = field(default_factory=dict)

    def speed(self) -> list[str]:
        """Time all contenders at antithetic pairs."""
        rows, ratios = [], []
        found = [self._contender(name) for name in TARGETS]
        contenders = [each for each in found if each is not None]
        names = [each.name for each in contenders]
        pairs = [(a, b) for a, b in PAIRS if a in names and b in names]
        for label in self.options.cases:
            case = self._case(label)
            self._check(label)
            times = _runner.measure(
                contenders, case, rounds=self.options.rounds, budget=self.options.budget
            )
            rows.append([label, *(self._rate(times[name]) for name in names)])
            ratios.append([label, *(_runner.ratio(times[b], times[a]).show() for a, b in pairs)])
        count = self.options.evaluations
        return [
            f"## Gradients a second\n\nAntithetic pairs, {count} evaluations in each (float32).",
            _runner.table(["function", *names], rows),
            "How many times as fast:",
            _runner.table(["function", *(f"{a} / {b}" for a, b in pairs)], ratios),
        ]

    def methods(self) -> list[str]:
        """Judge the methods of the published decorator."""
        rows = []
        for label in self.options.cases:
            for method in METHODS:
                cells = []
                for name in (DECORATED, OLD):
                    contender = self._contender(name)
                    if contender is not None:
                        cells += self._quality(label, contender, method=method).show()
                rows.append([f"{label}, {method}", *cells])
        names = [name for name in (DECORATED, OLD) if self._contender(name) is not None]
        header = [f"{name}: {what}" for name in names for what in ("cosine", "scale")]
        return [
            "## The published methods: cosine to the gradient, and scale\n\n"
            f"Means of {self.options.seeds} estimates, with standard errors.",
            _runner.table(["function, method", *header], rows),
        ]

    def estimators(self) -> list[str]:
        """Judge and time our estimators, batched."""
        contender = self._contender(BATCHED)
        evotorch = self._contender(EVOTORCH)
        assert contender is not None
        rows = []
        for label in self.options.cases:
            named: dict[str, tuple[Contender, dict[str, str]]] = {
                name: (contender, {"estimator": name}) for name in ESTIMATORS
            }
            if evotorch is not None:
                named[EVOTORCH] = evotorch, {}
            times = self._seconds(
                {
                    name: (each, {**self._case(label), **more})
                    for name, (each, more) in named.items()
                }
            )
            for name, (each, more) in named.items():
                found = self._quality(label, each, **more)
                rows.append([f"{label}, {name}", *found.show(), self._rate(times[name])])
        count = self.options.evaluations
        return [
            f"## Estimators at equal budget: {count} evaluations\n\n"
            f"Means of {self.options.seeds} estimates, with standard errors.",
            _runner.table(["function, estimator", "cosine", "scale", "gradients a second"], rows),
        ]

    def matrices(self) -> list[str]:
        """Time directions of low rank, where matrices are large."""
        contender = self._contender(BATCHED)
        assert contender is not None
        rows = []
        for label, large in LARGE.items():
            case = {**self._case(self.options.cases[0]), **large}
            named = ("Antithetic", "LowRank")
            times = self._seconds({n: (contender, {**case, "estimator": n}) for n in named})
            full, thin = times.values()
            rows.append([label, self._rate(full), self._rate(thin)])
            rows[-1].append(_runner.ratio(full, thin).show())
        header = ["matrix", "Antithetic, a second", "LowRank, a second", "times as fast"]
        return [
            "## Directions of low rank\n\nRank one, for the first matrix of the perceptron on 64 "
            f"examples; {self.options.evaluations} evaluations, batched.",
            _runner.table(header, rows),
        ]

    def _seconds(self, named: Mapping[str, tuple[Contender, Case]]) -> dict[str, list[float]]:
        """Return the seconds of estimates, each opened anew in every round."""

        def once(contender: Contender, case: Case) -> float:
            seconds = contender.lane.open(contender.target, case)
            repeats = _runner.repeats_for(seconds, self.options.budget)
            seconds = contender.lane.time(contender.target, repeats)
            contender.lane.close(contender.target)
            return seconds

        timers = {name: functools.partial(once, *each) for name, each in named.items()}
        return _runner.interleave(timers, max(1, self.options.rounds // 2))

    def _rate(self, seconds: Sequence[float]) -> str:
        return _runner.summarize([1 / s for s in seconds]).show(digits=0)

    def _check(self, label: str) -> None:
        """Raise unless looped and batched estimates are the same."""
        case = {**self._case(label), "seed": 1}
        looped, batched = (self.ours.gradient(TARGETS[name], case) for name in (LOOPED, BATCHED))
        off = _runner.difference(looped, batched)
        if not off <= TOLERANCE:
            raise ValueError(f"{label}: {BATCHED} differs by {off:.1e} from {LOOPED}")

    def _quality(self, label: str, contender: Contender, **more: str) -> Quality:
        case = self._case(label)
        if label not in self.truths:
            self.truths[label] = self.ours.gradient(TRUTH, case)
        _runner.progress(f"{label}, {contender.name}, {more}")
        estimates = [
            contender.lane.gradient(contender.target, {**case, **more, "seed": seed})
            for seed in range(self.options.seeds)
        ]
        return quality(estimates, self.truths[label])

    def _contender(self, name: str) -> Contender | None:
        lane = self.peers if name in (OLD, EVOTORCH) else self.ours
        return None if lane is None else Contender(name, TARGETS[name], lane)

    def _case(self, label: str) -> Case:
        place = {"dtype": "float32", "device": self.options.device}
        return {**CASES[label], **place, "evaluations": self.options.evaluations}


if __name__ == "__main__":
    main()
