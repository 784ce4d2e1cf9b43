"""Claim: an implicit hypergradient needs one held graph, and memory that does not grow with steps.

Every contender is given the same solution of the inner problem, and what is timed is the gradient of
the outer loss with respect to the penalties. Ours, the published TorchOpt and JAXopt run in a process
each; rounds are interleaved.
"""

from __future__ import annotations

import contextlib
import functools
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks import _runner, peers
from benchmarks._lane import Case, ProcessLane
from benchmarks._runner import Contender

MINIMIZE, ROOT, MODULE = "ours: minimize", "ours: custom_root", "ours: module"
COMPILED = "ours: compiled"
OLD_ROOT, OLD_MODULE = "0.7.3: custom_root", "0.7.3: module"
HYPERTORCH, JAXOPT = "as hypertorch", "jaxopt"
TARGETS = {
    MINIMIZE: "benchmarks._implicit_minimize:cg",
    COMPILED: "benchmarks._implicit_minimize:cg_compiled",
    ROOT: "benchmarks._implicit_torchopt:root",
    MODULE: "benchmarks._implicit_torchopt:module",
    HYPERTORCH: "benchmarks._implicit_hypertorch:cg",
    OLD_ROOT: "benchmarks._implicit_torchopt:root",
    OLD_MODULE: "benchmarks._implicit_torchopt:module",
    JAXOPT: "benchmarks._implicit_jaxopt:cg",
}
PAIRS = [
    (MINIMIZE, HYPERTORCH),
    (ROOT, OLD_ROOT),
    (MODULE, OLD_MODULE),
    (MINIMIZE, OLD_ROOT),
    (MINIMIZE, JAXOPT),
    (COMPILED, JAXOPT),
]
TRUTH = "benchmarks._implicit:exact"
TOLERANCE = 1e-8

CASES: dict[str, Case] = {
    "ridge, 200 x 20": {"problem": "ridge", "examples": 200, "features": 20},
    "ridge, 2000 x 200": {"problem": "ridge", "examples": 2000, "features": 200},
    "ridge, 5000 x 1000": {"problem": "ridge", "examples": 5000, "features": 1000},
    "logistic, 500 x 20": {"problem": "logistic", "examples": 500, "features": 20},
    "logistic, 2000 x 100": {"problem": "logistic", "examples": 2000, "features": 100},
    "logistic, 5000 x 200": {"problem": "logistic", "examples": 5000, "features": 200},
    "mlp, 500 x 32-16": {"problem": "mlp", "examples": 500, "features": 32, "hidden": 16},
    "mlp, 2000 x 64-32": {"problem": "mlp", "examples": 2000, "features": 64, "hidden": 32},
}
METHODS = {
    "CG": ("_implicit_minimize:cg", "_implicit_hypertorch:cg"),
    "Neumann": ("_implicit_minimize:neumann", "_implicit_hypertorch:neumann"),
    "fixed point": ("_implicit_minimize:fixed_point", "_implicit_hypertorch:fixed_point"),
}
GRAPHS = {
    "ours, held": "_implicit_minimize:cg",
    "ours, each": "_implicit_minimize:cg_anew",
    "as hypertorch, held": "_implicit_hypertorch:cg",
    "as hypertorch, each": "_implicit_hypertorch:cg_anew",
}
PRODUCTS = ("reverse", "forward")
DESCENTS = {
    "implicit": "benchmarks._implicit_minimize:descent_implicit",
    "graph": "benchmarks._implicit_minimize:descent_graph",
    "step": "benchmarks._implicit_minimize:descent_step",
}
ITERATIONS = 20
# glibc then gives freed tensors back at once; else fragmentation is counted as memory in use.
ALLOCATOR = {"MALLOC_MMAP_THRESHOLD_": "65536"}

NOTES = f"""\
- Conjugate gradients to a relative residual of 1e-5 in each, from zero, where nothing else is said.
- {ROOT} and {OLD_ROOT}, {MODULE} and {OLD_MODULE} are the same programs,
  `benchmarks/_implicit_torchopt.py`; 0.7.3 is the published TorchOpt.
- {HYPERTORCH}: hypertorch's algorithms, written by hand, because no package index has it (what one
  offers by that name is another package). It holds one graph by default; "each" is its stochastic mode.
- {COMPILED}: `minimize` inside `meta_grad_and_value(compile=True)`; compilation is not counted.
- {JAXOPT}: `custom_root` inside `jax.jit`; compilation is not counted. One thread, too."""


