"""Workers that are the processes of a PyTorch RPC group; one that dies is left out."""

from __future__ import annotations

import contextlib
import queue
import threading
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import torch
from torch.distributed import rpc
from torch.distributed.rpc.functions import async_execution

from torchopt import checks
from torchopt.distributed._evaluate import forget
from torchopt.distributed._executor import Result
from torchopt.distributed._message import (
    Desk,
    Link,
    MessageExecutor,
    Pieces,
    joined,
    message_of,
    pieces_of,
    reason,
)
from torchopt.errors import RpcTimeoutError

_API: Any = getattr(rpc, "api", None)  # None where torch was built without RPC


class RpcExecutor(MessageExecutor):
    """Runs functions in the processes of a PyTorch RPC group, one at a time in each.

    The group must have been made, by :func:`torchopt.distributed.auto_init_rpc` or
    ``torch.distributed.rpc.init_rpc``; it belongs to the program, and stays when the executor is
    closed. A process that dies, or gives no sign of life, is left out from then on: what it was doing
    fails with ``WorkerLostError``, which :func:`torchopt.distributed.remote_map` answers by doing it
    elsewhere.

    RPC runs whatever code it is sent, and does not ask by whom: it is for networks that are trusted.

    Args:
        workers: The names of the processes; by default all of the group, this one too.
        patience: After how many seconds without a sign of life a worker is given up.

    Raises:
        RuntimeError: If there is no RPC group.
        ValueError: If a name is not in the group, or ``patience`` is not positive.
    """

    def __init__(self, workers: Sequence[str] | None = None, *, patience: float = 30.0) -> None:
        super().__init__(patience)
        known = {info.id: info.name for info in initialized().get_worker_infos()}
        names = [known[k] for k in sorted(known)]
        for name in workers or ():
            checks.check_known("process", name, names)
        self._key = uuid.uuid4().hex
        self._links = {
            name: Link(name, name, started=True) for name in (names if workers is None else workers)
        }
        serve()

    def __repr__(self) -> str:
        return f"RpcExecutor(workers={list(self.workers)!r})"

    def submit(self, worker: str, function: Callable[..., Result], *args: Any) -> Future[Result]:
        """See :class:`Executor`."""
        ticket = _TICKET.get()
        future = super().submit(worker, function, *args)
        if ticket is not None and function is not forget:
            ticket.stamp()
        return future

    def _lane(self) -> int:
        # A function on a worker may give work to others in turn: each depth has a thread of its own,
        # so that nobody waits for a thread that waits for him.
        return _DEPTH.get() + 1

    def _send(self, link: Link, lane: int, pieces: Pieces, future: Future[Any]) -> None:
        ticket = _TICKET.get()
        seconds = 0.0 if ticket is None else ticket.timeout
        args = (self._key, lane, link.lanes[lane].count, *joined(pieces))

        def over(reply: torch.futures.Future[Any]) -> None:
            try:
                answer = reply.value()
            except RuntimeError as error:
                if "set timeout" in str(error):
                    late = f"worker {link.worker!r} did not answer within {seconds:g} s."
                    self._failed(link, future, RpcTimeoutError(late))
                else:
                    self._lost(link, reason("RPC", error))
            else:
                self._answered(link, future, message_of(pieces_of(*answer)))

        try:
            rpc.rpc_async(link.target, _accept, args, timeout=seconds).add_done_callback(over)
        except RuntimeError as error:
            self._lost(link, reason("RPC", error))

    def _ask(self, link: Link) -> None:
        def over(reply: torch.futures.Future[Any]) -> None:
            try:
                reply.value()
            except RuntimeError as error:
                self._lost(link, reason("RPC", error))
            else:
                link.sign_of_life()

        try:
            alive(link.target, timeout=0).add_done_callback(over)
        except RuntimeError as error:
            self._lost(link, reason("RPC", error))

    def _replacement(self, link: Link) -> Link | None:
        if self.closed and is_initialized():
            for lane in link.lanes:
                with contextlib.suppress(RuntimeError):  # a worker that is gone keeps nothing
                    rpc.rpc_async(link.target, _leave, (self._key, lane))
        return None


def is_initialized() -> bool:
    """Whether there is an RPC group."""
    return rpc.is_available() and _API._is_current_rpc_agent_set()


