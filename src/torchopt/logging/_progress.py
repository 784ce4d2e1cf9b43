"""A progress bar."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torchopt.io import terminal
from torchopt.logging._sink import numbers


class Progress(terminal.Progress):
    """A progress bar that shows the latest metrics. It is a sink; steps without metrics move it too.

    It is drawn on stderr, if that is a terminal: a bar of ``rich``, or without that package a line.
    The environment variable ``TORCHOPT_PROGRESS`` decides otherwise: with ``0`` nothing is drawn, with
    ``1`` it is drawn anywhere.

    Args:
        total: The number of steps of the run.
        console: The ``rich.console.Console`` to draw on.

    Example:
        >>> bar = Progress(2)
        >>> for step in (1, 2):
        ...     bar.log({"loss": 1 / step}, step)
        >>> bar.close()
    """

    def __init__(self, total: int, *, console: Any = None) -> None:
        super().__init__(total, console=console)

    def log(self, metrics: Mapping[str, Any], step: int) -> None:
        """See :class:`Sink`."""
        super().log(numbers(metrics), step)
