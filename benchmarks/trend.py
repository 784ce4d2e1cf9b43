"""Claim: no release is slower than the one before it.

A short selection of the other benchmarks, in ratios theirs / ours (above 1, ours is faster or smaller).
They are written to `benchmarks/results/trend/VERSION.json`, and compared with the file that was
measured before it: a row that fell beyond its noise is named, and the exit status is 1.
"""

from __future__ import annotations

import datetime
import json
import math
import os
import platform
import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import _runner, peers
from benchmarks._runner import Summary

FOLDER = _runner.RESULTS / "trend"
LEAST = 1.1  # a smaller change is not named, however little the rounds vary
ASKED = 1.3  # a change that must be seen: a row whose noise is larger is named too
# The error of a median of n is about 0.9 / sqrt(n) of the distance of the quartiles. Rounds of a run
# are not independent: those of three runs count as three, and this is nearly three errors.
WIDTH = 1.5


class Record(NamedTuple):
    """What was measured at one time.

    Attributes:
        version: The version of the package.
        measured: The day and the time, in UTC.
        commit: The commit of the checkout.
        machine: What ratios depend on, by name.
        rows: The median ratio and its quartiles, by the name of the row.
    """

    version: str
    measured: str
    commit: str
    machine: dict[str, Any]
    rows: dict[str, Summary]

    @classmethod
    def read(cls, path: Path) -> Record:
        """Return the record in a file."""
        found = json.loads(path.read_text(encoding="utf-8"))
        rows = {name: Summary(*row) for name, row in found.pop("rows").items()}
        return cls(**found, rows=rows)

    def write(self, path: Path) -> None:
        """Write the record to a file, a row a line."""
        head = {k: v for k, v in self._asdict().items() if k != "rows"}
        rows = [
            f"    {json.dumps(name)}: {json.dumps([float(f'{x:.4g}') for x in row])}"
            for name, row in ((n, (r.median, r.low, r.high)) for n, r in self.rows.items())
        ]
        text = json.dumps(head, indent=2).removesuffix("\n}") + ',\n  "rows": {\n'
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + ",\n".join(rows) + "\n  }\n}\n", encoding="utf-8")


class Change(NamedTuple):
    """A row before and after.

    Attributes:
        row: Its name.
        before: Its ratio in the earlier record.
        after: Its ratio in the later one.
    """

    row: str
    before: Summary
    after: Summary

    @property
    def factor(self) -> float:
        """How many times worse it is."""
        return self.before.median / self.after.median

    @property
    def noise(self) -> float:
        """The factor that the quartiles of both explain."""
        widths = (math.log(x.high / x.low) for x in (self.before, self.after))
        return math.exp(WIDTH * math.hypot(*widths))

    @property
    def is_worse(self) -> bool:
        """Whether it is worse beyond the noise."""
        return self.factor > max(LEAST, self.noise)

    @property
    def is_better(self) -> bool:
        """Whether it is better beyond the noise."""
        return 1 / self.factor > max(LEAST, self.noise)

    def show(self) -> str:
        """Return what changed in a line."""
        factor = max(self.factor, 1 / self.factor)
        return (
            f"{self.row}: {show(self.before)} before, {show(self.after)} now: {factor:.2f} times "
            f"{'worse' if self.factor > 1 else 'better'}, of which noise explains {self.noise:.2f}"
        )


def compare(before: Record, after: Record) -> tuple[str, bool]:
    """Return what changed from one record to another, and whether a row is worse beyond its noise.

    Ratios of another machine or of other releases are compared too, but what is worse there may have
    that reason, so it is not called a regression.
    """
    changes = [Change(n, before.rows[n], r) for n, r in after.rows.items() if n in before.rows]
    other = [
        f"{name} {before.machine.get(name)}, now {after.machine.get(name)}"
        for name in {**before.machine, **after.machine}
        if before.machine.get(name) != after.machine.get(name)
    ]
    worse = [each for each in changes if each.is_worse]
    groups = {
        "Regressions" if not other else "Worse": worse,
        "Better": [each for each in changes if each.is_better],
        f"Too noisy to see a factor of {ASKED}, measure again on a quiet machine": [
            each for each in changes if each.noise > ASKED and each not in worse
        ],
    }
    lines = [f"Compared with {before.version} ({before.commit}): {len(changes)} rows."]
    if other:
        lines.append(
            f"That was measured elsewhere ({'; '.join(other)}), which may be why rows differ. Check "
            f"that commit out here, run `make bench-short` there, and pass its file by --against."
        )
    for title, group in groups.items():
        if group:
            lines += [f"{title}:", *(f"- {each.show()}" for each in group)]
    if absent := [name for name in before.rows if name not in after.rows]:
        lines += ["Not measured now:", *(f"- {name}" for name in absent)]
    if not worse:
        lines.append("No row is worse beyond its noise.")
    return "\n".join(lines), bool(worse) and not other


