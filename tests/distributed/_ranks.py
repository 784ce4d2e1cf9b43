"""Four processes in one process group, started once, in which tests run functions."""

from __future__ import annotations

import atexit
import faulthandler
import functools
import gc
import os
import sys
import traceback
from collections.abc import Callable
from datetime import timedelta
from multiprocessing.connection import Connection
from typing import Any

import torch
import torch.distributed as dist

from _warm import CONTEXT

WORLD = 4


class Ranks:
    """Processes with a gloo group; group ``n`` is that of the first ``n`` of them."""

    def __init__(self, size: int = WORLD, *, timeout: float = 60.0) -> None:
        self.store = dist.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
        self.size = size
        self.connections: list[Connection] = []
        self.processes = []
        for rank in range(size):
            ours, theirs = CONTEXT.Pipe()
            process = CONTEXT.Process(
                target=_serve, args=(theirs, self.store.port, rank, size, timeout), daemon=True
            )
            process.start()
            theirs.close()
            self.connections.append(ours)
            self.processes.append(process)

    def start(self, function: Callable[..., Any], *args: Any, size: int | None = None) -> None:
        """Begin ``function(group, *args)`` on the first ``size`` ranks."""
        size = self.size if size is None else size
        for connection in self.connections[:size]:
            connection.send((function, args, size))

    def answer(self, rank: int) -> tuple[bool, Any]:
        """Return whether a rank has returned, and what it has returned or raised."""
        assert self.connections[rank].poll(120), f"rank {rank} does not answer"
        good, value = self.connections[rank].recv()
        return good, value

    def run(self, function: Callable[..., Any], *args: Any, size: int | None = None) -> list[Any]:
        """Return what ``function(group, *args)`` returns on each of the first ``size`` ranks."""
        self.start(function, *args, size=size)
        answers = [self.answer(rank) for rank in range(self.size if size is None else size)]
        for rank, (good, value) in enumerate(answers):
            assert good, f"on rank {rank}:\n{value}"
        return [value for _, value in answers]

    def close(self) -> None:
        for process, connection in zip(self.processes, self.connections, strict=True):
            process.kill()
            process.join()
            connection.close()


@functools.cache
def shared_ranks() -> Ranks:
    """Return the processes that all tests share which leave them whole."""
    pool = Ranks()
    atexit.register(pool.close)
    return pool


def _serve(connection: Connection, port: int, rank: int, size: int, timeout: float) -> None:
    faulthandler.enable()  # a process that dies says where
    torch.set_num_threads(1)
    gc.freeze()  # what has been imported stays
    os.environ["GLOO_SOCKET_IFNAME"] = "lo"
    limit = timedelta(seconds=timeout)
    store = dist.TCPStore("127.0.0.1", port, is_master=False)
    dist.init_process_group("gloo", store=store, rank=rank, world_size=size, timeout=limit)
    groups = {n: dist.new_group(range(n), timeout=limit) for n in range(1, size)}
    groups[size] = dist.group.WORLD
    while True:
        try:
            function, args, members = connection.recv()
        except EOFError:
            return
        if "torch.distributed.tensor" in sys.modules:
            from torch.distributed.tensor import debug

            # PyTorch (2.13) finds plans of other arguments there.
            debug._clear_python_sharding_prop_cache()
            debug._clear_fast_path_sharding_prop_cache()
        try:
            connection.send((True, function(groups[members], *args)))
        except Exception:
            connection.send((False, traceback.format_exc()))
