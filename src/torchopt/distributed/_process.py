"""Workers that are processes of this machine; one that dies is started again."""

from __future__ import annotations

import contextlib
import itertools
import multiprocessing
import os
import pickle
import signal
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from multiprocessing.connection import Connection, wait
from typing import Any

import torch

from torchopt.distributed import _wire
from torchopt.distributed._engine import Engine, RemoteError, WorkerLostError

__all__ = ["ProcessEngine"]

_BEAT = 0.5  # seconds between signs of life
_STARTUP = 120.0  # seconds that a process may take to import what it needs


class ProcessEngine(Engine):
    """Runs functions in processes of this machine, one at a time in each.

    Nothing is installed and nothing listens on the network. As always with processes of Python, the
    program that starts them needs ``if __name__ == "__main__":`` around what it runs.

    A worker that dies is replaced, and what it was doing fails with :class:`WorkerLostError`, which
    :func:`remote_map` answers by doing it again. A worker that gives no sign of life (a stopped
    process) is taken for dead.

    Args:
        workers: The number of processes; by default that of the machine's cores.
        threads: The number of threads that PyTorch uses in each of them.
        patience: After how many seconds without a sign of life a worker is given up.

    Raises:
        ValueError: If a number is not positive.
    """

    def __init__(
        self, workers: int | None = None, *, threads: int = 1, patience: float = 30.0
    ) -> None:
        count = os.cpu_count() or 1 if workers is None else workers
        for name, value in (("workers", count), ("threads", threads), ("patience", patience)):
            if not value > 0:
                raise ValueError(f"`{name}` is {value!r}, but it must be positive.")
        self._threads, self._patience = threads, patience
        self._versions = _wire.Versions()
        self._lock = threading.RLock()
        self._closed = False
        self._wakeup, self._waker = multiprocessing.Pipe(duplex=False)
        self._processes: dict[str, _Worker] = {}
        for k in range(count):
            self._start(f"process-{k}")
        self._reader = threading.Thread(target=self._read, name="torchopt-engine", daemon=True)
        self._reader.start()

    @property
    def workers(self) -> tuple[str, ...]:
        """See :class:`Engine`."""
        return tuple(self._processes)

    @property
    def pids(self) -> dict[str, int]:
        """The number of each worker's process."""
        return {name: worker.pid for name, worker in self._processes.items()}

    def submit(self, worker: str, function: Callable[..., Any], *args: Any) -> Future[Any]:
        """See :class:`Engine`."""
        if self._closed:
            raise RuntimeError("the engine is closed: make another one.")
        if worker not in self._processes:
            raise ValueError(f"there is no worker {worker!r}; there are {', '.join(self.workers)}.")
        return self._processes[worker].submit(function, args, self._lock)

    def discard(self, worker: str, reason: str) -> None:
        """See :class:`Engine`; the process is killed, and another one takes its place."""
        found = self._processes.get(worker)
        if found is not None and not self._closed:
            found.condemned = reason
            self._waker.send_bytes(b"")

    def close(self) -> None:
        """See :class:`Engine`."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        self._waker.send_bytes(b"")
        if threading.current_thread() is not self._reader:
            self._reader.join()
        for worker in self._processes.values():
            worker.end("the engine was closed")
        self._processes.clear()
        self._wakeup.close()
        self._waker.close()

    def _start(self, name: str) -> None:
        self._processes[name] = _Worker(name, self._threads, self._versions.parcels())

    def _replace(self, worker: _Worker, reason: str) -> None:
        self._start(worker.name)
        worker.end(reason)

    def _read(self) -> None:
        """Watch over the workers; only this thread replaces them."""
        while not self._closed:
            ends: dict[Any, _Worker] = {}
            for worker in list(self._processes.values()):
                ends[worker.connection] = ends[worker.sentinel] = ends[worker.beats] = worker
            ready = wait([self._wakeup, *ends], timeout=_BEAT)
            if self._wakeup in ready:
                self._wakeup.recv_bytes()
            now = time.monotonic()
            for worker in {id(w): w for w in ends.values()}.values():
                if worker.beats in ready and worker.listen():
                    worker.seen = now
                if worker.connection in ready:
                    worker.seen = now
                    # What it sent before it died counts.
                    if worker.take() and worker.sentinel not in ready:
                        continue
                patience = self._patience if worker.started else max(self._patience, _STARTUP)
                if worker.condemned is not None:
                    self._replace(worker, worker.condemned)
                elif worker.sentinel in ready or worker.broken:
                    self._replace(worker, worker.obituary())
                elif now - worker.seen > patience:
                    self._replace(worker, f"it gave no sign of life for {patience:g} s")


class _Worker:
    """A process, from the side of its engine."""

    def __init__(self, name: str, threads: int, parcels: _wire.Parcels) -> None:
        self.name = name
        self.parcels = parcels
        self.connection, theirs = _CONTEXT.Pipe()
        self.beats, beats = _CONTEXT.Pipe(duplex=False)
        self._process = _CONTEXT.Process(
            target=_serve, args=(theirs, beats, threads), name=f"torchopt-{name}", daemon=True
        )
        with _environment(OMP_NUM_THREADS=str(threads)):
            self._process.start()
        theirs.close()
        beats.close()
        self.sentinel = self._process.sentinel
        self.pid = self._process.pid or 0
        self.seen, self.started, self.broken = time.monotonic(), False, False
        self._calls: dict[int, Future[Any]] = {}
        self._numbers = itertools.count()
        self._sending = threading.Lock()
        self._ended: str | None = None
        self.condemned: str | None = None

    def submit(
        self, function: Callable[..., Any], args: tuple[Any, ...], serializing: threading.RLock
    ) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()
        with self._sending:
            number = next(self._numbers)
            with serializing:
                pieces = _wire.encode(number, (function, args), self.parcels)
            self._calls[number] = future
            try:
                for piece in pieces:
                    self.connection.send_bytes(piece)
            except OSError:
                self.broken = True
        if self._ended is not None:
            self._fail(self._ended)
        return future

    def listen(self) -> bool:
        """Take in signs of life; whether there were any."""
        try:
            while self.beats.poll():
                self.beats.recv_bytes()
                self.started = True
        except (EOFError, OSError):
            return False
        return True

    def take(self) -> bool:
        """Take in one answer; whether there was one."""
        try:
            message = _wire.Message(self.connection)
        except (EOFError, OSError):
            self.broken = True
            return False
        future = self._calls.pop(message.number)
        try:
            good, value = message.decode()
        except Exception as error:  # of a class that cannot be made here
            future.set_exception(error)
            return True
        if good:
            future.set_result(value)
        else:
            future.set_exception(_error(self.name, *value))
        return True

    def obituary(self) -> str:
        """Say how the process ended."""
        self._process.join(timeout=1.0)
        code = self._process.exitcode
        if code is None:
            return "its connection broke"
        if code < 0:
            return f"its process was ended by {signal.Signals(-code).name}"
        return f"its process ended with exit code {code}"

    def end(self, reason: str) -> None:
        """Kill the process and fail its calls."""
        self._ended = reason
        self._process.kill()
        self._process.join()
        self._process.close()
        with self._sending:  # nobody is in the middle of a message any more
            self.connection.close()
            self.beats.close()
        self._fail(reason)

    def _fail(self, reason: str) -> None:
        for number in list(self._calls):
            if (future := self._calls.pop(number, None)) is not None:
                future.set_exception(WorkerLostError(self.name, reason))


_CONTEXT = multiprocessing.get_context("spawn")  # a forked copy of PyTorch's threads does not work


@contextlib.contextmanager
def _environment(**values: str) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _error(worker: str, pickled: bytes | None, summary: str, text: str) -> BaseException:
    cause = RemoteError(worker, summary, text)
    if pickled is None:
        return cause
    try:
        error = pickle.loads(pickled)
    except Exception:  # its class takes other arguments than it keeps
        return cause
    if not isinstance(error, BaseException):
        return cause
    error.__cause__ = cause
    return error


def describe(error: BaseException) -> tuple[bytes | None, str, str]:
    """Return an error as it is sent: pickled, if it can be, in a line, and with its traceback."""
    summary = "".join(traceback.format_exception_only(type(error), error)).strip()
    try:
        pickled: bytes | None = pickle.dumps(error)
    except Exception:
        pickled = None
    return pickled, summary, "".join(traceback.format_exception(error))


def _serve(connection: Connection, beats: Connection, threads: int) -> None:
    """Do what comes, one call after the other, until the engine's end of the connection is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    torch.set_num_threads(threads)
    beats.send_bytes(b"")  # before anything can go wrong
    threading.Thread(target=_beat, args=(beats,), daemon=True).start()
    shelf = _wire.Shelf()
    while True:
        try:
            message = _wire.Message(connection)
        except (EOFError, OSError):
            return
        try:
            function, args = message.decode(shelf)
            pieces = _wire.encode(message.number, (True, function(*args)))
        except Exception as error:
            pieces = _wire.encode(message.number, (False, describe(error)))
        try:
            for piece in pieces:
                connection.send_bytes(piece)
        except OSError:
            return


def _beat(beats: Connection) -> None:
    try:
        while True:
            beats.send_bytes(b"")
            time.sleep(_BEAT)
    except OSError:
        return
