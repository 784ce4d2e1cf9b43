"""Kill a program amid its run, for good, and go on with it in another process."""

from __future__ import annotations

import os
import signal
from importlib import import_module
from pathlib import Path

from _warm import CONTEXT
from torchopt.multilevel import Engine


def _killed(program: str, options: list[str], at: int) -> None:
    step = Engine.train_step

    def train_step(self: Engine) -> None:
        if self.global_step == at:
            os.kill(os.getpid(), signal.SIGKILL)
        step(self)

    Engine.train_step = train_step  # type: ignore[method-assign]
    import_module(f"torchopt.examples.{program}").main(options)


def check_killed_run_goes_on_as_if_uninterrupted(program: str, folder: Path, *, at: int) -> None:
    """Run the small preset of a program twice, once killed at a global step; compare all numbers."""
    main = import_module(f"torchopt.examples.{program}").main
    options = ["--preset=test", f"--runs={folder}", "--threads=1"]
    assert main([*options, "--name=whole"]) == 0
    killed = CONTEXT.Process(target=_killed, args=(program, [*options, "--name=parts"], at))
    killed.start()
    killed.join()
    assert killed.exitcode == -signal.SIGKILL
    whole, parts = folder / "whole", folder / "parts"
    assert (parts / "checkpoint.pt").exists()
    assert not (parts / "result.json").exists()
    assert main([*options, "--name=parts", "--resume"]) == 0
    for name in ("result.json", "metrics.jsonl"):
        assert (parts / name).read_bytes() == (whole / name).read_bytes()
