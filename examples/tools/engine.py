"""What examples with an engine share: the curves of metrics, a bar, and going on after a stop."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from examples.tools.report import Report
from torchopt.logging import JSONLines, Several
from torchopt.multilevel import Engine, EngineConfig

__all__ = ["Curves", "engine_config", "run_engine"]

Curves = dict[str, list[tuple[int, float]]]  # of each metric: global steps and values


class _Log:
    """A sink of metrics, in memory, and in a file if there is one."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.curves: Curves = defaultdict(list)
        self.file = Several() if path is None else JSONLines(path)
        self.advance: Callable[[int, str], None] = lambda step, text: None

    def log(self, metrics: Mapping[str, Any], step: int) -> None:
        self.file.log(metrics, step)
        self._add({name: float(value) for name, value in metrics.items()}, step)
        shown = [f"{name.split('/')[-1]} {float(value):.3f}" for name, value in metrics.items()]
        self.advance(step, "  ".join(shown[:3]))  # a line has no room for more

    def resume(self, step: int) -> None:
        self.file.resume(step)
        if self.path is not None:
            for line in self.path.read_text(encoding="utf-8").splitlines():
                record = json.loads(line)
                self._add(record, record.pop("step"))

    def close(self) -> None:
        self.file.close()

    def _add(self, metrics: Mapping[str, float], step: int) -> None:
        for name, value in metrics.items():
            self.curves[name].append((step, value))


def engine_config(report: Report, steps: int, valid_step: int) -> EngineConfig:
    """Return the settings of an engine that :func:`run_engine` runs.

    Args:
        report: Its folder, if any, gets ``metrics.jsonl`` and ``checkpoint.pt``.
        steps: The number of global steps.
        valid_step: After how many of them the run is validated and saved.
    """
    folder = report.folder
    return EngineConfig(
        train_iters=steps,
        valid_step=valid_step,
        sink=_Log(None if folder is None else folder / "metrics.jsonl"),
        checkpoint=None if folder is None else folder / "checkpoint.pt",
        checkpoint_step=valid_step,
    )


def run_engine(engine: Engine, report: Report, what: str) -> Curves:
    """Run an engine to its end, from its checkpoint if there is one, and show its plan and a bar.

    Args:
        engine: Its settings are those of :func:`engine_config`.
        report: Where the plan and the bar are shown.
        what: What runs, for the bar.

    Returns:
        The curve of each metric that was logged; an empty one of any other.
    """
    report.console.print(str(engine.plan()), soft_wrap=True)
    log, checkpoint = engine.sink, engine.config.checkpoint
    assert isinstance(log, _Log)
    if checkpoint is not None:
        engine.plan().to_svg(Path(checkpoint).with_name("plan.svg"))
        if Path(checkpoint).exists():
            engine.resume(checkpoint)
    done = engine.global_step
    total = max(engine.config.train_iters - done, 1)
    with closing(log), report.progress(what, total) as advance:

        def move(step: int, text: str) -> None:
            nonlocal done
            while done < step:
                advance(text)
                done += 1

        log.advance = move
        engine.run()
    return log.curves
