"""The RPC group; and the ranks of TorchOpt 0.7.3, with its decorators for some ranks only."""

from __future__ import annotations

import atexit
import functools
import operator
import os
import socket
import threading
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, ParamSpec, SupportsIndex, TypeVar, cast

import torch
from torch import distributed
from torch.distributed import rpc
from torch.distributed.elastic.multiprocessing.errors import record
from torch.distributed.rpc.functions import async_execution

from torchopt import checks
from torchopt.distributed._rpc import RpcExecutor, alive, initialized, is_initialized, serve
from torchopt.io.names import import_rooms
from torchopt.io.names import publish as _publish

__all__ = [
    "RpcExecutor",
    "WorldInfo",
    "auto_init_rpc",
    "barrier",
    "get_local_rank",
    "get_local_world_size",
    "get_rank",
    "get_worker_id",
    "get_world_info",
    "get_world_rank",
    "get_world_size",
    "not_on_rank",
    "on_rank",
    "rank_non_zero_only",
    "rank_zero_only",
]

_P = ParamSpec("_P")
_T = TypeVar("_T")

_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_PATIENCE = 30.0  # seconds that a process may give no sign of life
_BEAT = 2.0  # seconds after which it is asked for one


def _default_worker_name(
    world_rank: int, world_size: int, local_rank: int, local_world_size: int
) -> str:
    return f"worker{world_rank:0{len(str(world_size))}d}"


_worker_name_format: Callable[..., str] = _default_worker_name


class WorldInfo(NamedTuple):
    """The place of a process among all of them, and among those of its machine.

    Attributes:
        world_rank: Its number.
        world_size: How many there are.
        local_rank: Its number on its machine.
        local_world_size: How many there are on its machine.
    """

    world_rank: int
    world_size: int
    local_rank: int
    local_world_size: int

    @property
    def rank(self) -> int:
        """Its number among all."""
        return self.world_rank

    @property
    def worker_name(self) -> str:
        """Its name in the RPC group that :func:`auto_init_rpc` makes."""
        return _worker_name_format(
            world_rank=self.world_rank,
            world_size=self.world_size,
            local_rank=self.local_rank,
            local_world_size=self.local_world_size,
        )


def get_world_info() -> WorldInfo:
    """Return the place of this process.

    It is read anew each time from the environment that ``torchrun`` sets; where that is silent, from
    the RPC group or the default process group; a program started by itself is a world of one.

    Raises:
        ValueError: If an environment variable is no number.
    """
    rank, size = 0, 1
    if is_initialized():
        rank, size = rpc.get_worker_info().id, len(initialized().get_worker_infos())
    elif distributed.is_available() and distributed.is_initialized():
        rank, size = distributed.get_rank(), distributed.get_world_size()
    return WorldInfo(
        _number("RANK", rank),
        _number("WORLD_SIZE", size),
        _number("LOCAL_RANK", 0),
        _number("LOCAL_WORLD_SIZE", 1),
    )


def _number(name: str, default: int) -> int:
    text = os.environ.get(name)
    if text is None:
        return default
    try:
        return int(text)
    except ValueError:
        raise ValueError(
            f"the environment variable {name} is {text!r}, but it must be a number: start the "
            f"program with `torchrun`, which sets it."
        ) from None


def get_world_rank() -> int:
    """Return the number of this process among all."""
    return get_world_info().world_rank


get_rank = get_world_rank


def get_world_size() -> int:
    """Return how many processes there are."""
    return get_world_info().world_size


def get_local_rank() -> int:
    """Return the number of this process on its machine."""
    return get_world_info().local_rank


def get_local_world_size() -> int:
    """Return how many processes there are on this machine."""
    return get_world_info().local_world_size


def get_worker_id(id: str | SupportsIndex | None = None) -> int:
    """Return the number of a worker in the RPC group.

    Args:
        id: Its name, or its number, which is returned as it is; None for this process.

    Raises:
        RuntimeError: If there is no RPC group.
        ValueError: If no worker has that name.
    """
    if isinstance(id, SupportsIndex):
        return operator.index(id)
    agent = initialized()
    if id is None:
        return agent.get_worker_info().id
    ids = {info.name: info.id for info in agent.get_worker_infos()}
    checks.check_known("worker", id, ids)
    return ids[id]


