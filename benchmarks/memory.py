"""Claim: one word bounds the memory of an unroll, with the same gradient; its price in time.

Peak memory is what one meta-step adds at its peak to the resident memory of a fresh process that
has already run one of a single inner step (on a GPU: to the allocator's); tracemalloc does not see
tensors. Asked for: at least 3 times less memory at 1.5 times the time or less, at least 8 times with
``offload``, and flat in the number of steps with ``"tree"``.
"""

from __future__ import annotations

import functools
import itertools
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks import _runner
from benchmarks._lane import Case, ProcessLane

TARGET = "benchmarks._memory:unroll"
TOLERANCE = 1e-8
# glibc then gives freed tensors back at once; else fragmentation is counted as memory in use.
ALLOCATOR = {"MALLOC_MMAP_THRESHOLD_": "65536"}


@dataclass(frozen=True)
class Policy:
    """A row of the tables.

    Args:
        name: What the report calls it.
        mode: The arguments of `torchopt.diff.Explicit`.
        more: What it adds to the case.
        tolerance: How far its float64 gradient may be from that of ``"graph"``.
        device: Where it makes sense; everywhere by default.
    """

    name: str
    mode: Case = field(default_factory=dict)
    more: Case = field(default_factory=dict)
    tolerance: float = TOLERANCE
    device: str = ""

    def case(self, case: Case) -> Case:
        """Return the case with this policy."""
        return {**case, "mode": self.mode, **self.more}


GRAPH = "graph"
REMAT = {"call": "remat"}
POLICIES = [
    Policy(GRAPH),
    Policy("step", {"memory": "step"}),
    Policy("sqrt", {"memory": "sqrt"}),
    Policy("tree", {"memory": "tree"}),
    Policy("tree, 4 checkpoints", {"memory": "tree", "carries": 4}),
    Policy("forward, learning rate only", {"memory": "forward"}),
    Policy("graph, on disk", {"offload": "disk"}),
    Policy("step, on disk", {"memory": "step", "offload": "disk"}),
    Policy("graph, on the host", {"offload": "cpu"}, device="cuda"),
    Policy("step, on the host", {"memory": "step", "offload": "cpu"}, device="cuda"),
    Policy("step, hvp forward", {"memory": "step", "hvp": "forward"}),
    # A central difference has two thirds of the digits, in each step.
    Policy(
        "step, hvp finite_difference",
        {"memory": "step", "hvp": "finite_difference"},
        tolerance=1e-4,
    ),
    Policy("graph, blocks by remat", more=REMAT),
    Policy("step, blocks by remat", {"memory": "step"}, REMAT),
    Policy("tree, blocks by remat", {"memory": "tree"}, REMAT),
    Policy("tree, on disk, blocks by remat", {"memory": "tree", "offload": "disk"}, REMAT),
    Policy("step, 4 micro-batches", {"memory": "step"}, {"micro_batches": 4}),
    Policy("tree, 4 micro-batches", {"memory": "tree"}, {"micro_batches": 4}),
    Policy(
        "tree, on disk, 4 micro-batches",
        {"memory": "tree", "offload": "disk"},
        {"micro_batches": 4},
    ),
]
MODELS: dict[str, Case] = {
    "transformer": {"width": 256, "blocks": 6, "examples": 8, "length": 256},
    "mlp": {"width": 256, "blocks": 6, "examples": 2048},
}
# Which policies are measured at more than the fewest steps: of the transformer, the graph of 50 steps
# does not fit into 24 GiB, and a quarter of an hour is enough.
LONG = {
    "transformer": ("step", "sqrt", "tree", "tree, blocks by remat", "graph, on disk"),
    "mlp": tuple(each.name for each in POLICIES),
}
# What the gradients are compared on, in float64.
SMALL: dict[str, Case] = {
    "transformer": {"width": 16, "blocks": 2, "examples": 4, "length": 8},
    "mlp": {"width": 8, "blocks": 2, "examples": 16},
}

NOTES = """\
- transformer: 6 blocks of width 256 on 8 sequences of 256 tokens, 4.9 million parameters; mlp: 6 hidden
  layers of width 256 behind layer norms, on 2,048 examples. The gradient is that of the start and of
  the learning rate; in forward mode, of the learning rate.
- Time and memory are those of the same call; each call is in a process of its own.
- difference: of the float64 gradients of a small network of the same kind, with as many steps,
  relative to the largest entry: the greater of the learning rate's and the start's."""


