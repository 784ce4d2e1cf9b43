"""Claim: batched and compiled, a meta-step costs what it costs in JAX, with the same gradient.

A meta-step is the inner loop of each task, the mean query loss, and the gradient with respect to
the initial parameters (MAML). Ours, `higher` and JAX with Optax run in a process each; rounds are
interleaved. Asked for on the sinusoid with 32 tasks: batched at least 6 times `higher`, compiled at
least 50 times, and at most twice JAX's time; compilation at 50 steps at most 1.5 times that at 5.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks import _runner, peers
from benchmarks._lane import Case, ProcessLane
from benchmarks._runner import Contender

HAND, FUNC, HIGHER, JAX = "by hand", "torch.func", "higher", "JAX"
LOOP, BATCHED, COMPILED = "ours: loop", "ours: batched", "ours: compiled"
TARGETS = {
    HAND: "benchmarks._maml_plain:loop",
    FUNC: "benchmarks._maml_plain:vmapped",
    LOOP: "benchmarks._maml_minimize:loop",
    BATCHED: "benchmarks._maml_minimize:vmapped",
    COMPILED: "benchmarks._maml_minimize:compiled",
    HIGHER: "benchmarks._maml_higher:loop",
    JAX: "benchmarks._maml_jax:scanned",
}
COMPILERS = {COMPILED: "benchmarks._maml_minimize:compiler", JAX: "benchmarks._maml_jax:compiler"}
PAIRS = [
    (LOOP, HAND),
    (LOOP, HIGHER),
    (BATCHED, HIGHER),
    (BATCHED, FUNC),
    (COMPILED, HIGHER),
    (COMPILED, BATCHED),
    (COMPILED, JAX),
]
MODELS: dict[str, Case] = {
    "sinusoid": {"width": 40, "shots": 10},
    "deep": {"width": 40, "shots": 10, "pace": 0.1},  # faster, its gradient grows to 1e9, all noise
    "cnn": {"width": 64, "shots": 1},
    "transformer": {"width": 64, "shots": 4},
}
STEPS = [1, 5, 20, 50]
# The longest inner loops of all tasks together that are run: beyond, a cell would take many minutes.
LONGEST = {
    "deep": dict.fromkeys([HAND, LOOP, HIGHER], 640),
    "cnn": dict.fromkeys([HAND, FUNC, LOOP, BATCHED, HIGHER], 640),
    "transformer": {
        **dict.fromkeys([HAND, LOOP, HIGHER], 160),
        **dict.fromkeys([FUNC, BATCHED, JAX], 640),
    },
}
# Compiling the larger networks takes a minute or two, twice a case: in these, tasks and steps.
COMPILED_AT = {
    "deep": [(1, 5), (32, 5), (32, 20), (32, 50)],
    "cnn": [(1, 5), (32, 5), (32, 20)],
    "transformer": [(1, 5), (32, 5), (32, 20)],
}
TOLERANCE = 1e-8
EPS = 1e-4  # with 1e-8 the gradient's condition hides its errors: digits go where |g| is small

NOTES = f"""\
- sinusoid: 1-40-40-1; deep: 8 hidden layers of 40, which learn at a tenth of the rate; both on 10
  points of a sine, as in MAML's section 5.1. cnn: 3 convolutions of 16 channels on 28 x 28, 5 ways,
  1 shot. transformer: 2 blocks of width 64 on 4 sequences of 32 tokens. All are smooth, because at
  the exact zeros of a ReLU's gradient Adam's root has no derivative in the contenders that are not
  ours. Adam has eps {EPS}. Where a cell is "-", it would take many minutes.
- {HAND}: the loop with nothing but torch; the truth for the gradients. {FUNC}: the same in
  `torch.func.grad` and `vmap`; PyTorch's second derivative of layer norm is wrong there.
- {HIGHER}: higher 0.2.1, a loop over tasks. Its Adam adds eps before the bias correction, which is
  another update with another gradient; in brackets is the difference from the truth for that update.
- {JAX}: Optax in `jax.lax.scan`, `jax.vmap` and `jax.jit`. One thread, too. Its convolutions are
  written as matrix products: XLA's own are 50 times slower on a CPU with weights for each task.
