"""Claim: a metagradient of a language model costs a few training runs, in time and in memory.

The gradient of a loss on other examples by the weights of 64 examples, through steps of AdamW on a
model like GPT-2; three products of an implicit derivative; and a turn of a two-level program. Time is
in steps of plain training, memory in its peak: all that a process holds at a time, parameters too (on a
CPU the interpreter, as well). Each row is measured in a process of its own.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from benchmarks import _runner
from benchmarks._lane import Case, LaneError, ProcessLane
from benchmarks._scale import BATCH, SIZES

PLAIN = "training"


@dataclass(frozen=True)
class Row:
    """A row of the table.

    Args:
        name: What the report calls it.
        target: The function of `benchmarks._scale`.
        case: What it adds to the case.
        base: The row whose time and peak are one.
        like: The row whose gradient its own should have.
    """

    name: str
    target: str = "metagradient"
    case: Case = field(default_factory=dict)
    base: str = PLAIN
    like: str = ""


def _unroll(name: str, steps: int, like: str, *, more: Case | None = None, **mode: object) -> Row:
    base = f"{PLAIN}, bfloat16" if more and "autocast" in more else PLAIN
    case = {"steps": steps, "mode": mode, **(more or {})}
    return Row(f"{steps} steps, {name}", case=case, base=base, like=like)


BFLOAT16: Case = {"autocast": True}
PARTS: Case = {"micro_batches": 4}
BLOCKS: Case = {"remat": True, **PARTS}
DIFFERENCES = {"memory": "step", "offload": "disk", "hvp": "finite_difference"}
FOUR, SIXTEEN = "4 steps, graph", "16 steps, step"
LONG = "200 steps, step, on disk, 4 micro-batches"
ROWS = [
    Row(PLAIN, "training"),
    Row(f"{PLAIN}, bfloat16", "training", BFLOAT16, base=f"{PLAIN}, bfloat16"),
    _unroll("graph", 4, FOUR),
    _unroll("step", 4, FOUR, memory="step"),
    _unroll("tree", 4, FOUR, memory="tree"),
    Row("SAMA", "program", {"mode": "SAMA"}),
    Row("DARTS", "program", {"mode": "DARTS"}),
    _unroll("step", 16, SIXTEEN, memory="step"),
    _unroll("tree", 16, SIXTEEN, memory="tree"),
    _unroll("step, blocks by remat, 4 micro-batches", 16, SIXTEEN, more=BLOCKS, memory="step"),
    Row("implicit, 3 products", "implicit"),
    _unroll("step, bfloat16", 4, FOUR, more=BFLOAT16, memory="step"),
    _unroll("graph, bfloat16", 4, FOUR, more=BFLOAT16),
    Row("SAMA, bfloat16", "program", {"mode": "SAMA", "precision": "bf16"}, f"{PLAIN}, bfloat16"),
    _unroll("step, on the host", 4, FOUR, memory="step", offload="cpu"),
    # On disk there is room for each carry and gradient (32 GB of 10 million parameters).
    _unroll("step, on disk, 4 micro-batches", 200, LONG, more=PARTS, memory="step", offload="disk"),
    _unroll("the same, differences", 200, LONG, more=PARTS, **DIFFERENCES),
]

NOTES = f"""\
- Batches of {BATCH} sequences; AdamW. in steps: of as many steps of plain training as are unrolled, of
  one in the other rows. in peaks: of plain training. The rows in bfloat16 (autocast) are in steps and
  peaks of training in bfloat16.
- cosine: with the gradient of the same number of steps in float32, `{FOUR}`, `{SIXTEEN}`
  or `{LONG}`.
- first: seconds of the first call, in which kernels load."""


def main(argv: Sequence[str] | None = None) -> str:
    """Run the benchmark and return its report."""
    made = _runner.parser("scale", __doc__)
    made.set_defaults(rounds=3)
    names = [row.name for row in ROWS]
    made.add_argument("--size", default="124M", choices=list(SIZES))
    made.add_argument("--rows", nargs="+", default=names, choices=names)
    made.add_argument("--seconds", type=float, default=1e6, help="after which no row is begun")
    options = made.parse_args(argv)
    place: Case = {"size": options.size, "device": options.device, "dtype": "float32", "steps": 1}
    begun = time.perf_counter()
    costs: dict[str, Case] = {}
    rows, left = [], []
    for row in ROWS:
        if row.name not in options.rows:
            continue
        if time.perf_counter() - begun > options.seconds:
            left.append(f"{row.name}: no time")
            continue
        _runner.progress(row.name)
        case = place | row.case
        try:
            with ProcessLane(sys.executable, options.threads, path=sys.path) as lane:
                found = lane.whole(f"benchmarks._scale:{row.target}", case, options.rounds)
        except LaneError as error:
            left.append(f"{row.name}: {error}")
            continue
        costs[row.name] = found
        seconds, base = statistics.median(found["seconds"]), costs.get(row.base)
        ratios = ["-", "-"]
        if base is not None:
            unit = statistics.median(base["seconds"]) * case["steps"]
            ratios = [f"{seconds / unit:.2f}", f"{found['MiB'] / base['MiB']:.2f}"]
        alike = "-"
        if row.like in costs:
            alike = f"{cosine(found['gradient'], costs[row.like]['gradient']):.6f}"
        shown = [f"{seconds:.4g}", f"{found['MiB']:.0f}", *ratios, alike, f"{found['first']:.3g}"]
        rows.append([row.name, *shown])
    header = ["", "seconds", "MiB", "in steps", "in peaks", "cosine", "first"]
    sections = [f"## {options.size}", _runner.table(header, rows), NOTES]
    if left:
        sections.append("Not measured:\n\n" + "\n".join(f"- {text}" for text in left))
    return _runner.write("Metagradients of a language model", sections, made=made, options=options)


def cosine(a: Sequence[float], b: Sequence[float]) -> float:
    """Return the cosine of the angle between two vectors."""

    def dot(a: Sequence[float], b: Sequence[float]) -> float:
        return sum(x * y for x, y in zip(a, b, strict=True))

    return dot(a, b) / (dot(a, a) * dot(b, b)) ** 0.5


if __name__ == "__main__":
    main()
