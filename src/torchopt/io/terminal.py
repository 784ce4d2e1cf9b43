"""What is shown to those who watch: lines, and the progress of loops.

It goes to stderr, if that is a terminal; pipes and files stay as they are. The environment variable
``TORCHOPT_PROGRESS`` decides otherwise: with ``0`` nothing is shown, with ``1`` it is shown anywhere.
"""

from __future__ import annotations

import logging
import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

_LOGGER = logging.getLogger("torchopt")
_REDRAW = 0.1  # seconds


def is_watched() -> bool:
    """Return whether progress is shown."""
    setting = os.environ.get("TORCHOPT_PROGRESS", "")
    return setting != "0" if setting else sys.stderr is not None and sys.stderr.isatty()


def say(text: str) -> None:
    """Show a line, or log it at level ``INFO`` if the logger ``torchopt`` takes that."""
    if _LOGGER.isEnabledFor(logging.INFO) and _LOGGER.hasHandlers():
        _LOGGER.info(text)
    elif is_watched():
        print(f"torchopt: {text}", file=sys.stderr, flush=True)


class Progress:
    """A bar of ``rich``, or without that package a line, with the latest numbers of a loop.

    Args:
        total: The number of steps; None if unknown.
        title: What is shown first.
        console: The ``rich.console.Console`` to draw on; by default one on stderr, if it is watched.
    """

    def __init__(self, total: int | None, *, title: str = "", console: Any = None) -> None:
        self._total, self._title, self._step = total, title, 0
        self._numbers: Mapping[str, Any] = {}
        self._drawn = -1.0
        self._first = (0.0, 0)  # when the first step came, and its number
        self._shown = console is not None or is_watched()
        self._bar = _bar(console, total) if self._shown else None
        self._task = None if self._bar is None else self._bar.add_task("", total=total)

    def log(self, metrics: Mapping[str, Any], step: int) -> None:
        """Move to a step. Without metrics, those of the last one stay."""
        self._step, self._numbers = step, metrics or self._numbers
        if not self._first[0]:
            self._first = time.monotonic(), step
        if self._shown and time.monotonic() - self._drawn > _REDRAW:
            self._draw()

    def advance(self, **metrics: Any) -> None:
        """Move by one step."""
        self.log(metrics, self._step + 1)

    def resume(self, step: int) -> None:
        """Start at a later step."""
        self._step = step

    def close(self) -> None:
        """Draw the last step. May be called twice."""
        if self._shown and self._drawn >= 0:
            self._draw()
            if self._bar is None:
                print(file=sys.stderr, flush=True)
            else:
                self._bar.stop()
        self._shown = False

    def _draw(self) -> None:
        words = [f"{name} {float(value):.4g}" for name, value in self._numbers.items()]
        if self._bar is None:
            count = f"{self._step}" if self._total is None else f"{self._step}/{self._total}"
            line = " ".join(filter(None, [self._title, count, self._left(), *words]))
            print(f"\r{line:<79}", end="", file=sys.stderr, flush=True)
        else:
            if self._drawn < 0:
                self._bar.start()
                self._bar.reset(self._task, completed=self._step)  # steps before took no time here
            text = " ".join(filter(None, [self._title, *words]))
            self._bar.update(self._task, completed=self._step, description=text)
            self._bar.refresh()
        self._drawn = time.monotonic()

    def _left(self) -> str:
        """Return how long the other steps will take, by those since the first that was shown."""
        begun, first = self._first
        if self._total is None or not first < self._step < self._total:
            return ""
        seconds = (time.monotonic() - begun) / (self._step - first) * (self._total - self._step)
        return f"{seconds:.0f} s left"


@contextmanager
def progress(title: str, total: int | None, *, verbose: bool) -> Iterator[Progress | None]:
    """Show the progress of a loop.

    Args:
        title: What is shown first.
        total: The number of steps; None if unknown.
        verbose: Whether to show it, if anyone watches.
    """
    if not (verbose and is_watched()):
        yield None
        return
    bar = Progress(total, title=title)
    try:
        yield bar
    finally:
        bar.close()


def _bar(console: Any, total: int | None) -> Any:
    """Return a bar of ``rich``, if that is installed."""
    try:
        import rich.console
        import rich.progress as columns
    except ImportError:
        return None
    known = total is not None
    # No thread of its own: data loaders fork, and a lock that it holds would stay locked there.
    return columns.Progress(
        columns.BarColumn(),
        columns.MofNCompleteColumn() if known else columns.TextColumn("{task.completed}"),
        columns.TimeRemainingColumn() if known else columns.TimeElapsedColumn(),
        columns.TextColumn("{task.description}"),
        console=console or rich.console.Console(stderr=True, force_terminal=True),
        auto_refresh=False,
    )