- learn2learn 0.2.0 does not install: its C sources need a header that Python 3.11 no longer has. Its
  MAML is the loop by hand with gradient descent."""


def main(argv: Sequence[str] | None = None) -> str:
    """Run the benchmark and return its report."""
    made = _runner.parser("meta_step", __doc__)
    made.set_defaults(rounds=5)
    made.add_argument("--models", nargs="+", default=list(MODELS), choices=list(MODELS))
    made.add_argument("--steps", nargs="+", type=int, default=STEPS)
    made.add_argument("--tasks", nargs="+", type=int, default=[1, 32])
    made.add_argument("--optimizer", default="adam", choices=["adam", "sgd"])
    made.add_argument("--contenders", nargs="+", default=list(TARGETS), choices=list(TARGETS))
    made.add_argument(
        "--first", nargs="*", type=int, default=[5, 50], help="steps to time a first call at"
    )
    made.add_argument("--first-model", default="sinusoid", choices=list(MODELS))
    made.add_argument("--budget", type=float, default=0.1, help="least seconds of one turn")
    made.add_argument("--peers", type=Path, default=peers.ENVIRONMENT, help="their environment")
    options = made.parse_args(argv)
    python = peers.python(options.peers)

    with contextlib.ExitStack() as stack:
        lanes = {
            name: stack.enter_context(_lane(name, python, options))
            for name in TARGETS
            if name in {HAND, HIGHER, JAX} and (python is not None or name == HAND)
        }
        ours = [name for name in TARGETS if name not in {HIGHER, JAX}]
        contenders = [
            Contender(name, TARGETS[name], lane)
            for name, lane in {**dict.fromkeys(ours, lanes[HAND]), **lanes}.items()
            if name in options.contenders
        ]
        truth = Contender(HAND, TARGETS[HAND], lanes[HAND])
        names = [each.name for each in contenders]
        others = [name for name in names if name != HAND]
        pairs = [(a, b) for a, b in PAIRS if a in names and b in names]
        medians, ratios, gradients = [], [], []
        for model in options.models:
            for tasks, steps in itertools.product(options.tasks, options.steps):
                entered = [each for each in contenders if enters(each.name, model, tasks, steps)]
                if not entered:
                    continue
                label = _label(model, tasks, steps)
                _runner.progress(label)
                case = _case(model, tasks, steps, options)
                off = check(truth, entered, case)
                times = _runner.measure(entered, case, rounds=options.rounds, budget=options.budget)
                shown = {n: _runner.summarize(sample).show(1e3) for n, sample in times.items()}
                faster = {
                    (a, b): _runner.ratio(times[b], times[a]).show()
                    for a, b in pairs
                    if a in times and b in times
                }
                gradients.append([label, *(off.get(name, "-") for name in others)])
                medians.append([label, *(shown.get(name, "-") for name in names)])
                ratios.append([label, *(faster.get(pair, "-") for pair in pairs)])

    sections = [
        "## Milliseconds of a meta-step (float32)\n\nMedian and quartiles; compilation not counted.",
        _runner.table(["inner loop", *names], medians),
        "## Times theirs / ours\n\nAbove 1, the second is faster. "
        "Median and quartiles of the ratios within rounds.",
        _runner.table(["inner loop", *(f"{b} / {a}" for a, b in pairs)], ratios),
        "## Meta-gradient in float64, relative difference from the one by hand",
        _runner.table(["inner loop", *others], gradients),
        *_first_calls(python, options),
        NOTES if python is not None else peers.ABSENT,
    ]
    return _runner.write("A meta-step", sections, made=made, options=options)


def enters(name: str, model: str, tasks: int, steps: int) -> bool:
    """Whether a contender runs a case: not where that would take many minutes."""
    if name == COMPILED and model in COMPILED_AT:
        return (tasks, steps) in COMPILED_AT[model]
    return tasks * steps <= LONGEST.get(model, {}).get(name, math.inf)


def check(truth: Contender, contenders: Sequence[Contender], case: Case) -> dict[str, str]:
    """Return how far each gradient is from the one by hand, as text, by the contender's name.

    Raises:
        ValueError: If a gradient that must agree differs by more than 1e-8.
    """
    by_hand = truth.lane.gradient(truth.target, case)
    shown = {}
    for each in contenders:
        if each.name == HAND:
            continue
        gradient = each.lane.gradient(each.target, case)
        off = _runner.difference(by_hand, gradient)
        text, bound_by = f"{off:.1e}", off
        if case["optimizer"] == "adam" and each.name == HIGHER:
            its_own = truth.lane.gradient("benchmarks._maml_plain:early_eps", case)
            bound_by = _runner.difference(its_own, gradient)
            text += f" [{bound_by:.1e}]"
        must_agree = not (each.name == FUNC and case["model"] == "transformer")
        if must_agree and not bound_by <= TOLERANCE:
            raise ValueError(
                f"{each.name} differs by {bound_by:.1e} from the gradient by hand in {case}"
            )
        shown[each.name] = text
    return shown


def _first_calls(python: Path | None, options: Any) -> list[str]:
    """Time first calls, each in a fresh process with an empty cache, once its compiler is loaded."""
    names = [
        name
        for name in COMPILERS
        if name in options.contenders and (python is not None or name != JAX)
    ]
    if not options.first or not names:
        return []
    rows = []
    for name in names:
        seconds = []
        for steps in options.first:
            case = _case(options.first_model, max(options.tasks), steps, options)
            _runner.progress(f"first call: {name}, {steps} steps")
            with (
                tempfile.TemporaryDirectory() as cache,
                _lane(name, python, options, {"TORCHINDUCTOR_CACHE_DIR": cache}) as lane,
            ):
                lane.gradient(COMPILERS[name], case)
                seconds.append(lane.first(TARGETS[name], case))
        shown = [f"{x:.1f}" for x in seconds]
        rows.append([name, *shown, f"{seconds[-1] / seconds[0]:.2f}"])
    header = ["", *(f"{steps} steps, s" for steps in options.first)]
    header.append(f"{options.first[-1]} / {options.first[0]}")
    return [
        f"## First call, with compilation\n\n{options.first_model}, {max(options.tasks)} tasks.",
        _runner.table(header, rows),
    ]


def _lane(
    name: str, python: Path | None, options: Any, variables: Mapping[str, str] | None = None
) -> ProcessLane:
    if name not in {HIGHER, JAX}:
        return ProcessLane(sys.executable, options.threads, path=sys.path, variables=variables)
    assert python is not None
    own = peers.xla(options.threads, options.device) if name == JAX else {}
    return ProcessLane(python, options.threads, variables={**own, **(variables or {})})


def _case(model: str, tasks: int, steps: int, options: Any) -> Case:
    return {
        "model": model,
        **MODELS[model],
        "tasks": tasks,
        "steps": steps,
        "optimizer": options.optimizer,
        "eps": EPS,
        "dtype": "float32",
        "device": options.device,
    }


def _label(model: str, tasks: int, steps: int) -> str:
    return f"{model}, {tasks} task{'s' * (tasks > 1)}, {steps} step{'s' * (steps > 1)}"


if __name__ == "__main__":
    main()
