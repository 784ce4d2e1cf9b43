"""Kill an example amid its run, for good, and go on with it in another process."""

from __future__ import annotations

import os
import signal
from importlib import import_module
from pathlib import Path
from typing import Any

from _warm import CONTEXT
from examples.tools.report import Report
from torchopt.multilevel import Engine


def _killed(example: str, config: Any, folder: Path, at: int) -> None:
    step = Engine.train_step

    def train_step(self: Engine) -> None:
        if self.global_step == at:
            os.kill(os.getpid(), signal.SIGKILL)
        step(self)

    Engine.train_step = train_step  # type: ignore[method-assign]
    import_module(f"examples.{example}").run(config, Report(folder=folder))


def check_killed_run_goes_on_as_if_uninterrupted(
    example: str, config: Any, folder: Path, *, at: int
) -> None:
    """Run an example whole, and killed at a global step and resumed; compare the results and logs."""
    run = import_module(f"examples.{example}").run
    whole, parts = folder / "whole", folder / "parts"
    for path in (whole, parts):
        path.mkdir()
    expected = run(config, Report(folder=whole))
    killed = CONTEXT.Process(target=_killed, args=(example, config, parts, at))
    killed.start()
    killed.join()
    assert killed.exitcode == -signal.SIGKILL
    assert (parts / "checkpoint.pt").exists()
    assert run(config, Report(folder=parts)) == expected
    assert (parts / "metrics.jsonl").read_bytes() == (whole / "metrics.jsonl").read_bytes()
