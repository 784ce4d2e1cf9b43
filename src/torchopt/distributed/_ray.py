"""Workers that are actors of Ray, on this machine or on a cluster; one that dies is started again."""

from __future__ import annotations

import os
import pickle
import sys
import threading
from collections.abc import Mapping
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


class RayExecutor(MessageExecutor):
    """Runs functions in actors of Ray, one at a time in each: the executor beyond one machine.

    It joins the cluster that the program has joined by ``ray.init``, or that of ``RAY_ADDRESS``;
    if there is none, it starts one, and ends it when it is closed. That listens on the loopback
    interface, unless Ray was imported before, which then is told by the environment variable
    ``RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER=0``. Ray runs whatever code reaches its ports: a cluster is
    for networks that are trusted.

    An actor that dies or gives no sign of life is replaced, wherever the cluster has room, and what it
    was doing fails with ``WorkerLostError``, which :func:`remote_map` answers by doing it again.
    Machines other than this one need the modules of the program, installed or by Ray's ``runtime_env``.

    Args:
        num_workers: The number of actors; by default that of the cluster's cores.
        num_threads: The number of threads that PyTorch uses in each of them.
        options: Further options of each actor, as ``num_gpus``: see ``ray.actor.ActorClass.options``.
        patience: After how many seconds without a sign of life a worker is given up.

    Raises:
        ModuleNotFoundError: If Ray is not installed.
        ValueError: If a number is not positive.
    """

    def __init__(
        self,
        num_workers: int | None = None,
        *,
        num_threads: int = 1,
        options: Mapping[str, Any] | None = None,
        patience: float = 30.0,
    ) -> None:
        super().__init__(
            patience, num_workers=1 if num_workers is None else num_workers, num_threads=num_threads
        )
        joins = "RAY_ADDRESS" in os.environ
        if not joins and "ray" not in sys.modules:
            # What Ray asks to be told, when it is imported, to stay on the loopback interface.
            os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
        self._ray = optional("ray", "ray", "`RayExecutor`")
        self._ours = not self._ray.is_initialized()
        if self._ours:
            here = {} if joins else {"_node_ip_address": "127.0.0.1"}
            self._ray.init(include_dashboard=False, log_to_driver=False, **here)
        count = int(self._ray.cluster_resources()["CPU"]) if num_workers is None else num_workers
        self._actor = self._ray.remote(concurrency_groups={"life": 1})(_actor(self._ray)).options(
            **{"scheduling_strategy": "SPREAD", **(options or {})}
        )
        self._arguments = program(), num_threads
        for k in range(count):
            self._links[f"ray-{k}"] = self._start(f"ray-{k}")

    def close(self) -> None:
        """See :class:`Executor`."""
        super().close()
        if self._ours and self._ray.is_initialized():
            self._ray.shutdown()
        self._ours = False

    def _start(self, name: str) -> Link:
        return Link(name, self._actor.remote(*self._arguments))

    def _send(self, link: Link, lane: int, pieces: Pieces, future: Future[Any]) -> None:
        def over(reply: Future[Any]) -> None:
            error = reply.exception()
            if error is None:
                self._answered(link, future, message_of(reply.result()))
            elif isinstance(error, self._ray.exceptions.RayActorError):
                self._mourn(link, error)
            else:
                self._failed(link, future, error)

        # Buffers travel beside the message, through shared memory where there is any.
        message = [pickle.PickleBuffer(piece) for piece in pieces]
        link.target.do.remote(message).future().add_done_callback(over)

    def _ask(self, link: Link) -> None:
        def over(reply: Future[Any]) -> None:
            error = reply.exception()
            if error is None:
                link.sign_of_life()
            else:
                self._mourn(link, error)

        link.target.alive.remote().future().add_done_callback(over)

    def _mourn(self, link: Link, error: BaseException) -> None:
        # Ray's own thread, where this is called, cannot wait for Ray.
        threading.Thread(target=self._lost, args=(link, reason("Ray", error)), daemon=True).start()

    def _replacement(self, link: Link) -> Link | None:
        self._ray.kill(link.target)
        return None if self.closed else self._start(link.worker)


def _actor(ray: Any) -> type[Any]:
    class Worker(_Worker):
        alive = ray.method(concurrency_group="life")(_Worker.alive)

    return Worker


class _Worker:
    def __init__(self, known: dict[str, Any], threads: int) -> None:
        become(known, threads)
        self._desk = Desk()

    def do(self, message: Pieces) -> list[pickle.PickleBuffer]:
        return [pickle.PickleBuffer(piece) for piece in self._desk.do(message_of(message))]

    def alive(self) -> None:
        pass
