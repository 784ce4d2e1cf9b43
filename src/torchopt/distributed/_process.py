"""Workers that are processes of this machine; one that dies is started again."""

from __future__ import annotations

import atexit
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

from torchopt import checks
from torchopt.distributed import _wire
from torchopt.distributed._executor import Executor
from torchopt.errors import RemoteError, WorkerLostError

_BEAT = 0.5  # seconds between signs of life
_ATTEMPTS = 3  # to start a process
_STARTUP = 120.0  # seconds that a process may take to import what it needs


class ProcessExecutor(Executor):
    """Runs functions in processes of this machine, one at a time in each.

    Nothing is installed and nothing listens on the network. As always with processes of Python, the
    program that starts them needs ``if __name__ == "__main__":`` around what it runs.

    A worker that dies is replaced, and what it was doing fails with ``WorkerLostError``, which
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
            checks.check(name, value, checks.POSITIVE)
        self._threads, self._patience = threads, patience
        self._versions = _wire.Versions()
        self._lock = threading.RLock()
        self._closed = False
        self._why = ""
        self._pid = os.getpid()
        self._wakeup, self._waker = multiprocessing.Pipe(duplex=False)
        self._processes: dict[str, _Worker] = {}
        for k in range(count):
            self._start(f"process-{k}")
        self._watcher = threading.Thread(target=self._watch, name="torchopt-executor", daemon=True)
        self._watcher.start()
        # Before the exit function of multiprocessing, whose victims would be replaced.
        atexit.register(self.close)

    @property
    def workers(self) -> tuple[str, ...]:
        """See :class:`Executor`."""
        return tuple(self._processes)

    @property
    def closed(self) -> bool:
        """Whether it was closed, or has failed."""
        return self._closed

    @property
    def pids(self) -> dict[str, int]:
        """The number of each worker's process."""
        return {name: worker.pid for name, worker in self._processes.items()}

    def submit(self, worker: str, function: Callable[..., Any], *args: Any) -> Future[Any]:
        """See :class:`Executor`."""
        if self._pid != os.getpid():
            raise RuntimeError("the executor was made before a fork: make one in each process.")
        if self._closed:
            why = f" ({self._why})" if self._why else ""
            raise RuntimeError(f"the executor is closed{why}: make another one.")
        checks.check_known("worker", worker, self._processes)
        return self._processes[worker].submit(function, args, self._lock)

    def discard(self, worker: str, reason: str) -> None:
        """See :class:`Executor`; the process is killed, and another one takes its place."""
        process = self._processes.get(worker)
        if process is not None and not self._closed:
            process.condemned = reason
            self._wake()

    def close(self) -> None:
        """See :class:`Executor`."""
        if self._pid != os.getpid():
            return  # a copy by a fork; the workers are its parent's
        atexit.unregister(self.close)
        with self._lock:
            if self._closed:
                return
            self._closed = True
        self._wake()
        if threading.current_thread() is not self._watcher:
            self._watcher.join()
        for worker in self._processes.values():
            worker.end("the executor was closed")
        self._processes.clear()
        self._wakeup.close()
        self._waker.close()

    def _start(self, name: str, attempt: int = 1) -> None:
        parcels = self._versions.parcels()
        self._processes[name] = _Worker(name, self._threads, parcels, self._wake, attempt)

    def _wake(self) -> None:
        with contextlib.suppress(OSError):  # the executor is closed
            self._waker.send_bytes(b"")

    def _watch(self) -> None:
        """Monitor the workers; only this thread replaces them."""
        try:
            while not self._closed:
                self._look()
        except Exception as error:  # no process can be started, say: nobody must wait any more
            self._closed, self._why = True, f"it failed: {error}"
            for worker in self._processes.values():
                worker.end(f"its executor failed ({type(error).__name__}: {error})")

    def _look(self) -> None:
        ends: dict[Any, _Worker] = {}
        for worker in self._processes.values():
            ends[worker.sentinel] = ends[worker.beats] = worker
        ready = wait([self._wakeup, *ends], timeout=_BEAT)
        if self._wakeup in ready:
            self._wakeup.recv_bytes()
        for worker in list(self._processes.values()):
            reason = worker.condemned
            if worker.beats in ready:
                worker.listen()
            if reason is None and (worker.sentinel in ready or worker.broken):
                reason = worker.obituary()
            silence = time.monotonic() - worker.seen
            patience = self._patience if worker.started else max(self._patience, _STARTUP)
            if reason is None and silence > patience:
                reason = f"it gave no sign of life for {patience:g} s"
            if reason is not None and not self._closed:
                failed = not worker.started and worker.condemned is None
                if failed and worker.attempt == _ATTEMPTS:
                    raise RuntimeError(f"worker {worker.name!r} does not start: {reason}")
                # Before anybody makes its calls again.
                self._start(worker.name, worker.attempt + 1 if failed else 1)
                worker.end(reason)