def main(argv: Sequence[str] | None = None) -> str:
    """Run the benchmark and return its report."""
    made = _runner.parser("memory", __doc__)
    made.set_defaults(rounds=1)
    known = [each.name for each in POLICIES]
    made.add_argument("--models", nargs="+", default=list(MODELS), choices=list(MODELS))
    made.add_argument("--optimizers", nargs="+", default=["adam"], choices=["sgd", "adam"])
    made.add_argument("--steps", nargs="+", type=int, default=[10, 50])
    made.add_argument("--policies", nargs="+", default=known, choices=known)
    made.add_argument("--examples", type=int, help="of a batch, instead of the model's own")
    made.add_argument("--blocks", type=int, help="of a network, instead of the model's own")
    options = made.parse_args(argv)
    policies = [
        each
        for each in POLICIES
        if each.name in options.policies and options.device.startswith(each.device)
    ]

    sections = []
    for model, optimizer in itertools.product(options.models, options.optimizers):
        sections += _tables(model, optimizer, policies, options)
    return _runner.write(
        "Memory policies of an unroll", [*sections, NOTES], made=made, options=options
    )


def check(lane: ProcessLane, policies: Sequence[Policy], case: Case) -> dict[str, float]:
    """Return how far the float64 gradient of each policy is from that of the graph.

    Raises:
        ValueError: If it is further than the policy's tolerance.
    """
    truth = lane.gradient(TARGET, case)
    offs = {}
    for each in policies:
        found = lane.gradient(TARGET, each.case(case))
        # By parts: beside the learning rate's derivative, errors in the start's would not show.
        parts = [slice(0, 1), slice(1, len(found))][: len(found)]
        both = [_runner.difference(truth[part], found[part]) for part in parts]
        if not all(off <= each.tolerance for off in both):  # NaN is not
            shown = " and ".join(f"{off:.1e}" for off in both)
            raise ValueError(f"{each.name} differs by {shown} from the graph's gradient in {case}")
        offs[each.name] = max(both)
    return offs


def _tables(model: str, optimizer: str, policies: Sequence[Policy], options: Any) -> list[str]:
    """Return a table for each number of steps, and that of the growth between them."""
    sections, medians = [], {}
    for steps in options.steps:
        measured = [
            each for each in policies if steps == min(options.steps) or each.name in LONG[model]
        ]
        place = {"optimizer": optimizer, "steps": steps, "device": options.device}
        case = {"model": model, **MODELS[model], **place, "dtype": "float32"}
        case |= {
            name: getattr(options, name)
            for name in ("examples", "blocks")
            if getattr(options, name) is not None
        }
        with ProcessLane(sys.executable, options.threads, path=sys.path) as lane:
            offs = check(lane, measured, {"model": model, **SMALL[model], **place})
        weigh = {each.name: functools.partial(_cost, each, case, options) for each in measured}
        costs = _runner.interleave(weigh, options.rounds)
        peaks = {name: [cost[0] for cost in own] for name, own in costs.items()}
        times = {name: [cost[1] for cost in own] for name, own in costs.items()}
        rows = []
        for name in peaks:
            medians[name, steps] = _runner.summarize(peaks[name]).median
            ratios = ["-", "-"]
            if GRAPH in peaks:
                ratios = [
                    _runner.ratio(peaks[GRAPH], peaks[name]).show(digits=1),
                    _runner.ratio(times[name], times[GRAPH]).show(),
                ]
            peak = _runner.summarize(peaks[name]).show(digits=1)
            rows.append(
                [name, peak, _runner.summarize(times[name]).show(), *ratios, f"{offs[name]:.1e}"]
            )
        header = ["policy", "MiB", "seconds", "graph / policy, MiB", "policy / graph, seconds"]
        sections += [
            f"## {model}, {optimizer}, {steps} steps",
            _runner.table([*header, "difference"], rows),
        ]
    return [*sections, *_growth(f"{model}, {optimizer}", medians, policies, options.steps)]


def _growth(
    title: str,
    medians: dict[tuple[str, int], float],
    policies: Sequence[Policy],
    steps: Sequence[int],
) -> list[str]:
    """Return the table of the peaks by the number of steps."""
    few, many = min(steps), max(steps)
    both = [each.name for each in policies if {(each.name, few), (each.name, many)} <= set(medians)]
    if few == many or not both:
        return []
    rows = [
        [
            name,
            *(f"{medians[name, n]:.1f}" for n in (few, many)),
            f"{medians[name, many] / medians[name, few]:.2f}",
            f"{medians[GRAPH, few] / medians[name, many]:.1f}" if (GRAPH, few) in medians else "-",
        ]
        for name in both
    ]
    header = ["policy", f"{few} steps, MiB", f"{many} steps, MiB", f"{many} / {few}"]
    header.append(f"graph of {few} / policy of {many}")
    return [f"## {title}: growth with the number of steps", _runner.table(header, rows)]


def _cost(policy: Policy, case: Case, options: Any) -> tuple[float, float]:
    _runner.progress(f"{case['model']}, {case['optimizer']}, {case['steps']} steps: {policy.name}")
    with ProcessLane(sys.executable, options.threads, path=sys.path, variables=ALLOCATOR) as lane:
        return lane.cost(TARGET, policy.case(case))


if __name__ == "__main__":
    main()
