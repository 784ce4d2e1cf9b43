"""The executor without workers: everything runs where it is called."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from torchopt.autodiff import transforms
from torchopt.distributed._executor import Executor, Result
from torchopt.distributed._wire import Message, encode


def _sent(value: Any) -> Any:
    return Message(iter(encode(0, value)).__next__).decode()


class LocalExecutor(Executor):
    """Runs everything in this thread: for tests, for one machine, to debug.

    Args:
        num_workers: As how many workers it appears.

    Example:
        >>> with LocalExecutor() as executor:
        ...     executor.result(executor.submit("local-0", max, 1, 2))
        2
    """

    def __init__(self, num_workers: int = 1) -> None:
        self._workers = tuple(f"local-{k}" for k in range(num_workers))

    @property
    def workers(self) -> tuple[str, ...]:
        """See :class:`Executor`."""
        return self._workers

    def submit(self, worker: str, function: Callable[..., Result], *args: Any) -> Future[Result]:
        """See :class:`Executor`."""
        future: Future[Any] = Future()
        try:
            # As in a process of its own: outside of every transform, and with copies of its own.
            with transforms.outside():
                call, values = _sent((function, args))
                future.set_result(_sent(call(*values)))
        except Exception as error:
            future.set_exception(error)
        return future

    def discard(self, worker: str, reason: str) -> None:
        """See :class:`Executor`; there are no workers to abandon."""

    def close(self) -> None:
        """See :class:`Executor`; there are no workers to stop."""