class _Worker:
    """A worker process, as its executor sees it."""

    def __init__(
        self,
        name: str,
        threads: int,
        parcels: _wire.Parcels,
        wake: Callable[[], None],
        attempt: int,
    ) -> None:
        self.name, self.attempt = name, attempt
        self.parcels = parcels
        self._wake = wake
        self.connection, theirs = _CONTEXT.Pipe()
        self.beats, beats = _CONTEXT.Pipe(duplex=False)
        self._process = _CONTEXT.Process(
            target=_serve, args=(theirs, beats, threads), name=f"torchopt-{name}", daemon=True
        )
        # A daemonic process, such as a worker, may have workers too: they end when their beats fail.
        multiprocessing.current_process().daemon = False
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
        # Of its own: a worker that stops in the middle of an answer must not hold up the others.
        self._reader = threading.Thread(target=self._read, name=f"torchopt-{name}", daemon=True)
        self._reader.start()

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
                self._break()
            except BaseException:  # an interrupt, say: half a message has been sent
                self._break()
                raise
        if self._ended is not None:
            self._fail(self._ended)
        return future

    def listen(self) -> None:
        """Receive signs of life."""
        with contextlib.suppress(EOFError, OSError):  # its end is noticed by other means
            while self.beats.poll():
                self.beats.recv_bytes()
                self.started, self.seen = True, time.monotonic()

    def _break(self) -> None:
        self.broken = True
        self._wake()

    def _read(self) -> None:
        """Receive answers until the connection ends."""
        while True:
            try:
                message = _wire.Message(self.connection.recv_bytes)
            except Exception:  # it has ended, was closed, or what comes is no message
                return self._break()
            future = self._calls.pop(message.number, None)
            if future is None:  # given up
                continue
            answer(future, message, self.name)

    def obituary(self) -> str:
        """Return a sentence about how the process ended."""
        self._process.join(timeout=1.0)
        code = self._process.exitcode
        if code is not None and code > 0 and not self.started:
            return (
                f"its process ended with exit code {code} while it started: has the program "
                f'`if __name__ == "__main__":` around what it runs, and a file of its own'
            )
        if code is None:
            return "its connection broke"
        if code < 0:
            known = {int(number): number.name for number in signal.Signals}
            return f"its process was ended by {known.get(-code, f'signal {-code}')}"
        return f"its process ended with exit code {code}"

    def end(self, reason: str) -> None:
        """Kill the process and fail its calls."""
        self._ended = reason
        self._process.kill()
        self._process.join()
        self._process.close()
        self._reader.join(timeout=1.0)  # what was sent before the end counts
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


def answer(future: Future[Any], message: _wire.Message, worker: str) -> None:
    """Set the result or the error of a future from a worker's message."""
    try:
        good, value = message.decode()
    except Exception as error:  # of a class that cannot be made here
        future.set_exception(error)
        return
    if good:
        future.set_result(value)
    else:
        future.set_exception(_error(worker, *value))


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
    """Return an error in three forms to send: pickled if possible, as one line, its traceback."""
    summary = "".join(traceback.format_exception_only(type(error), error)).strip()
    pickled: bytes | None = None
    if isinstance(error, Exception):  # others would end the program that asked
        with contextlib.suppress(Exception):
            pickled = pickle.dumps(error)
    return pickled, summary, "".join(traceback.format_exception(error))


def _serve(connection: Connection, beats: Connection, threads: int) -> None:
    """Run calls one after the other, until the executor closes the connection."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    torch.set_num_threads(threads)
    with contextlib.suppress(OSError):  # who asked is gone; the connection will say so
        beats.send_bytes(b"")  # before anything can go wrong
    threading.Thread(target=_beat, args=(beats,), daemon=True).start()
    shelf = _wire.Shelf()
    while True:
        try:
            message = _wire.Message(connection.recv_bytes)
        except (EOFError, OSError):
            return
        try:
            pieces = _wire.encode(message.number, (True, _run(message, shelf)))
        except BaseException as error:  # an exit, too, is that of the function
            pieces = _wire.encode(message.number, (False, describe(error)))
        try:
            for piece in pieces:
                connection.send_bytes(piece)
        except OSError:
            return


def _run(message: _wire.Message, shelf: _wire.Shelf) -> Any:
    try:
        function, args = message.decode(shelf)
    except (AttributeError, ImportError) as error:
        raise TypeError(
            f"a worker cannot import what it was sent ({error}): functions and classes must stand at "
            f"the top level of a module, or of the file of the program; what a notebook or `exec` "
            f"defines is in no file."
        ) from error
    return function(*args)


def _beat(beats: Connection) -> None:
    try:
        while True:
            beats.send_bytes(b"")
            time.sleep(_BEAT)
    except OSError:
        os._exit(1)  # who asked is gone
