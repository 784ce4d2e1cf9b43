"""Assigns calls to workers, and reassigns those of a lost worker."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

from torchopt.distributed._executor import Executor
from torchopt.errors import WorkerLostError

Schedule: TypeAlias = Literal["static", "dynamic"]
"""Who does a call: each worker its share, or whoever is idle the next one."""


class Call(NamedTuple):
    """A call that waits for a worker.

    Attributes:
        function: The function.
        args: Its arguments.
        worker: The worker that must run it; None for any.
    """

    function: Callable[..., Any]
    args: tuple[Any, ...]
    worker: str | None = None


@dataclass(frozen=True)
class Dispatcher:
    """Runs calls on the workers of an executor.

    Attributes:
        executor: The executor.
        schedule: How calls that name no worker are assigned.
        timeout: Seconds after which a worker that has not answered a call is abandoned.
        retries: How often a call is repeated when its worker is lost.
    """

    executor: Executor
    schedule: Schedule = "static"
    timeout: float | None = None
    retries: int = 2

    def run(self, calls: Sequence[Call]) -> tuple[list[Any], list[str]]:
        """Make all calls; return their results, and the worker of each.

        Raises:
            WorkerLostError: If a call was lost more often than it may be made again.
            TimeoutError: If the executor gave no answer within the time-out, several times.
        """
        return _Run(self, calls).finish()


class _Run:
    """Running calls: one at a time on each worker, so that none waits behind an abandoned one."""

    def __init__(self, how: Dispatcher, calls: Sequence[Call]) -> None:
        self._how = how
        self._calls = calls
        self._results: list[Any] = [None] * len(calls)
        self._by = [""] * len(calls)
        self._lost = [0] * len(calls)
        self._avoid = [""] * len(calls)
        self._flying: dict[Future[Any], int] = {}
        self._waiting = deque(range(len(calls)))
        workers = self._workers()
        share = how.schedule == "static"
        self._wish = [
            call.worker or (workers[k % len(workers)] if share else None)
            for k, call in enumerate(calls)
        ]

    def finish(self) -> tuple[list[Any], list[str]]:
        while self._waiting or self._flying:
            self._fill()
            done, _ = wait(self._flying, self._how.timeout, FIRST_COMPLETED)
            if not done:
                self._give_up()
            for future in done:
                k = self._flying.pop(future)
                error = future.exception()
                if isinstance(error, WorkerLostError):
                    self._again(k, error)
                elif error is not None:
                    raise error
                else:
                    self._results[k] = future.result()
        return self._results, self._by

    def _fill(self) -> None:
        """Assign waiting calls to idle workers."""
        workers = self._workers()
        busy = {self._by[k] for k in self._flying.values()}
        for worker in workers:
            if worker not in busy:
                k = next((k for k in self._waiting if self._suits(k, worker, workers)), None)
                if k is not None:
                    self._launch(k, worker)
                    self._waiting.remove(k)

    def _suits(self, k: int, worker: str, workers: Sequence[str]) -> bool:
        if self._avoid[k] == worker and len(workers) > 1:
            return False
        wish = self._wish[k]
        return wish == worker or wish not in workers

    def _launch(self, k: int, worker: str) -> None:
        call = self._calls[k]
        try:
            future = self._how.executor.submit(worker, call.function, *call.args)
        except ValueError:
            if worker in self._how.executor.workers:
                raise
            return self._waiting.append(k)  # it was lost a moment ago
        self._by[k] = worker
        self._flying[future] = k

    def _again(self, k: int, error: WorkerLostError) -> None:
        self._lost[k] += 1
        if self._lost[k] > self._how.retries:
            raise error
        self._wish[k], self._avoid[k] = None, error.worker
        self._waiting.appendleft(k)

    def _give_up(self) -> None:
        seconds = self._how.timeout
        for worker in {self._by[k] for k in self._flying.values()}:
            self._how.executor.discard(worker, f"it did not answer within {seconds:g} s")

    def _workers(self) -> list[str]:
        workers = list(self._how.executor.workers)
        if not workers:
            raise RuntimeError("no worker of the executor is left.")
        return workers
