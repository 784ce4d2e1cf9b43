"""Claim: an optimizer's step and its derivative run at the speed of memory, from one formula.

One Adam step, forward and backward, against PyTorch's operations, `_foreach`, `torch.compile`, the
published TorchOpt, JAX, and PyTorch's fused Adam: with its derivative by hand, and, as a bound, in
place and forward only. Then a step of every optimizer that has a kernel or a twin in `torch.optim`.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks import _runner, peers
from benchmarks._lane import Case, ProcessLane
from benchmarks._runner import Contender

PLAIN, TUNED, FOREACH, COMPILED = "plain", "plain, tuned allocator", "_foreach", "torch.compile"
BOUND, BY_HAND = "_fused_adam_ (forward)", "_fused_adam_, derivative by hand"
PUBLISHED, JAX, UNFUSED = "torchopt 0.7.3", "JAX", "ours, plain operations"
OURS = "ours"

MLP = [[64, 32], [64], [64, 64], [64], [10, 64], [10]]


def resnet18() -> list[list[int]]:
    """Return the shapes of the 62 parameters of a ResNet-18."""
    shapes = [[64, 3, 7, 7], [64], [64]]
    for inside, outside in ((64, 64), (64, 128), (128, 256), (256, 512)):
        for first, last in ((inside, outside), (outside, outside)):
            shapes += [[last, first, 3, 3], [last], [last], [last, last, 3, 3], [last], [last]]
            if first != last:
                shapes += [[last, first, 1, 1], [last], [last]]
    return [*shapes, [1000, 512], [1000]]


CASES: dict[str, list[list[int]]] = {
    "1e3": [[1000]],
    "1e4": [[10_000]],
    "1e5": [[100_000]],
    "1e6": [[1_000_000]],
    "1e7": [[10_000_000]],
    "5e7": [[50_000_000]],
    "MLP, 6 tensors": MLP,
    "ResNet-18, 62 tensors": resnet18(),
    "300 small tensors": [[10, 10]] * 300,
}

#: In a chain, what a call of `torch.autograd.grad` costs for each of its ends is paid once.
CHAINED = ("1e3", "1e6", "MLP, 6 tensors", "300 small tensors")
STEPS = 10

#: The sizes at which every optimizer is measured.
EVERY = ("MLP, 6 tensors", "ResNet-18, 62 tensors", "1e7")

# Memory that is freed stays with the process, and large blocks come in huge pages.
ALLOCATOR = {
    "MALLOC_MMAP_THRESHOLD_": str(2**40),
    "MALLOC_TRIM_THRESHOLD_": str(2**40),
    "MALLOC_TOP_PAD_": str(2**26),
    "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",
}

NOTES = f"""\
- {PLAIN}: Adam written out in PyTorch's operations, tensor by tensor, with autograd.
- {TUNED}: the same in a process whose C library keeps freed memory and asks for huge pages.
- {OURS}: `torchopt.adam`, through its public face, checks and all.
- {BY_HAND}: PyTorch's fused Adam on copies, with the vjp in operations on lists.
- {JAX}: `jax.vjp` of the same step in `jax.jit`; compilation is not counted.
- {COMPILED}: its first call, which takes seconds to minutes, is not counted.
- {BOUND}: in place and without a derivative: half of the work, none of the allocations.
- every optimizer: those of `torchopt.optimizers` with one formula or a twin in `torch.optim`. Backward
  is with respect to parameters, gradients and state. Forward is a step of `torchopt.Optimizer`
  and of the twin, in place; the twin's is fused, else foreach, else a loop. Muon: matrices only.
