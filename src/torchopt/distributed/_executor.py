"""The interface of executors: workers by name, and a way to run a function on one of them.

Everything else (differentiation, retries, schedules) is written once, on top of these few methods.
"""

from __future__ import annotations

import abc
from collections.abc import Callable
from concurrent.futures import Future
from types import TracebackType
from typing import Any, TypeVar

_Self = TypeVar("_Self", bound="Executor")
Result = TypeVar("Result")


class Executor(abc.ABC):
    """Base of the executors: runs functions on workers, one at a time on each.

    Functions and arguments are sent by pickle, and code from the network is run: an executor listens on
    the loopback interface unless it is told otherwise.
    """

    @property
    @abc.abstractmethod
    def workers(self) -> tuple[str, ...]:
        """The names of the workers that can run calls."""

    @abc.abstractmethod
    def submit(self, worker: str, function: Callable[..., Result], *args: Any) -> Future[Result]:
        """Run ``function(*args)`` on a worker.

        Args:
            worker: One of :attr:`workers`.
            function: A function that can be pickled.
            *args: What it is called with.

        Returns:
            A future, whose exception is that of the function, with a ``RemoteError`` as its cause,
            or a :class:`~torchopt.errors.WorkerLostError`.
        """

    def result(self, future: Future[Result], timeout: float | None = None) -> Result:
        """Return what was submitted has returned, or raise what it raised."""
        return future.result(timeout)

    @abc.abstractmethod
    def discard(self, worker: str, reason: str) -> None:
        """Abandon a worker that does not answer; its calls fail with ``WorkerLostError``."""

    @abc.abstractmethod
    def close(self) -> None:
        """Stop the workers that the executor has started."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}(num_workers={len(self.workers)})"

    def __enter__(self: _Self) -> _Self:
        """Return the executor, which is closed at the end of the block."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the executor."""
        self.close()
