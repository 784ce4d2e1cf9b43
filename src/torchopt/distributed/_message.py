"""The base of executors whose workers are reached by messages: processes, RPC, Ray, Monarch.

A call and its answer are messages of :mod:`torchopt.distributed._wire`. An executor adds how messages
are sent, and what happens when a worker is lost.
"""

from __future__ import annotations

import abc
import contextlib
import ctypes
import multiprocessing.spawn
import os
import pickle
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, cast

import torch

from torchopt import checks
from torchopt.distributed._executor import Executor, Result
from torchopt.distributed._wire import Message, Parcels, Shelf, Versions, encode
from torchopt.errors import RemoteError, WorkerLostError

Pieces = Sequence[Any]


def message_of(pieces: Pieces) -> Message:
    """Return the message that is in pieces of memory."""
    return Message(iter(pieces).__next__)


def program() -> dict[str, Any]:
    """Return the description of this program for :func:`become`."""
    known = multiprocessing.spawn.get_preparation_data("")
    return {k: v for k, v in known.items() if k == "sys_path" or k.startswith("init_main")}


def become(known: dict[str, Any], threads: int) -> None:
    """Make functions of a program importable here by their names, even those of its main file."""
    main = known.get("init_main_from_path")
    if main is not None and not os.path.exists(main):  # on another machine
        known = {}
    multiprocessing.spawn.prepare({**known, "sys_path": [*sys.path, *known.get("sys_path", ())]})
    torch.set_num_threads(threads)


def reason(who: str, error: BaseException) -> str:
    """Return why a worker is lost, by what a library says about it."""
    return f"{who} says {str(error).strip().splitlines()[0]!r}"


class Desk:
    """In a worker: runs the calls of one executor, one after the other."""

    def __init__(self, catches: type[BaseException] = Exception) -> None:
        self._shelf, self._catches = Shelf(), catches

    def do(self, message: Message) -> list[Any]:
        """Return the answer to a message: the result of the function, or its error."""
        try:
            function, args = self._decode(message)
            return encode(message.number, (True, function(*args)))
        except self._catches as error:
            return encode(message.number, (False, _described(error)))

    def _decode(self, message: Message) -> Any:
        try:
            return message.decode(self._shelf)
        except (AttributeError, ImportError) as error:
            raise TypeError(
                f"a worker cannot import what it was sent ({error}): functions and classes must stand "
                f"at the top level of a module, or of the file of the program; what a notebook or "
                f"`exec` defines is in no file."
            ) from error


def joined(pieces: Pieces) -> tuple[list[int], torch.Tensor]:
    """Concatenate pieces of memory: return their sizes, and one tensor with a copy of all."""
    views = [memoryview(piece).cast("B") for piece in pieces]
    whole = bytearray().join(views)
    return [len(view) for view in views], torch.frombuffer(whole, dtype=torch.uint8)


def pieces_of(sizes: list[int], whole: torch.Tensor) -> list[memoryview]:
    """Split a tensor of joined pieces into views, without a copy."""
    memory = (ctypes.c_char * whole.numel()).from_address(whole.data_ptr())
    cast(Any, memory)._owner = whole  # lives as long as its bytes
    view, start, pieces = memoryview(memory), 0, []
    for size in sizes:
        pieces.append(view[start : start + size])
        start += size
    return pieces


@dataclass
class Lane:
    """A sequence of calls that a worker runs in order.

    Attributes:
        parcels: The leaves that the worker has.
        count: The number of calls so far.
    """

    parcels: Parcels
    count: int = 0


@dataclass(eq=False)
class Link:
    """What an executor knows about one worker.

    Attributes:
        worker: Its name.
        target: Its address.
        lanes: Its lanes by number.
        calls: Its calls that have no answer yet.
        started: Whether it has ever given a sign of life.
        asked: When the executor first asked for a sign of life that has not come.
        sending: Held while a message is on its way to the worker.
    """

    worker: str
    target: Any
    lanes: dict[int, Lane] = field(default_factory=dict)
    calls: set[Future[Any]] = field(default_factory=set)
    started: bool = False
    asked: float | None = None
    sending: threading.RLock = field(default_factory=threading.RLock)

    def sign_of_life(self) -> None:
        """Record a sign of life."""
        self.started, self.asked = True, None


def _answer(future: Future[Any], message: Message, worker: str) -> None:
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


