"""Workers that are actors of Monarch; experimental, as Monarch is."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from torchopt.distributed._message import (
    Desk,
    Link,
    MessageExecutor,
    Pieces,
    become,
    message_of,
    program,
    reason,
)
from torchopt.io.optional import optional

__all__ = ["MonarchExecutor"]


class MonarchExecutor(MessageExecutor):
    """Runs functions in actors of Monarch, one at a time in each; experimental.

    An actor that fails is replaced, and what it was doing fails with ``WorkerLostError``, which
    ``remote_map`` answers by doing it again. Monarch runs whatever code reaches its ports: hosts
    other than this one are for networks that are trusted.

    Args:
        num_workers: The number of actors, each a process.
        host: The hosts on which they are, a ``monarch.actor.HostMesh``; by default this one.
        num_threads: The number of threads that PyTorch uses in each of them.
        patience: After how many seconds without a sign of life a worker is given up.

    Raises:
        ModuleNotFoundError: If Monarch is not installed.
        ValueError: If a number is not positive.
    """

    def __init__(
        self, num_workers: int, *, host: Any = None, num_threads: int = 1, patience: float = 30.0
    ) -> None:
        super().__init__(patience, num_workers=num_workers, num_threads=num_threads)
        self._monarch = optional("monarch.actor", "monarch", "`MonarchExecutor`")
        self._host = self._monarch.this_host() if host is None else host
        self._arguments = program(), num_threads
        for k in range(num_workers):
            self._links[f"monarch-{k}"] = self._start(f"monarch-{k}")

    def _start(self, name: str) -> Link:
        processes = self._host.spawn_procs()
        kind = _actor(self._monarch)
        return Link(name, (processes, processes.spawn("torchopt", kind, *self._arguments)))

    def _send(self, link: Link, lane: int, pieces: Pieces, future: Future[Any]) -> None:
        reply = link.target[1].do.call_one([bytes(piece) for piece in pieces])
        self._then(link, reply, lambda answer: self._answered(link, future, message_of(answer)))

    def _ask(self, link: Link) -> None:
        self._then(link, link.target[1].alive.call_one(), lambda _: link.sign_of_life())

    def _then(self, link: Link, reply: Any, act: Callable[[Any], None]) -> None:
        def wait() -> None:
            try:
                answer = reply.get()
            except Exception as error:
                self._lost(link, reason("Monarch", error))
            else:
                act(answer)

        threading.Thread(target=wait, name="torchopt-monarch", daemon=True).start()

    def _replacement(self, link: Link) -> Link | None:
        link.target[0].stop().get()
        return None if self.closed else self._start(link.worker)


def _actor(monarch: Any) -> type[Any]:
    class Worker(monarch.Actor):
        def __init__(self, known: dict[str, Any], threads: int) -> None:
            become(known, threads)
            self._desk = Desk()

        @monarch.endpoint  # type: ignore[untyped-decorator]
        def do(self, pieces: list[bytes]) -> list[bytes]:
            return [bytes(piece) for piece in self._desk.do(message_of(pieces))]

        @monarch.endpoint  # type: ignore[untyped-decorator]
        def alive(self) -> None:
            pass

    return Worker
