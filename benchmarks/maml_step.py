"""Claim: MAML's meta-gradient is right to rounding; its cost beside `higher` and TorchOpt 0.7.3.

A meta-step is the inner loop of each task, the mean query loss, and the gradient with respect to
the initial parameters. Ours and the peers run in a process each; rounds are interleaved.
"""

from __future__ import annotations

import contextlib
import itertools
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks import _runner, peers
from benchmarks._lane import Case, ProcessLane
from benchmarks._runner import Contender

HAND, HIGHER = "by hand", "higher"
MINIMIZE, OOP, VMAP = "ours: minimize", "ours: OOP", "ours: vmap"
OLD_LOOP, OLD_OOP, OLD_VMAP = "0.7.3: functional", "0.7.3: OOP", "0.7.3: vmap"
PAIRS = [
    (MINIMIZE, HAND),
    (MINIMIZE, HIGHER),
    (MINIMIZE, OLD_LOOP),
    (OOP, HIGHER),
    (OOP, OLD_OOP),
    (VMAP, HIGHER),
    (VMAP, OLD_VMAP),
]
TOLERANCE = 1e-8

NOTES = f"""\
- {HAND}: the same loop with nothing but torch; the truth for the gradients.
- {HIGHER}: higher 0.2.1. Its Adam adds eps before the bias correction, which is another update with
  another gradient; in brackets is the difference from the truth for that update.
- 0.7.3: the published TorchOpt. Its Adam computes the bias correction in float32 in every dtype.
- {OOP} and {OLD_OOP} are the same program, `benchmarks/_maml_torchopt.py`.
- {VMAP} is `torchopt.minimize` inside `torchopt.vmap_tasks`; {OLD_VMAP} is `init`, `update` and
  `apply_updates` there, because it has no `minimize`."""


def main(argv: Sequence[str] | None = None) -> str:
    """Run the benchmark and return its report."""
    made = _runner.parser("maml_step", __doc__)
    made.add_argument("--models", nargs="+", default=["mlp", "cnn"], choices=["mlp", "cnn"])
    made.add_argument("--optimizers", nargs="+", default=["sgd", "adam"], choices=["sgd", "adam"])
    made.add_argument("--steps", nargs="+", type=int, default=[1, 5, 10])
    made.add_argument("--tasks", type=int, default=4)
    made.add_argument("--width", type=int, default=64)
    made.add_argument("--budget", type=float, default=0.1, help="least seconds of one turn")
    made.add_argument("--peers", type=Path, default=peers.ENVIRONMENT, help="their environment")
    options = made.parse_args(argv)

    with contextlib.ExitStack() as stack:
        ours = stack.enter_context(ProcessLane(sys.executable, options.threads, path=sys.path))
        contenders = [
            Contender(HAND, "benchmarks._maml_plain:loop", ours),
            Contender(MINIMIZE, "benchmarks._maml_minimize:loop", ours),
            Contender(OOP, "benchmarks._maml_torchopt:oop", ours),
            Contender(VMAP, "benchmarks._maml_minimize:vmapped", ours),
        ]
        python = peers.python(options.peers)
        if python is not None:
            theirs = stack.enter_context(ProcessLane(python, options.threads))
            contenders += [
                Contender(HIGHER, "benchmarks._maml_higher:loop", theirs),
                Contender(OLD_LOOP, "benchmarks._maml_torchopt:functional", theirs),
                Contender(OLD_OOP, "benchmarks._maml_torchopt:oop", theirs),
                Contender(OLD_VMAP, "benchmarks._maml_torchopt:vmapped", theirs),
            ]
        names = [each.name for each in contenders]
        pairs = [(a, b) for a, b in PAIRS if b in names]
        medians, ratios, gradients = [], [], []
        for model, optimizer, steps in itertools.product(
            options.models, options.optimizers, options.steps
        ):
            label = f"{model}, {optimizer}, {steps} step{'s' * (steps > 1)}"
            _runner.progress(label)
            case = {
                "model": model,
                "optimizer": optimizer,
                "steps": steps,
                "tasks": options.tasks,
                "shots": 1,
                "width": options.width,
                "dtype": "float32",
                "device": options.device,
            }
            gradients.append([label, *check(contenders, case)])
            times = _runner.measure(contenders, case, rounds=options.rounds, budget=options.budget)
            medians.append([label, *(_runner.summarize(times[n]).show(1e3) for n in names)])
            ratios.append([label, *(_runner.ratio(times[b], times[a]).show() for a, b in pairs)])

    sections = [
        "## Milliseconds of a meta-step (float32)\n\nMedian and quartiles.",
        _runner.table(["inner loop", *names], medians),
        "## Times theirs / ours\n\nAbove 1, ours is faster. "
        "Median and quartiles of the ratios within rounds.",
        _runner.table(["inner loop", *(f"{b} / {a}" for a, b in pairs)], ratios),
        "## Meta-gradient in float64, relative difference from the one by hand",
        _runner.table(["inner loop", *names[1:]], gradients),
        NOTES if python is not None else peers.ABSENT,
    ]
    return _runner.write("The meta-step of MAML", sections, made=made, options=options)


def check(contenders: Sequence[Contender], case: Case) -> list[str]:
    """Return how far each gradient is from the one by hand, as text.

    Raises:
        ValueError: If a gradient that must agree differs by more than 1e-8.
    """
    by_hand, *others = contenders
    truth = by_hand.lane.gradient(by_hand.target, case)
    shown = []
    for each in others:
        gradient = each.lane.gradient(each.target, case)
        off = _runner.difference(truth, gradient)
        text, bound_by = f"{off:.1e}", off
        if case["optimizer"] == "adam" and each.name == HIGHER:
            its_own = by_hand.lane.gradient("benchmarks._maml_plain:early_eps", case)
            bound_by = _runner.difference(its_own, gradient)
            text += f" [{bound_by:.1e}]"
        must_agree = case["optimizer"] == "sgd" or not each.name.startswith("0.7.3")
        if must_agree and not bound_by <= TOLERANCE:
            raise ValueError(
                f"{each.name} differs by {bound_by:.1e} from the gradient by hand in {case}"
            )
        shown.append(text)
    return shown


if __name__ == "__main__":
    main()