def _described(error: BaseException) -> tuple[bytes | None, str, str]:
    """Return an error in three forms to send: pickled if possible, as one line, its traceback."""
    summary = "".join(traceback.format_exception_only(type(error), error)).strip()
    pickled: bytes | None = None
    if isinstance(error, Exception):  # others would end the program that asked
        with contextlib.suppress(Exception):
            pickled = pickle.dumps(error)
    return pickled, summary, "".join(traceback.format_exception(error))


class MessageExecutor(Executor):
    """Base of the executors whose workers are reached by messages.

    Args:
        patience: After how many seconds without a sign of life a worker that has something to do is
            given up.

    Raises:
        ValueError: If ``patience`` is not positive.
    """

    def __init__(self, patience: float, **counts: Any) -> None:
        checks.check("patience", patience, checks.POSITIVE)
        for name, value in counts.items():
            checks.check(name, value, checks.POSITIVE)
        self._patience = patience
        self._lock = threading.RLock()
        self._versions = Versions()
        self._links: dict[str, Link] = {}
        self._closed = threading.Event()
        self._watcher: threading.Thread | None = None

    @abc.abstractmethod
    def _send(self, link: Link, lane: int, pieces: Pieces, future: Future[Any]) -> None:
        """Send a message, and later call :meth:`_answered` or :meth:`_lost`."""

    @abc.abstractmethod
    def _ask(self, link: Link) -> None:
        """Request a sign of life, which is recorded in the link."""

    @abc.abstractmethod
    def _replacement(self, link: Link) -> Link | None:
        """Abandon a worker; return its replacement."""

    @property
    def closed(self) -> bool:
        """Whether :meth:`close` has been called."""
        return self._closed.is_set()

    @property
    def workers(self) -> tuple[str, ...]:
        """See :class:`Executor`."""
        return tuple(self._links)

    def submit(self, worker: str, function: Callable[..., Result], *args: Any) -> Future[Result]:
        """See :class:`Executor`."""
        if self._closed.is_set():
            raise RuntimeError("the executor is closed: make another one.")
        links = dict(self._links)
        checks.check_known("worker", worker, links)
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()
        link = links[worker]
        with link.sending:  # messages of a lane arrive in the order of their numbers
            with self._lock:
                number = self._lane()
                if number not in link.lanes:
                    link.lanes[number] = Lane(Parcels(self._versions))
                lane = link.lanes[number]
                pieces = encode(lane.count, (function, args), lane.parcels)
                link.calls.add(future)
            self._send(link, number, pieces, future)
            lane.count += 1
        with self._lock:
            if self._watcher is None:
                self._watcher = threading.Thread(
                    target=self._watch, name="torchopt-watcher", daemon=True
                )
                # From Python 3.12 on, none starts at the end of the program: the transport must notice.
                with contextlib.suppress(RuntimeError):
                    self._watcher.start()
        return future

    def discard(self, worker: str, reason: str) -> None:
        """See :class:`Executor`."""
        link = self._links.get(worker)
        if link is not None:
            self._lost(link, reason)

    def close(self) -> None:
        """See :class:`Executor`."""
        with self._lock:
            self._closed.set()
            links = list(self._links.values())
        for link in links:
            self._lost(link, "the executor was closed")

    def _lane(self) -> int:
        return 0

    def _take(self, link: Link, future: Future[Any]) -> bool:
        """Mark a call as answered; return whether it was unanswered."""
        with self._lock:
            if future not in link.calls:
                return False
            link.calls.remove(future)
            return True

    def _answered(self, link: Link, future: Future[Any], message: Message) -> None:
        link.sign_of_life()
        if self._take(link, future):
            _answer(future, message, link.worker)

    def _failed(self, link: Link, future: Future[Any], error: BaseException) -> None:
        if self._take(link, future):
            future.set_exception(error)

    def _lost(self, link: Link, reason: str) -> None:
        with self._lock:
            calls, link.calls = link.calls, set()
            if self._links.get(link.worker) is link:
                other = self._replacement(link)
                if other is None:
                    del self._links[link.worker]
                else:
                    self._links[link.worker] = other
        for future in calls:
            future.set_exception(WorkerLostError(link.worker, reason))

    def _watch(self) -> None:
        while not self._closed.wait(self._patience / 2):
            with self._lock:
                busy = [link for link in self._links.values() if link.calls]
            now = time.monotonic()
            for link in busy:
                if link.asked is None:
                    link.asked = now
                    self._ask(link)
                elif link.started and now - link.asked > self._patience:
                    self._lost(link, f"it gave no sign of life for {self._patience:g} s")
