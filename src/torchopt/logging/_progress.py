"""A progress bar."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from torchopt.logging._sink import number, optional

__all__ = ["Progress"]


class Progress:
    """A progress bar that shows the latest metrics. It is a sink; steps without metrics move it too.

    Args:
        total: The number of steps of the run.
        console: The ``rich.console.Console`` to draw on.

    Raises:
        ImportError: If ``rich`` is not installed.
    """

    def __init__(self, total: int, *, console: Any = None) -> None:
        rich = optional("rich.progress", "progress", "The progress bar")
        # No thread of its own: data loaders fork, and a lock that it holds would stay locked there.
        self._bar = rich.Progress(
            rich.BarColumn(),
            rich.MofNCompleteColumn(),
            rich.TimeRemainingColumn(),
            rich.TextColumn("{task.description}"),
            console=console,
            auto_refresh=False,
        )
        self._task = self._bar.add_task("", total=total)
        self._shown = -1.0

    def log(self, metrics: Mapping[str, Any], step: int) -> None:
        """See :class:`Sink`."""
        if self._shown < 0:
            self._bar.start()
        words = [f"{name} {number(value, name):.4g}" for name, value in metrics.items()]
        self._bar.update(self._task, completed=step, description=" ".join(words) or None)
        if time.monotonic() - self._shown > 0.1:
            self._bar.refresh()
            self._shown = time.monotonic()

    def resume(self, step: int) -> None:
        """Move the bar to ``step``."""
        self._bar.update(self._task, completed=step)

    def close(self) -> None:
        """See :class:`Sink`."""
        self._bar.refresh()
        self._bar.stop()