def main(argv: Sequence[str] | None = None) -> str:
    """Run the benchmark and return its report."""
    made = _runner.parser("implicit", __doc__)
    made.set_defaults(rounds=9)
    made.add_argument("--cases", nargs="+", default=list(CASES), choices=list(CASES))
    made.add_argument("--steps", nargs="+", type=int, default=[10, 100, 1000])
    made.add_argument("--unroll", default="logistic, 2000 x 100", choices=list(CASES))
    made.add_argument("--budget", type=float, default=0.05, help="least seconds of one turn")
    weighed = ["logistic, 5000 x 200", "mlp, 2000 x 64-32"]
    made.add_argument("--weighed", nargs="*", default=weighed, choices=list(CASES))
    made.add_argument("--peers", type=Path, default=peers.ENVIRONMENT, help="their environment")
    options = made.parse_args(argv)
    python = peers.python(options.peers)
    if python is not None and options.device != "cpu":
        raise ValueError("the peers are measured on the CPU only: name an absent folder in --peers")

    with contextlib.ExitStack() as stack:
        bench = _Bench(
            stack.enter_context(ProcessLane(sys.executable, options.threads, path=sys.path)),
            None if python is None else stack.enter_context(_peer(python, options.threads)),
            None if python is None else stack.enter_context(_jax(python, options.threads)),
            python,
            stack.enter_context(tempfile.TemporaryDirectory()),
            options,
        )
        sections = [
            *bench.hypergradients(),
            *bench.methods(),
            *bench.graphs(),
            *bench.products(),
            *bench.memory(),
            NOTES if python is not None else f"{NOTES}\n\n{peers.ABSENT}",
        ]
    return _runner.write("Implicit hypergradients", sections, made=made, options=options)


def check(contender: Contender, case: Case, truth: Sequence[float], bound: float) -> float:
    """Return how far a float64 hypergradient is from the truth.

    Raises:
        ValueError: If it is further than the bound.
    """
    off = _runner.difference(truth, contender.lane.gradient(contender.target, case))
    if not off <= bound:
        raise ValueError(f"{contender.name} differs by {off:.1e} from the truth in {case}")
    return off


