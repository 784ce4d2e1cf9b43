"""Workers that are processes of this machine; one that dies is started again."""

from __future__ import annotations

import atexit
import contextlib
import itertools
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Any, ClassVar

import torch

from torchopt.distributed._executor import Result
from torchopt.distributed._message import Desk, Link, MessageExecutor, Pieces
from torchopt.distributed._wire import Message

_BEAT = 0.5  # seconds between signs of life
_ATTEMPTS = 3  # to start a process


@dataclass(eq=False)
class _Worker:
    process: SpawnProcess
    connection: Connection
    attempt: int
    calls: dict[int, Future[Any]] = field(default_factory=dict)

    def obituary(self, started: bool) -> str:
        """Return how the process has ended."""
        self.process.join(timeout=1.0)
        code = self.process.exitcode
        if code is None:
            return "its connection broke"
        if code < 0:
            known = {int(number): number.name for number in signal.Signals}
            return f"its process was ended by {known.get(-code, f'signal {-code}')}"
        ended = f"its process ended with exit code {code}"
        if code == 0 or started:
            return ended
        return (
            f'{ended} while it started: has the program `if __name__ == "__main__":` around what it '
            f"runs, and a file of its own"
        )


class ProcessExecutor(MessageExecutor):
    """Runs functions in processes of this machine, one at a time in each.

    Nothing is installed and nothing listens on the network. As always with processes of Python, the
    program that starts them needs ``if __name__ == "__main__":`` around what it runs.

    A worker that dies is replaced, and what it was doing fails with ``WorkerLostError``, which
    :func:`remote_map` answers by doing it again. A worker that gives no sign of life (a stopped
    process) is taken for dead.

    Args:
        num_workers: The number of processes; by default that of the machine's cores.
        num_threads: The number of threads that PyTorch uses in each of them.
        patience: After how many seconds without a sign of life a worker is given up.

    Raises:
        ValueError: If a number is not positive.
    """

    __promised__: ClassVar[tuple[str, ...]] = ("__init__", "close", "submit")

    def __init__(
        self, num_workers: int | None = None, *, num_threads: int = 1, patience: float = 30.0
    ) -> None:
        count = os.cpu_count() or 1 if num_workers is None else num_workers
        super().__init__(patience, num_workers=count, num_threads=num_threads)
        self._threads, self._pid = num_threads, os.getpid()
        for k in range(count):
            self._links[f"process-{k}"] = self._start(f"process-{k}")
        # Before the exit function of multiprocessing, whose victims would be replaced.
        atexit.register(self.close)

    @property
    def pids(self) -> dict[str, int]:
        """The process of each worker."""
        return {name: link.target.process.pid for name, link in self._links.items()}

    def submit(self, worker: str, function: Callable[..., Result], *args: Any) -> Future[Result]:
        """Start a call in a process; see :class:`Executor`."""
        if self._pid != os.getpid():
            raise RuntimeError("the executor was made before a fork: make one in each process.")
        return super().submit(worker, function, *args)

    def close(self) -> None:
        """End all processes."""
        if self._pid == os.getpid():  # not a copy by a fork: the workers are its parent's
            atexit.unregister(self.close)
            super().close()

    def _start(self, name: str, attempt: int = 1) -> Link:
        connection, theirs = _CONTEXT.Pipe()
        process = _CONTEXT.Process(
            target=_serve, args=(theirs, self._threads), name=f"torchopt-{name}", daemon=True
        )
        # A daemonic process, such as a worker, may have workers too: they end when their beats fail.
        multiprocessing.current_process().daemon = False
        with _environment(OMP_NUM_THREADS=str(self._threads)):
            process.start()
        theirs.close()
        link = Link(name, _Worker(process, connection, attempt))
        # Of its own: a worker that stops in the middle of an answer must not hold up the others.
        threading.Thread(
            target=self._read, args=(link,), name=f"torchopt-{name}", daemon=True
        ).start()
        return link

    def _read(self, link: Link) -> None:
        """Take the answers of a worker, and its signs of life, which are empty, until it ends."""
        worker: _Worker = link.target
        with contextlib.suppress(Exception):  # it has ended, or what comes is no message
            while True:
                first = worker.connection.recv_bytes()
                link.sign_of_life()
                if first:
                    rest = iter(worker.connection.recv_bytes, None)
                    message = Message(itertools.chain([first], rest).__next__)
                    self._answered(link, worker.calls.pop(message.number), message)
        self._lost(link, worker.obituary(link.started))
        with link.sending:  # nobody is in the middle of a message any more
            worker.connection.close()

    def _send(self, link: Link, lane: int, pieces: Pieces, future: Future[Any]) -> None:
        worker: _Worker = link.target
        worker.calls[link.lanes[lane].count] = future
        try:
            for piece in pieces:
                worker.connection.send_bytes(piece)
        except OSError:
            self._lost(link, worker.obituary(link.started))
        except BaseException:  # an interrupt, say: half a message has been sent
            self._lost(link, "a message to it was interrupted")
            raise

    def _ask(self, link: Link) -> None:
        """Do nothing: it gives signs of life without being asked."""

    def _replacement(self, link: Link) -> Link | None:
        worker: _Worker = link.target
        failed = not link.started and worker.process.exitcode is not None
        worker.process.kill()
        worker.process.join()
        if self.closed or (failed and worker.attempt == _ATTEMPTS):
            return None
        try:
            return self._start(link.worker, worker.attempt + 1 if failed else 1)
        except OSError:  # no process can be started
            return None


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


def _serve(connection: Connection, threads: int) -> None:
    """Run calls until the executor is gone: in the worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    torch.set_num_threads(threads)
    # An exit, too, is that of the function.
    desk, sending = Desk(BaseException), threading.Lock()
    threading.Thread(target=_beat, args=(connection, sending), daemon=True).start()
    with contextlib.suppress(EOFError, OSError):  # who asked is gone
        while True:
            pieces = desk.do(Message(connection.recv_bytes))
            with sending:
                for piece in pieces:
                    connection.send_bytes(piece)


def _beat(connection: Connection, sending: threading.Lock) -> None:
    """Give signs of life, from before anything can go wrong."""
    try:
        while True:
            with sending:
                connection.send_bytes(b"")
            time.sleep(_BEAT)
    except OSError:
        os._exit(1)  # who asked is gone
