"""What programs of several levels share: an engine with a bar that goes on from its checkpoint."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from torchopt.examples.tools.report import progress
from torchopt.multilevel import Engine, EngineConfig, Problem

__all__ = ["Run", "engine_config", "records"]


def engine_config(folder: Path, steps: int, valid_step: int) -> EngineConfig:
    """Return the settings of a run that keeps its log and its checkpoint in a folder.

    Args:
        folder: Where ``metrics.jsonl`` and ``checkpoint.pt`` go.
        steps: The number of global steps.
        valid_step: After how many of them it is judged and saved.
    """
    return EngineConfig(
        train_iters=steps,
        valid_step=valid_step,
        logger_type="jsonl",
        folder=folder,
        checkpoint=folder / "checkpoint.pt",
        checkpoint_step=valid_step,
    )


class Run(Engine):
    """An engine that shows how far it is and goes on from its checkpoint, if there is one.

    Args:
        problems: As for the engine.
        config: Likewise; of :func:`engine_config`.
        dependencies: Likewise.
        console: Where the bar is shown.
        what: What runs.
    """

    def __init__(
        self,
        problems: Sequence[Problem],
        config: EngineConfig,
        dependencies: Mapping[str, Any] | None = None,
        *,
        console: Console,
        what: str,
    ) -> None:
        super().__init__(problems, config, dependencies)
        self._console, self._what = console, what
        self._advance: Callable[[str], None] = lambda text: None
        self._text = ""

    def run(self) -> None:
        """Run to the end, from the checkpoint on."""
        checkpoint = Path(self.config.checkpoint)
        if checkpoint.exists():
            self.resume(checkpoint)
        left = self.config.train_iters - self.global_step
        with progress(self._console, self._what, max(left, 1)) as self._advance:
            try:
                super().run()
            finally:
                self.sink.close()

    def train_step(self) -> None:
        """Run one global step, and move the bar."""
        super().train_step()
        self._advance(self._text)

    def log(self, metrics: Mapping[str, Any], step: int | None = None) -> None:
        """Write metrics to the log, and show them in the bar."""
        super().log(metrics, step)
        shown = [f"{k.split('/')[-1]} {float(v):.3f}" for k, v in metrics.items()]
        self._text = "  ".join(shown[:3])  # a line has no room for more


def records(folder: Path, name: str) -> list[tuple[int, float]]:
    """Return the log of one metric: pairs of the global step and the value."""
    lines = (folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    found = [json.loads(line) for line in lines]
    return [(record["step"], record[name]) for record in found if name in record]
