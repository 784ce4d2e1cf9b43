"""Evaluations that start from the same buffers, generators and settings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from torchopt.autodiff.environment import ReplayLog, dropping_statistics


class Replay:
    """Lets each evaluation of a function start from the same buffers, generators and torch settings.

    Args:
        *functions: What is evaluated, so that modules hold the same tensors; see :class:`ReplayLog`.
        default: Whether PyTorch's default generators are among them.
        trace: Whether the first evaluation may leave its changes; no other does.
    """

    def __init__(self, *functions: Any, default: bool = False, trace: bool = True) -> None:
        self._functions = functions
        self._default = default
        self._trace = trace
        self._log: ReplayLog | None = None

    def __call__(self) -> AbstractContextManager[None]:
        """Enclose an evaluation."""
        # The second may come within the first, in the inner gradient of a checkpointed function.
        if self._log is not None:
            return self._again(self._log)
        self._log = ReplayLog(*self._functions, default=self._default)
        return self._first(self._log)

    @contextmanager
    def _first(self, log: ReplayLog) -> Iterator[None]:
        try:
            with log.recording(), nullcontext() if self._trace else dropping_statistics():
                yield
        finally:
            if not self._trace:
                log.rewind()

    @contextmanager
    def _again(self, log: ReplayLog) -> Iterator[None]:
        with log.restoring():
            log.rewind()
            yield
