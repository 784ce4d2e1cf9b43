"""Print how much of the library one has to read to follow a step: the files that it enters.

Each program takes one Adam step. It runs twice, and the second run is traced, so that what happens once
only (imports, loading kernels) is left out. A file counts if one of its functions is called. Usage::

    python tools/reading_path.py          # files and lines of each program
    python tools/reading_path.py --files  # and the files
"""

from __future__ import annotations

import argparse
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import torch

import torchopt
from torchopt.diff import Explicit

SOURCE = Path(torchopt.__file__).parent


def _unrolled(mode: Explicit) -> None:
    start = torch.tensor([1.0, 2.0], requires_grad=True)
    scale = torch.tensor(3.0, requires_grad=True)
    solution = torchopt.minimize(
        lambda x, a: (a * x).square().sum(),
        start,
        (scale,),
        solver=torchopt.adam(0.1),
        steps=1,
        diff=mode,
    )
    solution.params.sum().backward()


def _adam_alone() -> None:
    params = {"w": torch.tensor([1.0, 2.0])}
    adam = torchopt.adam(0.1)
    updates, _ = adam.update({"w": torch.ones(2)}, adam.init(params))
    torchopt.apply_updates(params, updates)


PROGRAMS: dict[str, Callable[[], None]] = {
    'minimize(..., diff=Explicit("step"))': lambda: _unrolled(Explicit("step")),
    "minimize(..., diff=Explicit())": lambda: _unrolled(Explicit()),
    "adam and apply_updates": _adam_alone,
}


def entered(program: Callable[[], None]) -> list[Path]:
    """Return the files of the library whose functions a program calls, backward pass included."""
    program()
    files: set[str] = set()

    def trace(frame: FrameType, event: str, argument: Any) -> None:
        files.add(frame.f_code.co_filename)

    threading.settrace(trace)
    sys.settrace(trace)
    try:
        program()
    finally:
        sys.settrace(None)
        threading.settrace(None)
    return sorted(path for path in map(Path, files) if path.is_relative_to(SOURCE))


def main() -> None:
    """Trace the programs, and print."""
    parser = argparse.ArgumentParser(description="Print which files a step enters.")
    parser.add_argument("--files", action="store_true", help="name the files")
    options = parser.parse_args()
    for name, program in PROGRAMS.items():
        lines = {path: len(path.read_text().splitlines()) for path in entered(program)}
        print(f"{name}: {len(lines)} files, {sum(lines.values())} lines")
        for path, number in lines.items() if options.files else ():
            print(f"    {number:5} {path.relative_to(SOURCE)}")


if __name__ == "__main__":
    main()
