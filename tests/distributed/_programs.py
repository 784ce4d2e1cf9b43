"""Programs of several processes, started as ``torchrun`` starts them."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from _warm import Program

ROOT = Path(__file__).parents[2]


class Ended(NamedTuple):
    """What the processes of a program have left."""

    codes: list[int]
    outputs: list[str]
    errors: list[str]

    @property
    def found(self) -> Any:
        """What rank 0 printed after FOUND."""
        assert self.codes[0] == 0, self.errors[0]
        (line,) = [line for line in self.outputs[0].splitlines() if line.startswith("FOUND ")]
        return json.loads(line.removeprefix("FOUND "))


def launch(program: Sequence[str], size: int | None, *, timeout: float = 150) -> Ended:
    """Run a program on ``size`` ranks, or by itself, and return when all have ended."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests")])
    outer = {k: v for k, v in os.environ.items() if k not in ("MASTER_ADDR", "MASTER_PORT")}
    outer |= {"PYTHONPATH": path, "OMP_NUM_THREADS": "1"}
    programs = []
    for rank in range(size or 1):
        env = {} if size is None else {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
        for prefix in ("", "LOCAL_") if size is not None else ():
            env |= {f"{prefix}RANK": str(rank), f"{prefix}WORLD_SIZE": str(size)}
        programs.append(Program(program, outer | env))
    ends = [program.end(timeout) for program in programs]
    return Ended(*map(list, zip(*ends, strict=True)))
