"""The ranks of a collective, and which of them are lost when it fails."""

from __future__ import annotations

import atexit
import os
import re
import socket
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import DeviceMesh

from torchopt import checks
from torchopt.autodiff import transforms
from torchopt.errors import WorkerLostError

__all__ = ["Group", "Ranks", "ranks_of"]

Group: TypeAlias = "dist.ProcessGroup | DeviceMesh | Ranks | None"
"""A process group, one dimension of a device mesh (``mesh["dp"]``), or None for all ranks."""

_GROUP = checks.or_none(
    checks.of_type(dist.ProcessGroup, "a process group, one dimension of a DeviceMesh")
)
_BEAT = 0.5  # seconds between signs of life
_PATIENCE = 4.0  # seconds without one after which a rank is taken for lost
_BAD_DTYPE = re.compile("scalar type|(data|NCCL) type", re.IGNORECASE)
_STORE = "torchopt/spmd"
_HOST = "rank 0, or who else hosts the store of the process group"


@dataclass(frozen=True)
class Ranks:
    """The members of a group.

    Attributes:
        group: The process group; None for one process without a group.
        size: How many there are.
        rank: The number of this process in the group.
    """

    group: Any
    size: int
    rank: int

    def sum(self, flat: torch.Tensor) -> None:
        """Replace a tensor by its sum over the ranks, in place."""
        self._exchange(dist.all_reduce, flat)

    def send(self, flat: torch.Tensor, source: int) -> None:
        """Replace a tensor by the source rank's, in place."""
        self._exchange(dist.broadcast, flat, group_src=source)

    def gather(self, own: torch.Tensor) -> list[torch.Tensor]:
        """Return the tensors of all ranks, which have one shape."""
        if self.size == 1:
            return [own]
        gathered = [torch.empty_like(own) for _ in range(self.size)]
        self._exchange(dist.all_gather, gathered, own)
        return gathered

    def scatter_sum(self, rows: torch.Tensor) -> torch.Tensor:
        """Return this rank's row of the sum over the ranks."""
        if self.size == 1:
            return rows[0]
        total = torch.empty_like(rows[0])
        self._exchange(_reduce_scatter, total.view(-1), rows.view(-1))
        return total

    def trade(self, sent: torch.Tensor, back: Sequence[int], there: Sequence[int]) -> torch.Tensor:
        """Send ``there[r]`` numbers to each rank r, and return the ``back[r]`` that it sends."""
        if self.size == 1:
            return sent
        received = sent.new_empty(sum(back))
        self._exchange(dist.all_to_all_single, received, sent, list(back), list(there))
        return received

    def objects(self, mine: Any) -> list[Any]:
        """Return the objects of all ranks."""
        everyone: list[Any] = [mine]
        if self.size > 1:
            with transforms.outside():
                everyone = [None] * self.size
                self._exchange(_all_gather_object, everyone, mine)
        return everyone

    def _exchange(self, launch: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
        """Make a collective of ``torch.distributed`` and wait for it.

        Raises:
            TypeError: If the backend has no such collective of this dtype.
            WorkerLostError: If ranks are lost; it names them.
            RuntimeError: If it fails while all ranks are alive.
        """
        if self.size == 1:
            return
        watch = _watch()
        try:
            work = launch(*args, **kwargs, group=self.group, async_op=True)
            if work is not None:
                work.wait()
        except RuntimeError as error:
            name = launch.__name__.strip("_")
            if _BAD_DTYPE.search(str(error)):  # before anything was sent
                dtypes = {str(x.dtype) for x in args if isinstance(x, torch.Tensor)}
                raise TypeError(
                    f"the backend of the process group has no {name} of {', '.join(dtypes)}: convert "
                    f"to another dtype, such as int64 or float32, and back ({_first_line(error)})."
                ) from error
            if watch is None:
                raise WorkerLostError("of this group", f"{name} failed: {error}") from error
            lost = watch.lost(dist.get_process_group_ranks(self.group))
            if lost:
                raise WorkerLostError(
                    ", ".join(lost),
                    f"{name} failed ({_first_line(error)}); restart the job from its last checkpoint, "
                    f"as `torchopt.minimize(..., checkpoint=folder)` does",
                ) from error
            raise RuntimeError(
                f"{name} failed on rank {dist.get_rank()}, but all ranks are alive "
                f"({_first_line(error)}): either one was slower than the process group's time-out, "
                f"or they do not make the same collectives in the same order; "
                f"`torchopt.distributed.spmd.checked()` says which."
            ) from error


def ranks_of(group: Group) -> Ranks:
    """Return the members of a group.

    A program that was started as one process needs no process group: it is a group of one.

    Raises:
        RuntimeError: If there are several processes, but no process group, or this is not a member.
        TypeError: If it is neither a group nor a mesh.
        ValueError: If a mesh has several dimensions.
    """
    if isinstance(group, Ranks):
        return group
    if isinstance(group, DeviceMesh):
        if group.ndim != 1:
            names: Sequence[Any] = group.mesh_dim_names or range(group.ndim)
            raise ValueError(
                f"the mesh has {group.ndim} dimensions, {tuple(names)}: say among which ranks, by one "
                f"of them, such as `mesh[{names[0]!r}]`."
            )
        group = group.get_group()
    if group is None and not (dist.is_available() and dist.is_initialized()):
        if int(os.environ.get("WORLD_SIZE", "1")) > 1:
            raise RuntimeError(
                f"WORLD_SIZE is {os.environ['WORLD_SIZE']}, but there is no process group: call "
                f"`torch.distributed.init_process_group()` first."
            )
        return Ranks(None, 1, 0)
    argument: Any = group
    if argument is dist.GroupMember.NON_GROUP_MEMBER:
        raise RuntimeError(
            f"rank {dist.get_rank()} is not a member of the group: only members may call this."
        )
    checks.check("group", argument, _GROUP)
    group = dist.group.WORLD if group is None else group
    return Ranks(group, dist.get_world_size(group), dist.get_rank(group))


# Its newer name: where there is one, the older warns.
_reduce_scatter = getattr(dist, "reduce_scatter_single", None) or dist.reduce_scatter_tensor


def _all_gather_object(everyone: list[Any], mine: Any, *, group: Any, async_op: bool) -> None:
    del async_op  # it is none
    dist.all_gather_object(everyone, mine, group=group)


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0].rstrip(".")