- Gradients were compared with those of {PLAIN} in float64 before anything was timed."""


def main(argv: Sequence[str] | None = None) -> str:
    """Run the benchmark and return its report."""
    made = _runner.parser("optimizer", __doc__)
    made.add_argument("--cases", nargs="+", default=list(CASES), choices=list(CASES))
    made.add_argument("--compile", type=int, default=1, help="0 leaves torch.compile out")
    made.add_argument("--budget", type=float, default=0.05, help="least seconds of one turn")
    made.add_argument("--optimizers", nargs="*", help="those of the last table; default: all")
    made.add_argument("--without", nargs="+", default=[], help="contenders that are left out")
    made.add_argument("--peers", type=Path, default=peers.ENVIRONMENT, help="their environment")
    options = made.parse_args(argv)

    with contextlib.ExitStack() as stack:
        here = stack.enter_context(ProcessLane(sys.executable, options.threads, path=sys.path))
        tuned = stack.enter_context(
            ProcessLane(sys.executable, options.threads, path=sys.path, variables=ALLOCATOR)
        )
        contenders = [
            Contender(PLAIN, "benchmarks._optimizer:plain", here),
            Contender(TUNED, "benchmarks._optimizer:plain", tuned),
            Contender(FOREACH, "benchmarks._optimizer:foreach", here),
            Contender(BY_HAND, "benchmarks._optimizer:fused_by_hand", here),
            Contender(UNFUSED, "benchmarks._optimizer:ours_unfused", here),
            Contender(OURS, "benchmarks._optimizer:ours", here),
            Contender(BOUND, "benchmarks._optimizer:in_place", here),
        ]
        if options.compile:
            contenders.append(Contender(COMPILED, "benchmarks._optimizer:compiled", here))
        python = peers.python(options.peers)
        if python is not None:
            theirs = stack.enter_context(ProcessLane(python, options.threads))
            contenders.append(Contender(PUBLISHED, "benchmarks._optimizer:published", theirs))
            variables = peers.xla(options.threads, options.device)
            jax = stack.enter_context(ProcessLane(python, options.threads, variables=variables))
            contenders.append(Contender(JAX, "benchmarks._optimizer_jax:compiled", jax))
        contenders = [each for each in contenders if each.name not in options.without]
        check(contenders, options.device)
        names = [each.name for each in contenders]
        every = every_optimizer(here, options)
        medians, ratios, chains, speeds = [], [], [], []
        for label in options.cases:
            _runner.progress(label)
            case = {"shapes": CASES[label], "dtype": "float32", "device": options.device}
            large = sum(map(math.prod, CASES[label])) > 2_000_000
            rounds = max(3, options.rounds // 3) if large else options.rounds
            budget = min(options.budget, 0.01) if large else options.budget
            times = _runner.measure(contenders, case, rounds=rounds, budget=budget)
            medians.append([label, *(_runner.summarize(times[n]).show(1e3, 3) for n in names)])
            ratios.append(
                [label]
                + [
                    _runner.ratio(times[n], times[OURS]).show()
                    for n in (PLAIN, TUNED, *_OTHERS)
                    if n in names
                ]
            )
        for label in filter(CHAINED.__contains__, options.cases):
            case = {
                "shapes": CASES[label],
                "dtype": "float32",
                "device": options.device,
                "steps": STEPS,
            }
            two = [each for each in contenders if each.name in (PLAIN, OURS)]
            times = _runner.measure(two, case, rounds=options.rounds, budget=options.budget)
            chains.append([label, _runner.ratio(times[PLAIN], times[OURS]).show()])
        for label in ("1e7", "5e7"):
            if label in options.cases:
                speeds.append(bandwidth(here, label, options.device, options.rounds))

    others = [n for n in (PLAIN, TUNED, *_OTHERS) if n in names]
    sections = [
        "## Milliseconds of one step, forward and backward (float32)\n\nMedian and quartiles.",
        _runner.table(["tensors", *names], medians),
        "## Times theirs / ours\n\nAbove 1, ours is faster. "
        "Median and quartiles of the ratios within rounds.",
        _runner.table(
            [
                "tensors",
                *(f"{n} / {OURS}" for n in others),
            ],
            ratios,
        ),
        f"## The same for {STEPS} steps in a chain\n\nDifferentiated from the last to the first.",
        _runner.table(["tensors", f"{PLAIN} / {OURS}"], chains),
        "## GB/s of the kernels, beside STREAM in the same run",
        _runner.table(
            ["elements", "triad", "forward", "vjp", "forward / triad", "vjp / triad"],
            speeds,
        ),
        "## Every optimizer, by its name in `torchopt.optimizers`\n\n"
        "Milliseconds, and ratios within rounds. Above 1, ours is faster.",
        every,
        NOTES if python is not None else f"{NOTES}\n\n{peers.ABSENT}",
    ]
    return _runner.write(
        "An optimizer's step and its derivative", sections, made=made, options=options
    )


_OTHERS = (FOREACH, BY_HAND, COMPILED, PUBLISHED, JAX, UNFUSED)


def check(contenders: Sequence[Contender], device: str) -> None:
    """Compare gradients in float64.

    Raises:
        ValueError: If one differs by more than 1e-9.
    """
    case = {"shapes": [[7, 3], [5]], "dtype": "float64", "device": device}
    truth = contenders[0].lane.gradient(contenders[0].target, case)
    for each in contenders[1:]:
        if each.name in (BOUND, PUBLISHED):
            continue  # no gradient; another bias correction
        off = _runner.difference(truth, each.lane.gradient(each.target, case))
        if not off <= 1e-9:
            raise ValueError(f"{each.name} differs by {off:.1e} from {contenders[0].name}")


def every_optimizer(lane: ProcessLane, options: argparse.Namespace) -> str:
    """Return a table of one step of each optimizer, forward and backward, and forward only.

    Raises:
        ValueError: If a fused gradient differs from that of plain operations by more than 1e-9.
    """
    from benchmarks import _every_optimizer as each  # late: it imports torch

    names = each.measured() if options.optimizers is None else options.optimizers
    rows = []
    for name in names:
        twin = "none" if each.twin(name) is None else each.kind_of_twin(name)
        targets = ["ours", "plain", "forward", *(["theirs"] if twin != "none" else [])]
        contenders = [Contender(t, f"benchmarks._every_optimizer:{t}", lane) for t in targets]
        small = {"shapes": [[7, 3], [5, 2]], "device": options.device, "optimizer": name}
        gradients = [lane.gradient(c.target, small) for c in contenders[:2]]
        if not (off := _runner.difference(*gradients)) <= 1e-9:
            raise ValueError(f"{name}: fused differs by {off:.1e} from plain operations")
        for label in filter(EVERY.__contains__, options.cases):
            shapes = each.shapes_for(name, CASES[label])
            if not shapes:
                continue
            _runner.progress(f"{name}, {label}")
            case = {**small, "shapes": shapes, "dtype": "float32"}
            rounds = max(3, options.rounds // 3)
            times = _runner.measure(contenders, case, rounds=rounds, budget=options.budget / 5)
            against = [_runner.ratio(times["plain"], times["ours"]).show()]
            against.append(
                _runner.ratio(times["theirs"], times["forward"]).show()
                if "theirs" in times
                else "-"
            )
            shown = [_runner.summarize(times[t]).show(1e3, 3) for t in ("ours", "forward")]
            rows.append([name, label, *shown, *against, twin])
    header = ["optimizer", "tensors", "forward and backward", "forward", "plain / ours"]
    return _runner.table([*header, "`torch.optim` / ours, forward", "of `torch.optim`"], rows)


def bandwidth(lane: ProcessLane, label: str, device: str, rounds: int) -> list[str]:
    """Return a row of GB/s: STREAM, and the kernels alone."""
    case: Case = {"shapes": CASES[label], "dtype": "float32", "device": device}
    size = 4 * sum(map(math.prod, CASES[label]))
    streams = {"triad": 3, "forward_kernel": 7, "backward_kernel": 9}
    contenders = [Contender(name, f"benchmarks._optimizer:{name}", lane) for name in streams]
    times = _runner.measure(contenders, case, rounds=rounds, budget=0.02)
    speed = {n: size * k / _runner.summarize(times[n]).median / 1e9 for n, k in streams.items()}
    shares = [speed[n] / speed["triad"] for n in ("forward_kernel", "backward_kernel")]
    return [label, *(f"{x:.1f}" for x in speed.values()), *(f"{x:.0%}" for x in shares)]


if __name__ == "__main__":
    main()
