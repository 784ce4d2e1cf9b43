"""One short line for each step, for those who watch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TextIO

from torchopt.io.calls import CallRepr
from torchopt.logging._sink import numbers


class Console(CallRepr):
    """Prints one line for each step.

    Args:
        stream: Where it is printed; by default what ``sys.stdout`` is at that moment.

    Example:
        >>> Console().log({"inner/loss": 0.73251, "outer/accuracy": 0.5}, step=20)
        step 20 | inner/loss 0.7325 | outer/accuracy 0.5
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = stream

    def log(self, metrics: Mapping[str, Any], step: int) -> None:
        """See :class:`Sink`."""
        words = [f"{name} {value:.4g}" for name, value in numbers(metrics).items()]
        print(" | ".join([f"step {step}", *words]), file=self.stream, flush=True)

    def resume(self, step: int) -> None:
        """Print nothing: what has been printed stays."""

    def close(self) -> None:
        """See :class:`Sink`."""
