"""Where a program's parts run: in this process, in others that it starts, or on a cluster."""

from __future__ import annotations

import multiprocessing
import os
import signal
import socket
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any, Literal, TypeAlias

import torch
from torch import distributed
from torch.distributed import TCPStore, rpc  # type: ignore[attr-defined]

from torchopt.distributed import (
    Executor,
    LocalExecutor,
    ProcessExecutor,
    RayExecutor,
)
from torchopt.distributed.world import RpcExecutor

__all__ = ["ExecutorName", "executor_of", "joined", "ranks"]

ExecutorName: TypeAlias = Literal["local", "process", "rpc", "ray"]

_RPC: Any = rpc

# A rank's signs of life outlast its group, and PyTorch complains at length where nobody takes them.
_STORES: list[TCPStore] = []


def executor_of(
    name: ExecutorName, workers: int, threads: int = 1
) -> AbstractContextManager[Executor]:
    """Return workers that this process controls, started and ended by a ``with`` block.

    Args:
        name: What runs them.
        workers: How many.
        threads: The number of threads that PyTorch uses in each.

    Raises:
        RuntimeError: If this process was in an RPC group before.
    """
    if name == "rpc":
        return _rpc_executor(workers, threads)
    if name == "ray":
        return RayExecutor(workers, num_threads=threads)
    if name == "process":
        return ProcessExecutor(workers, num_threads=threads)
    return LocalExecutor(workers)


@contextmanager
def ranks(size: int, function: Callable[..., None], *args: Any) -> Iterator[None]:
    """Start processes that run ``function(*args)`` as the other ranks of a world, and end them.

    This process is rank 0. All of them find in the environment what ``torchrun`` sets, so that
    ``init_process_group()`` and ``init_rpc`` bring them together, on the loopback interface.

    Args:
        size: How many ranks there are, with this one.
        function: Stands at the top level of a module.
        *args: What it is called with.
    """
    store = TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
    _STORES.append(store)
    world = {
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(store.port),
        "TORCHELASTIC_USE_AGENT_STORE": "True",  # all ranks are guests of the store above
        "WORLD_SIZE": str(size),
    }
    for _, interface in socket.if_nameindex():
        if interface in ("lo", "lo0"):
            world |= {"GLOO_SOCKET_IFNAME": interface, "TP_SOCKET_IFNAME": interface}
    context = multiprocessing.get_context("spawn")
    with ExitStack() as stack:
        for rank in range(1, size):
            process = context.Process(target=_follow, args=(function, *args), daemon=True)
            with _environment({**world, "RANK": str(rank)}):
                process.start()
            stack.callback(process.join)
            stack.callback(process.kill)
        with _environment({**world, "RANK": "0"}):
            yield


@contextmanager
def joined() -> Iterator[None]:
    """Be in the process group of the world that the environment tells of."""
    distributed.init_process_group("gloo")
    try:
        yield
    finally:
        distributed.destroy_process_group()


@contextmanager
def _rpc_executor(workers: int, threads: int) -> Iterator[Executor]:
    names = [f"worker{rank}" for rank in range(1, workers + 1)]
    if _RPC._init_counter:
        raise RuntimeError(
            "this process was in an RPC group before, and PyTorch cannot make another one with new "
            "processes: start the program anew."
        )
    with ranks(workers + 1, _serve, threads):
        _join_rpc("controller")
        whole = False
        try:
            with RpcExecutor(names) as executor:
                yield executor
                whole = len(executor.workers) == workers
        finally:
            rpc.shutdown(graceful=whole)  # with grace, RPC waits for all


def _serve(threads: int) -> None:
    torch.set_num_threads(threads)
    _join_rpc(f"worker{os.environ['RANK']}")
    rpc.shutdown()  # works until the controller is at its end, too


def _join_rpc(name: str) -> None:
    # Its transport by shared memory polls: it takes a fifth of a core in each process that waits.
    options = rpc.TensorPipeRpcBackendOptions(_transports=["uv"])
    with warnings.catch_warnings():  # of what RPC itself calls
        warnings.filterwarnings("ignore", "You are using a Backend", UserWarning)
        rpc.init_rpc(
            name,
            rank=int(os.environ["RANK"]),
            world_size=int(os.environ["WORLD_SIZE"]),
            rpc_backend_options=options,
        )


def _follow(function: Callable[..., None], *args: Any) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who has started this process also ends it
    function(*args)


@contextmanager
def _environment(values: dict[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
