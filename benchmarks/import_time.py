"""Claim: `import torchopt` adds at most 0.15 s of processor time to `import torch`.

Each program is a process of its own, and they take turns. Time is that of the processor (user and
system), which other programs of the machine lengthen less than the clock's.
"""

from __future__ import annotations

import functools
import resource
import subprocess
import sys
from collections.abc import Sequence

from benchmarks import _runner

BASE = "import torch"
PROGRAMS = (
    BASE,
    "import torchopt",
    "import torchopt; torchopt.adam",
    "import torchopt; torchopt.MetaAdam",
    "import torchopt; torchopt.minimize",
    "from torchopt import *",
)


def main(argv: Sequence[str] | None = None) -> str:
    """Run the benchmark and return its report."""
    made = _runner.parser("import_time", __doc__)
    options = made.parse_args(argv)
    for program in PROGRAMS:  # writes the bytecode
        seconds(program)
    timers = {program: functools.partial(seconds, program) for program in PROGRAMS}
    times = _runner.interleave(timers, options.rounds)
    base = _runner.summarize(times[BASE]).median
    rows = []
    for program, sample in times.items():
        median = _runner.summarize(sample).median
        rows.append(
            [f"`{program}`", f"{median:.2f}", f"{median - base:.2f}", f"{median / base:.2f}"]
        )
    header = ["program", "s", "s more than PyTorch", "ratio"]
    text = "Seconds of the processor until a new process ends, medians."
    return _runner.write("Import", [text, _runner.table(header, rows)], made=made, options=options)


def seconds(program: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", program], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