@dataclass(frozen=True)
class _Bench:
    """The sections of the report."""

    ours: ProcessLane
    published: ProcessLane | None
    jax: ProcessLane | None
    python: Path | None
    cache: str
    options: Any
    truths: dict[str, list[float]] = field(default_factory=dict)

    def hypergradients(self) -> list[str]:
        """Time all contenders on all cases."""
        contenders = self._contenders(dict.fromkeys(TARGETS), TARGETS.__getitem__)
        names = [each.name for each in contenders]
        pairs = [(a, b) for a, b in PAIRS if b in names]
        medians, ratios, differences = [], [], []
        for label in self.options.cases:
            case = self._case(label)
            truth = self._truth(label)
            offs = [check(each, case, truth, TOLERANCE) for each in contenders]
            differences.append([label, *(f"{x:.1e}" for x in offs)])
            times = self._measure(contenders, case)
            medians.append([label, *(_runner.summarize(times[n]).show(1e3) for n in names)])
            ratios.append([label, *(_runner.ratio(times[b], times[a]).show() for a, b in pairs)])
        return [
            "## Milliseconds of a hypergradient (float32)\n\nMedian and quartiles; CG.",
            _runner.table(["inner problem", *names], medians),
            "## Times theirs / ours\n\nAbove 1, ours is faster. "
            "Median and quartiles of the ratios within rounds.",
            _runner.table(["inner problem", *(f"{b} / {a}" for a, b in pairs)], ratios),
            "## Hypergradient in float64, relative difference from the truth\n\nRidge: the closed "
            "form. Else: the Hessian's rows, factorized. The linear solves' tolerance is 1e-11.",
            _runner.table(["inner problem", *names], differences),
            *self._peaks(
                "hypergradient",
                {each.name: functools.partial(self._weigh, each) for each in contenders},
            ),
        ]

    def methods(self) -> list[str]:
        """Time the linear solvers that hypertorch has, too."""
        rows = []
        for label in self._convex():
            case = self._case(label)
            truth = self._truth(label)
            for method, targets in METHODS.items():
                pair = [
                    Contender(name, f"benchmarks.{target}", self.ours)
                    for name, target in zip((MINIMIZE, HYPERTORCH), targets, strict=True)
                ]
                offs = [check(each, case, truth, TOLERANCE) for each in pair]
                times = self._measure(pair, case)
                rows.append(
                    [
                        f"{label}, {method}",
                        *(_runner.summarize(times[each.name]).show(1e3) for each in pair),
                        _runner.ratio(times[HYPERTORCH], times[MINIMIZE]).show(),
                        *(f"{x:.1e}" for x in offs),
                    ]
                )
        header = ["inner problem, method", "ours ms", f"{HYPERTORCH} ms", "theirs / ours"]
        header += ["ours: difference", "theirs: difference"]
        return [
            "## The methods of hypertorch\n\nTo a relative residual of 1e-5 (float32); differences "
            "from the truth in float64, to one of 1e-11.",
            _runner.table(header, rows),
        ]

    def graphs(self) -> list[str]:
        """Time one held graph beside one for each product."""
        contenders = [Contender(n, f"benchmarks.{t}", self.ours) for n, t in GRAPHS.items()]
        rows = []
        for label in self.options.cases:
            times = self._measure(contenders, {**self._case(label), "iterations": ITERATIONS})
            held, each, their_held, their_each = (times[name] for name in GRAPHS)
            rows.append(
                [
                    label,
                    *(_runner.summarize(times[name]).show(1e3) for name in GRAPHS),
                    _runner.ratio(each, held).show(),
                    _runner.ratio(their_each, their_held).show(),
                    _runner.ratio(their_each, held).show(),
                ]
            )
        header = ["inner problem", *(f"{name} ms" for name in GRAPHS)]
        header += ["ours: each / held", "hypertorch: each / held", "hypertorch, each / ours, held"]
        return [
            f"## One graph for all products, or one for each\n\n{ITERATIONS} iterations of CG in each.",
            _runner.table(header, rows),
        ]

    def products(self) -> list[str]:
        """Time and weigh the ways to a Hessian-vector product."""
        contender = Contender(MINIMIZE, TARGETS[MINIMIZE], self.ours)
        rows = []
        for label in self.options.cases:
            case = self._case(label)
            truth = self._truth(label)
            offs = [
                check(
                    Contender(f'hvp="{hvp}"', contender.target, self.ours),
                    # To a tolerance that the products' own digits allow.
                    {**case, "hvp": hvp},
                    truth,
                    TOLERANCE,
                )
                for hvp in PRODUCTS
            ]
            fixed = {**case, "iterations": ITERATIONS}
            times = self._vary(contender, {hvp: {**fixed, "hvp": hvp} for hvp in PRODUCTS})
            rows.append(
                [
                    label,
                    *(_runner.summarize(times[hvp]).show(1e3) for hvp in PRODUCTS),
                    *(_runner.ratio(times[hvp], times["reverse"]).show() for hvp in PRODUCTS[1:]),
                    *(f"{x:.1e}" for x in offs),
                ]
            )
        header = ["inner problem", *(f"{hvp} ms" for hvp in PRODUCTS)]
        header += [f"{hvp} / reverse" for hvp in PRODUCTS[1:]]
        header += [f"{hvp}: difference" for hvp in PRODUCTS]
        return [
            f"## Ways to a Hessian-vector product\n\n{ITERATIONS} iterations of CG in each (float32); "
            "differences from the truth in float64.",
            _runner.table(header, rows),
            *self._peaks(
                "hypergradient, by products",
                {
                    hvp: functools.partial(self._weigh, contender, hvp=hvp, iterations=ITERATIONS)
                    for hvp in PRODUCTS
                },
            ),
        ]

    def memory(self) -> list[str]:
        """Weigh the implicit mode beside both unrolled ones, by the number of inner steps."""
        label = self.options.unroll
        truth = self._truth(label)
        rows = []
        for steps in self.options.steps:
            _runner.progress(f"{label}, {steps} steps")
            case = {**self._case(label), "steps": steps}
            contenders = [Contender(n, t, self.ours) for n, t in DESCENTS.items()]
            offs = [
                _runner.difference(truth, self.ours.gradient(each.target, case))
                for each in contenders
            ]
            times = _runner.measure(
                contenders, case, rounds=min(3, self.options.rounds), budget=self.options.budget
            )
            rows.append(
                [
                    str(steps),
                    *(self._weigh(each, case) for each in contenders),
                    *(_runner.summarize(times[name]).show(1e3, 0) for name in DESCENTS),
                    *(f"{x:.1e}" for x in offs),
                ]
            )
        header = ["inner steps", *(f"{name} MiB" for name in DESCENTS)]
        header += [f"{name} ms" for name in DESCENTS]
        header += [f"{name}: difference" for name in DESCENTS]
        return [
            "## Memory and time by the number of inner steps\n\n"
            f"Gradient descent on {label}, and its hypergradient: implicit, unrolled with its whole "
            "graph, unrolled with rematerialized steps. The difference is that from the hypergradient "
            "at the solution.",
            _runner.table(header, rows),
        ]

    def _case(self, label: str) -> Case:
        place = {"dtype": "float32", "device": self.options.device, "cache": self.cache}
        return {**CASES[label], **place}

    def _truth(self, label: str) -> list[float]:
        if label not in self.truths:
            self.truths[label] = self.ours.gradient(TRUTH, self._case(label))
        return self.truths[label]

    def _convex(self) -> list[str]:
        chosen = [x for x in self.options.cases if CASES[x]["problem"] != "mlp"]
        return chosen[:1] if len(chosen) < 5 else [chosen[1], chosen[4]]

    def _contenders(
        self, names: Mapping[str, Any], target: Callable[[str], str]
    ) -> list[Contender]:
        lanes = {OLD_ROOT: self.published, OLD_MODULE: self.published, JAXOPT: self.jax}
        found = ((name, lanes.get(name, self.ours)) for name in names)
        return [Contender(name, target(name), lane) for name, lane in found if lane is not None]

    def _measure(self, contenders: Sequence[Contender], case: Case) -> dict[str, list[float]]:
        _runner.progress(str(case))
        o = self.options
        return _runner.measure(contenders, case, rounds=o.rounds, budget=o.budget)

    def _vary(self, contender: Contender, cases: Mapping[str, Case]) -> dict[str, list[float]]:
        """Time one contender on several cases, each opened anew in every round."""
        lane, target = contender.lane, contender.target

        def timer(case: Case) -> float:
            repeats = _runner.repeats_for(lane.open(target, case), self.options.budget)
            seconds = lane.time(target, repeats)
            lane.close(target)
            return seconds

        timers = {name: functools.partial(timer, case) for name, case in cases.items()}
        return _runner.interleave(timers, self.options.rounds)

    def _peaks(self, what: str, weigh: Mapping[str, Callable[[Case], str]]) -> list[str]:
        if not self.options.weighed:
            return []
        rows = [
            [label, *(each(self._case(label)) for each in weigh.values())]
            for label in self.options.weighed
        ]
        return [
            f"## Peak memory of a {what}, MiB\n\n"
            "What one adds to a fresh process that has computed one before.",
            _runner.table(["inner problem", *weigh], rows),
        ]

    def _weigh(self, contender: Contender, case: Case, **more: Any) -> str:
        _runner.progress(f"memory: {contender.name}, {case}")
        with self._fresh(contender) as lane:
            return f"{lane.peak(contender.target, {**case, **more}):.1f}"

    def _fresh(self, contender: Contender) -> ProcessLane:
        threads = self.options.threads
        if contender.lane is self.ours:
            return ProcessLane(sys.executable, threads, path=sys.path, variables=ALLOCATOR)
        assert self.python is not None
        make = _jax if contender.lane is self.jax else _peer
        return make(self.python, threads, ALLOCATOR)


def _peer(python: Path, threads: int, variables: Mapping[str, str] | None = None) -> ProcessLane:
    return ProcessLane(python, threads, variables=variables)


def _jax(python: Path, threads: int, variables: Mapping[str, str] | None = None) -> ProcessLane:
    return _peer(python, threads, {**peers.xla(threads), **(variables or {})})


if __name__ == "__main__":
    main()
