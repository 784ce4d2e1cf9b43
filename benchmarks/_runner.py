"""What all benchmarks share: interleaved rounds, medians and ratios, and the Markdown report.

Rounds go A B C A B C, and a ratio is taken within a round, so that a machine that slows down for a
while slows both sides of a ratio. This module does not import torch.
"""

from __future__ import annotations

import argparse
import functools
import math
import os
import platform
import shlex
import statistics
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TypeVar

from benchmarks import peers
from benchmarks._lane import Case, Lane, ProcessLane

T = TypeVar("T")
RESULTS = Path(__file__).with_name("results")


@dataclass(frozen=True)
class Summary:
    """The median of a sample with its quartiles."""

    median: float
    low: float
    high: float

    def show(self, scale: float = 1.0, digits: int = 2) -> str:
        """Return ``median (low to high)``."""
        median, low, high = (f"{scale * x:.{digits}f}" for x in (self.median, self.low, self.high))
        return f"{median} ({low} to {high})"


def summarize(sample: Sequence[float]) -> Summary:
    """Return the median and the quartiles of a sample of at least one number."""
    if not sample:
        raise ValueError("a summary needs at least one measurement")
    if len(sample) == 1:
        return Summary(sample[0], sample[0], sample[0])
    low, median, high = statistics.quantiles(sample, n=4, method="inclusive")
    return Summary(median, low, high)


def ratio(numerator: Sequence[float], denominator: Sequence[float]) -> Summary:
    """Return the median of the ratios within rounds, with its quartiles."""
    return summarize([a / b for a, b in zip(numerator, denominator, strict=True)])


@dataclass(frozen=True)
class Contender:
    """A function that makes one step, and the lane that it runs in.

    Args:
        name: What the report calls it.
        target: ``"module:function"``, see `benchmarks._lane`.
        lane: Where it runs.
    """

    name: str
    target: str
    lane: Lane | ProcessLane


def measure(
    contenders: Sequence[Contender], case: Case, *, rounds: int, budget: float
) -> dict[str, list[float]]:
    """Return the seconds of one step of each contender, round by round.

    Args:
        contenders: What to time, in the order within a round.
        case: Passed to each contender's function.
        rounds: The number of interleaved rounds.
        budget: The seconds that a contender's turn lasts at least, by repeating its step.
    """
    timers: dict[str, Callable[[], float]] = {}
    for each in contenders:
        repeats = repeats_for(each.lane.open(each.target, case), budget)
        timers[each.name] = functools.partial(each.lane.time, each.target, repeats)
    times = interleave(timers, rounds)
    for each in contenders:
        each.lane.close(each.target)
    return times


def interleave(timers: Mapping[str, Callable[[], T]], rounds: int) -> dict[str, list[T]]:
    """Call every timer once a round, in this order, and return what each said, round by round."""
    times: dict[str, list[T]] = {name: [] for name in timers}
    for _ in range(rounds):
        for name, timer in timers.items():
            times[name].append(timer())
    return times


def repeats_for(seconds: float, budget: float) -> int:
    """Return how many calls of so many seconds fill the budget of a round, at least one."""
    return max(1, math.ceil(budget / max(seconds, 1e-9)))


def difference(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """Return ``max |ours - theirs| / max |ours|``, NaN where a number is not finite."""
    pairs = list(zip(ours, theirs, strict=True))
    if not all(math.isfinite(a) and math.isfinite(b) for a, b in pairs):
        return math.nan
    return max(abs(a - b) for a, b in pairs) / max(abs(a) for a, _ in pairs)


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table; columns are padded, and all but the first are right-aligned."""
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    rule = [
        f"{'-' * width}" if i == 0 else f"{'-' * (width - 1)}:" for i, width in enumerate(widths)
    ]
    cells = [
        [
            c.ljust(w) if i == 0 else c.rjust(w)
            for i, (c, w) in enumerate(zip(row, widths, strict=True))
        ]
        for row in [header, rule, *rows]
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in cells)


def commit() -> str:
    """Return the short commit of the checkout, marked where the measured code differs from it."""

    def git(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["git", *arguments], cwd=peers.ROOT, capture_output=True, text=True, check=False
        )

    try:
        head = git("rev-parse", "--short=12", "HEAD")
    except FileNotFoundError:
        return "unknown (no git)"
    if head.returncode != 0:
        return "none yet"
    measured = ["src", "benchmarks", ":!benchmarks/results"]
    changed = git("status", "--porcelain", "--", *measured).stdout
    return head.stdout.strip() + (" with local changes" if changed else "")


def machine(threads: int) -> str:
    """Return one line on the machine and the packages, without its name."""
    return (
        f"{os.cpu_count()} cores ({platform.machine()}, {platform.system()}), "
        f"Python {platform.python_version()}, torch {version('torch')}, {threads} thread(s)"
    )


def device(name: str) -> str:
    """Return a device by its name, with that of its model unless it is the processor."""
    if name == "cpu":
        return name
    import torch  # late: this module does not import it, see above

    return f"{name} ({torch.cuda.get_device_name(name)})"


def parser(name: str, doc: str | None) -> argparse.ArgumentParser:
    """Return a parser with the options of every benchmark, for ``python -m benchmarks.NAME``."""
    made = argparse.ArgumentParser(prog=f"python -m benchmarks.{name}", description=doc)
    made.add_argument("--threads", type=int, default=1, help="threads of torch")
    made.add_argument("--device", default="cpu", help="cpu or cuda")
    made.add_argument("--rounds", type=int, default=15, help="interleaved rounds")
    made.add_argument(
        "--output", type=Path, default=RESULTS / f"{name}.md", help="the Markdown file to write"
    )
    return made


def command(made: argparse.ArgumentParser, options: argparse.Namespace) -> str:
    """Return the command line with the options that were set, without those that hold a path."""
    words = [made.prog]
    for action in made._actions:
        value = getattr(options, action.dest, None)
        if action.dest == "help" or action.type is Path or value == action.default:
            continue
        words.append(action.option_strings[-1])
        words.extend(shlex.quote(str(x)) for x in (value if isinstance(value, list) else [value]))
    return " ".join(words)


def write(
    title: str,
    sections: Sequence[str],
    *,
    made: argparse.ArgumentParser,
    options: argparse.Namespace,
) -> str:
    """Write the report to ``options.output``, print it, and return it."""
    facts = [
        f"- machine: {machine(options.threads)}, device {device(options.device)}",
        f"- commit: {commit()}",
        f"- command: `{command(made, options)}`",
    ]
    text = "\n\n".join([f"# {title}", "\n".join(facts), *sections]) + "\n"
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(text, encoding="utf-8")
    print(text)
    return text


def progress(text: str) -> None:
    """Say on stderr what is being measured."""
    print(text, file=sys.stderr, flush=True)