def initialized() -> Any:
    """Return the RPC agent.

    Raises:
        RuntimeError: If there is none.
    """
    if not rpc.is_available():
        raise RuntimeError("this torch was built without RPC: use another executor.")
    if not is_initialized():
        raise RuntimeError(
            "RPC is not initialized: decorate the program's main function with "
            "`torchopt.distributed.auto_init_rpc()` and start it with `torchrun`, or call "
            "`torch.distributed.rpc.init_rpc` first."
        )
    return _API._get_current_rpc_agent()


@dataclass
class Ticket:
    """The settings of one call of the published functions, in the thread that makes it.

    Attributes:
        timeout: Seconds after which it fails; 0 for never.
        left: The number of messages still to send.
        sent: Whether all messages are sent.
    """

    timeout: float
    left: int
    sent: threading.Event = field(default_factory=threading.Event)

    def stamp(self) -> None:
        """Record that a message was sent."""
        self.left -= 1
        if self.left <= 0:
            self.sent.set()

    @contextlib.contextmanager
    def used(self) -> Iterator[None]:
        """Apply these settings to the calls of this thread in a block."""
        token = _TICKET.set(self)
        try:
            yield
        finally:
            _TICKET.reset(token)
            self.sent.set()


_TICKET: ContextVar[Ticket | None] = ContextVar("ticket", default=None)

_shared: tuple[Any, RpcExecutor] | None = None


def group_executor() -> RpcExecutor:
    """Return the executor of the whole group; all callers share it while the group lasts.

    Raises:
        RuntimeError: If there is no RPC group.
    """
    global _shared
    agent = initialized()
    if _shared is None or _shared[0] is not agent:
        _shared = agent, RpcExecutor()
    return _shared[1]


def group_timeout() -> float:
    """Return the default timeout of calls in the group, in seconds."""
    return float(_API.get_rpc_timeout())


def alive(worker: str, timeout: float) -> torch.futures.Future[Any]:
    """Return a future that fails unless a worker gives a sign of life in time."""
    return rpc.rpc_async(worker, _sign_of_life, timeout=timeout)


def _sign_of_life() -> None:
    pass


# The side of the worker


_DEPTH: ContextVar[int] = ContextVar("depth", default=-1)


class _Inbox:
    """Puts the messages of one lane in order."""

    def __init__(self, lane: int) -> None:
        self._executor = _executor(lane)
        self._desk = Desk()
        self._lock = threading.Lock()
        self._waiting: dict[int, tuple[Pieces, torch.futures.Future[Any]]] = {}
        self._next = 0

    def accept(self, number: int, pieces: Pieces) -> torch.futures.Future[Any]:
        reply: torch.futures.Future[Any] = torch.futures.Future()
        with self._lock:
            self._waiting[number] = pieces, reply
            while self._next in self._waiting:
                self._executor.put(partial(self._do, *self._waiting.pop(self._next)))
                self._next += 1
        return reply

    def _do(self, pieces: Pieces, reply: torch.futures.Future[Any]) -> None:
        reply.set_result(joined(self._desk.do(message_of(pieces))))


_INBOXES: dict[tuple[str, int], _Inbox] = {}
_EXECUTORS: dict[int, queue.SimpleQueue[Callable[[], None]]] = {}
_LOCK = threading.RLock()


@async_execution  # type: ignore[untyped-decorator]
def _accept(
    key: str, lane: int, number: int, sizes: list[int], whole: torch.Tensor
) -> torch.futures.Future[Any]:
    with _LOCK:
        if (key, lane) not in _INBOXES:
            _INBOXES[key, lane] = _Inbox(lane)
        inbox = _INBOXES[key, lane]
    return inbox.accept(number, pieces_of(sizes, whole))


def _leave(key: str, lane: int) -> None:
    with _LOCK:
        _INBOXES.pop((key, lane), None)


def serve() -> None:
    """Start the two threads that run calls: none can be started while the interpreter exits.

    The second thread runs calls that come from within a call of another process.
    """
    _executor(0)
    _executor(1)


def _executor(depth: int) -> queue.SimpleQueue[Callable[[], None]]:
    with _LOCK:
        if depth not in _EXECUTORS:
            _EXECUTORS[depth] = queue.SimpleQueue()
            threading.Thread(
                target=_execute, args=(depth,), name=f"torchopt-worker-{depth}", daemon=True
            ).start()
        return _EXECUTORS[depth]


def _execute(depth: int) -> None:
    _DEPTH.set(depth)
    while True:
        _EXECUTORS[depth].get()()