class _Meeting(NamedTuple):
    arrived: set[str]
    over: torch.futures.Future[None]


_MEETINGS: dict[tuple[tuple[str, ...], int], _Meeting] = {}
_ATTENDED: dict[tuple[str, ...], int] = {}
_LOCK = threading.Lock()


@async_execution  # type: ignore[untyped-decorator]
def _arrive(name: str, names: tuple[str, ...], number: int) -> torch.futures.Future[None]:
    key = names, number
    with _LOCK:
        meeting = _MEETINGS.setdefault(key, _Meeting(set(), torch.futures.Future()))
        meeting.arrived.add(name)
        complete = meeting.arrived == set(names)
        if complete:
            del _MEETINGS[key]
    if complete:
        meeting.over.set_result(None)
    return meeting.over


def barrier(worker_names: Iterable[str] | None = None) -> None:
    """Wait until all workers of the RPC group have come here.

    Args:
        worker_names: The names of the workers that come; by default all of the group.

    Raises:
        RuntimeError: If there is no RPC group, or one of the workers has died or gives no sign of life.
        ValueError: If this process is not among them, or a name is not in the group.
    """
    agent = initialized()
    here = agent.get_worker_info().name
    everybody = {info.name for info in agent.get_worker_infos()}
    names = tuple(sorted(everybody if worker_names is None else set(worker_names) or everybody))
    for name in names:
        checks.check_known("worker", name, everybody)
    if here not in names:
        raise ValueError(f"this is {here!r}, which is not among the workers that meet: {names}.")
    with _LOCK:
        number = _ATTENDED.get(names, 0)
        _ATTENDED[names] = number + 1
    over = threading.Event()
    meeting = rpc.rpc_async(names[0], _arrive, (here, names, number), timeout=0)
    meeting.add_done_callback(lambda _: over.set())
    while not over.wait(_BEAT):
        for name, sign in [(name, alive(name, _PATIENCE)) for name in names]:
            _require(name, sign)
    _require(names[0], meeting)


def _require(worker: str, reply: torch.futures.Future[None]) -> None:
    try:
        reply.wait()
    except RuntimeError as error:
        reason = str(error).strip().splitlines()[0]
        raise RuntimeError(f"worker {worker!r} does not come to the barrier: {reason}") from error


def auto_init_rpc(
    worker_init_fn: Callable[[], None] | None = None,
    worker_name_format: Callable[..., str] = _default_worker_name,
    *,
    backend: rpc.BackendType | None = None,
    rpc_backend_options: rpc.TensorPipeRpcBackendOptions | None = None,
) -> Callable[[Callable[_P, _T]], Callable[_P, _T]]:
    """Return a decorator of a program's main function, which makes the RPC group first.

    The program is started with ``torchrun --nproc-per-node N program.py``; all processes run it, come
    together, and stay until all of them are at their end or dead. Started by itself, it is a group of
    one.

    RPC runs whatever code it is sent, and does not ask by whom. While the address of rank 0
    (``MASTER_ADDR``) is that of the loopback interface, RPC listens on nothing else; elsewhere on the
    interface of ``TP_SOCKET_IFNAME``, or that of the machine's name: use networks that are trusted.

    Args:
        worker_init_fn: What each process does first.
        worker_name_format: How a process is called, a function of ``world_rank``, ``world_size``,
            ``local_rank`` and ``local_world_size``.
        backend: See ``torch.distributed.rpc.init_rpc``.
        rpc_backend_options: See ``torch.distributed.rpc.init_rpc``.

    Returns:
        The decorator. The function it returns raises RuntimeError if there are several processes, but
        no address at which they meet.

    References:
        Ren et al., TorchOpt, 2023, section 4.3.
    """
    global _worker_name_format
    _worker_name_format = worker_name_format

    def decorate(function: Callable[_P, _T]) -> Callable[_P, _T]:
        @functools.wraps(function)
        def main(*args: _P.args, **kwargs: _P.kwargs) -> _T:
            if not is_initialized():
                _join(backend, rpc_backend_options)
            try:
                if worker_init_fn is not None:
                    barrier()
                    worker_init_fn()
                barrier()
                return function(*args, **kwargs)
            except BaseException:
                atexit.unregister(_leave)  # the others are not to wait for this process
                rpc.shutdown(graceful=False)
                raise

        # Tells `torchrun` which process failed first, and how.
        return cast("Callable[_P, _T]", record(main))

    return decorate