class _Watch:
    """Signs of life of every rank, in the store that the process group was made with.

    A thread of each process increments a counter; a rank whose counter stands still is lost.
    """

    def __init__(self, store: Any) -> None:
        self._store, self._beats = store.clone(), store.clone()
        self._rank = dist.get_rank()
        self._ended = threading.Event()
        name = f"rank {self._rank} (host {socket.gethostname()}, process {os.getpid()})"
        self._beats.set(f"{_STORE}/name/{self._rank}", name)
        self._thread = threading.Thread(target=self._beat, name="torchopt-beat", daemon=True)
        self._thread.start()
        # A thread that is in the store while Python ends would crash the process.
        atexit.register(self.end)

    def _beat(self) -> None:
        try:
            while not self._ended.wait(_BEAT):
                self._beats.add(f"{_STORE}/beat/{self._rank}", 1)
        except RuntimeError:  # the store's host is gone: the next collective says so
            return

    def end(self) -> None:
        self._ended.set()
        self._thread.join(_PATIENCE)  # no longer: the store's host may be gone
        atexit.unregister(self.end)

    def lost(self, members: Sequence[int]) -> list[str]:
        """Return the names of lost ranks; the first rank to detect them tells the others."""
        names: list[str] = []
        answered = threading.Event()

        def ask() -> None:
            try:
                names.extend(self._silent(members))
            except RuntimeError:  # the store is gone
                names.append(_HOST)
            answered.set()

        threading.Thread(target=ask, daemon=True).start()
        if not answered.wait(2 * _PATIENCE):
            return [_HOST]
        return names

    def _silent(self, members: Sequence[int]) -> list[str]:
        silent = [rank for rank in members if rank != self._rank]
        start, before = time.monotonic(), {rank: self._count(rank) for rank in silent}
        while silent and time.monotonic() - start < _PATIENCE:
            told = [rank for rank in silent if self._store.check([f"{_STORE}/lost/{rank}"])]
            if told:
                silent = told
                break
            self._ended.wait(_BEAT / 2)
            silent = [rank for rank in silent if self._count(rank) == before[rank]]
        for rank in silent:
            if self._count(rank):
                self._store.set(f"{_STORE}/lost/{rank}", "")
        return [self._name(rank) for rank in silent]

    def _count(self, rank: int) -> int:
        return int(self._store.add(f"{_STORE}/beat/{rank}", 0))

    def _name(self, rank: int) -> str:
        key = f"{_STORE}/name/{rank}"
        if not self._store.check([key]):
            return f"rank {rank} (which has made no collective yet)"
        return str(self._store.get(key).decode())


_watches: weakref.WeakKeyDictionary[Any, _Watch] = weakref.WeakKeyDictionary()


def _watch() -> _Watch:
    """Return the watch of the default process group; the first collective starts it."""
    world = dist.group.WORLD
    watch = _watches.get(world)
    if watch is None:
        for old in _watches.values():
            old.end()
        watch = _watches[world] = _Watch(dist.distributed_c10d._get_default_store())
    return watch
