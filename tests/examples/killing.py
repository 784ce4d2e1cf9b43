"""Kill a program amid its run, for good, and go on with it in another process."""

from __future__ import annotations

import signal
import subprocess
import sys
from importlib import import_module
from pathlib import Path

_KILLED = """
import os, signal, sys
from torchopt.examples.__main__ import main
from torchopt.multilevel import Engine

step, at = Engine.train_step, int(sys.argv[1])

def train_step(self):
    if self.global_step == at:
        os.kill(os.getpid(), signal.SIGKILL)
    step(self)

Engine.train_step = train_step
sys.exit(main(sys.argv[2:]))
"""


def check_killed_run_goes_on_as_if_uninterrupted(program: str, folder: Path, *, at: int) -> None:
    """Run the small preset of a program twice, once killed at a global step; compare all numbers."""
    main = import_module(f"torchopt.examples.{program}").main
    options = ["--preset=test", f"--runs={folder}", "--threads=1"]
    assert main([*options, "--name=whole"]) == 0
    killed = subprocess.run(
        [sys.executable, "-c", _KILLED, str(at), program, *options, "--name=parts"],
        capture_output=True,
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr.decode()
    whole, parts = folder / "whole", folder / "parts"
    assert (parts / "checkpoint.pt").exists()
    assert not (parts / "result.json").exists()
    assert main([*options, "--name=parts", "--resume"]) == 0
    for name in ("result.json", "metrics.jsonl"):
        assert (parts / name).read_bytes() == (whole / name).read_bytes()