def _join(backend: Any, options: Any) -> None:
    world = get_world_info()
    address = os.environ.get("MASTER_ADDR")
    if options is None and address is None:
        if world.world_size > 1:
            raise RuntimeError(
                f"WORLD_SIZE is {world.world_size}, but MASTER_ADDR is not set: start the program "
                f"with `torchrun`, which sets both."
            )
        address = "127.0.0.1"
        options = rpc.TensorPipeRpcBackendOptions(init_method=f"tcp://{address}:0")
    if address in _LOOPBACK:
        _listen_on_loopback()
    import_rooms()  # before threads serve calls that name them
    rpc.init_rpc(
        name=world.worker_name,
        rank=world.rank,
        world_size=world.world_size,
        backend=backend,
        rpc_backend_options=options,
    )
    serve()
    atexit.register(_leave)


def _listen_on_loopback() -> None:
    for _, name in socket.if_nameindex():
        if name in ("lo", "lo0"):
            os.environ.setdefault("TP_SOCKET_IFNAME", name)


_AT_END: set[str] = set()
_NEWS = threading.Condition()


def _tell_end(name: str) -> None:
    with _NEWS:
        _AT_END.add(name)
        _NEWS.notify_all()


def _leave() -> None:
    """Leave the group when all others have ended or are lost; until then, serve their calls."""
    if not is_initialized():  # the program has left by itself
        return
    agent = initialized()
    here = agent.get_worker_info().name
    others = {info.name for info in agent.get_worker_infos()} - {here}
    told = {n: rpc.rpc_async(n, _tell_end, (here,), timeout=_PATIENCE) for n in others}
    gone = _silent(told)
    while missing := others - _AT_END - gone:
        with _NEWS:
            if not missing & _AT_END:
                _NEWS.wait(_BEAT)
        gone |= _silent({name: alive(name, _PATIENCE) for name in missing - _AT_END})
    gone |= _silent({name: alive(name, _PATIENCE) for name in others - gone})
    rpc.shutdown(graceful=not gone, timeout=_PATIENCE)  # with grace, RPC waits for all


def _silent(asked: dict[str, torch.futures.Future[Any]]) -> set[str]:
    gone = set()
    for name, reply in asked.items():
        try:
            reply.wait()
        except RuntimeError:
            gone.add(name)
    return gone


def on_rank(*ranks: int) -> Callable[[Callable[_P, _T]], Callable[_P, _T | None]]:
    """Return a decorator: the function runs on these ranks only, and returns None elsewhere.

    Example:
        >>> @on_rank(0, 1)
        ... def greet():
        ...     return "hello"
        >>> greet()
        'hello'
    """
    return _where(lambda rank: rank in ranks)


def not_on_rank(*ranks: int) -> Callable[[Callable[_P, _T]], Callable[_P, _T | None]]:
    """Return a decorator: the function runs on all ranks but these, and returns None there."""
    return _where(lambda rank: rank not in ranks)


def rank_zero_only(func: Callable[_P, _T]) -> Callable[_P, _T | None]:
    """Let a function run on rank 0 only, and return None elsewhere."""
    return on_rank(0)(func)


def rank_non_zero_only(func: Callable[_P, _T]) -> Callable[_P, _T | None]:
    """Let a function run on all ranks but 0, and return None there."""
    return not_on_rank(0)(func)


def _where(
    here: Callable[[int], bool],
) -> Callable[[Callable[_P, _T]], Callable[_P, _T | None]]:
    def decorate(function: Callable[_P, _T]) -> Callable[_P, _T | None]:
        @functools.wraps(function)
        def perhaps(*args: _P.args, **kwargs: _P.kwargs) -> _T | None:
            return function(*args, **kwargs) if here(get_world_rank()) else None

        return perhaps

    return decorate


_publish(__name__)