def show(row: Summary) -> str:
    """Return a ratio with its quartiles, small ones with one more digit."""
    return row.show(digits=2 if row.median >= 0.1 else 3)


def part(row: str) -> str:
    """Return the part of the selection that a row is of."""
    return re.split("[,:]", row)[0]


def rows(samples: Mapping[str, Sequence[float]]) -> dict[str, Summary]:
    """Return the summary of each row's ratios.

    Raises:
        ValueError: If one is not positive, as where nothing was measured.
    """
    for name, sample in samples.items():
        if not min(sample) > 0:
            raise ValueError(f"{name}: a ratio is not positive: {sample}")
    return {name: _runner.summarize(sample) for name, sample in samples.items()}


def records(folder: Path | None = None) -> list[Record]:
    """Return the records of a folder, the earliest first."""
    return sorted(
        map(Record.read, (folder or FOLDER).glob("*.json")), key=lambda each: each.measured
    )


def page(folder: Path | None = None) -> str:
    """Return the records of a folder as Markdown: a table for each part, and the machines."""
    found = records(folder)
    names = list(dict.fromkeys(name for each in reversed(found) for name in each.rows))
    sections = []
    for kind in dict.fromkeys(map(part, names)):
        cells = [
            [name, *(show(each.rows[name]) if name in each.rows else "-" for each in found)]
            for name in names
            if part(name) == kind
        ]
        header = ["theirs / ours", *(each.version for each in found)]
        sections += [f"## `{kind}`", _runner.table(header, cells)]
    measured = [
        [
            each.version,
            each.measured[:10],
            f"`{each.commit}`",
            ", ".join(f"{name} {value}" for name, value in each.machine.items()),
        ]
        for each in found
    ]
    header = ["version", "measured", "commit", "machine"]
    return "\n\n".join([*sections, "## Measured on", _runner.table(header, measured)])


def machine(threads: int, device: str) -> dict[str, Any]:
    """Return what ratios depend on, without the machine's name."""
    import torch

    info = Path("/proc/cpuinfo")
    models = re.findall(r"model name\s*: (.*)", info.read_text()) if info.exists() else []
    return {
        "processor": (models or [platform.processor() or platform.machine()])[0],
        "vectors": torch.backends.cpu.get_cpu_capability(),
        "cores": os.cpu_count(),
        "system": platform.system(),
        "Python": ".".join(platform.python_version_tuple()[:2]),
        "torch": version("torch"),
        "threads": threads,
        "device": _runner.device(device),
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Run the benchmark, and return the exit status."""
    from benchmarks._selection import PARTS, Setting, measure
    from torchopt.version import __version__

    made = _runner.parser("trend", __doc__)
    made.set_defaults(rounds=5, output=None)
    made.add_argument("--runs", type=int, default=3, help="how often all processes start anew")
    made.add_argument("--budget", type=float, default=0.02, help="least seconds of one turn")
    made.add_argument("--parts", nargs="+", default=list(PARTS), choices=list(PARTS))
    made.add_argument("--name", default=__version__, help="the version that is measured")
    made.add_argument("--against", type=Path, help="the file to compare with; else the newest one")
    made.add_argument("--peers", type=Path, default=peers.ENVIRONMENT, help="their environment")
    options = made.parse_args(argv)
    folder = FOLDER if options.device == "cpu" else FOLDER / options.device
    output = options.output or folder / f"{options.name}.json"
    earlier = [each for each in records(folder) if each.version != options.name]
    before = Record.read(options.against) if options.against else earlier[-1] if earlier else None

    with tempfile.TemporaryDirectory() as cache:
        setting = Setting(
            options.threads,
            options.device,
            options.rounds,
            options.budget,
            peers.python(options.peers),
            cache,
        )
        samples = measure(options.parts, setting, options.runs)
    after = Record(
        options.name,
        datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        _runner.commit(),
        machine(options.threads, options.device),
        rows(samples),
    )
    after.write(output)
    print(_runner.table(["theirs / ours", ""], [[n, show(r)] for n, r in after.rows.items()]))
    if setting.python is None:
        print(peers.ABSENT)
    if before is None:
        print("There is no earlier record to compare with.")
        return 0
    text, is_worse = compare(before, after)
    print(text)
    return int(is_worse)


if __name__ == "__main__":
    sys.exit(main())
