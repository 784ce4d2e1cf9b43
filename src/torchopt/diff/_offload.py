"""Stores that keep saved tensors and checkpoints outside of the memory of the device."""

from __future__ import annotations

import ctypes
import functools
import glob
import os
import shutil
import tempfile
import weakref
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from torch.multiprocessing.reductions import StorageWeakRef

from torchopt.autodiff import transforms

# What is smaller costs more to put away than to keep.
_SMALL = 16 * 1024
_PREFIX = "torchopt-offload-"


class Store(Protocol):
    """Stores tensors, and gives them back."""

    def pack(self, tensor: torch.Tensor) -> Any:
        """Store a tensor; return a handle for :meth:`unpack`."""
        ...

    def unpack(self, handle: Any) -> torch.Tensor:
        """Return the tensor, without a graph."""
        ...


class _Kept:
    """A tensor that stays where it is, and must not change."""

    def __init__(self, tensor: torch.Tensor) -> None:
        self._tensor = tensor.detach()
        self._version = tensor._version

    def get(self) -> torch.Tensor:
        if self._tensor._version != self._version:
            raise RuntimeError(
                f"a tensor of shape {tuple(self._tensor.shape)} that the backward pass needs was "
                f"changed in place: leave it as it is until then, or change a copy."
            )
        return self._tensor


def _resolved(tensor: torch.Tensor) -> torch.Tensor:
    """Return a tensor whose sign and conjugation are in its memory.

    From a GPU, PyTorch (2.13) copies a negated view with gaps to the host with the wrong sign.
    """
    return tensor.resolve_conj().resolve_neg()


class HostStore:
    """Stores tensors in the memory of the host; those that are there already are kept."""

    def pack(self, tensor: torch.Tensor) -> _Kept | tuple[torch.device, torch.Tensor]:
        """Copy a tensor to the host."""
        if tensor.device.type == "cpu":
            return _Kept(tensor)
        tensor = _resolved(tensor.detach())
        kept = torch.empty_like(tensor, device="cpu", pin_memory=tensor.device.type == "cuda")
        return tensor.device, kept.copy_(tensor)

    def unpack(self, handle: _Kept | tuple[torch.device, torch.Tensor]) -> torch.Tensor:
        """Copy the tensor to its device."""
        if isinstance(handle, _Kept):
            return handle.get()
        device, kept = handle
        return kept.to(device, non_blocking=True)


@dataclass(frozen=True, eq=False)
class _File:
    """A tensor in a file. The file is removed with this object."""

    path: str
    directory: _Directory
    device: torch.device
    dtype: torch.dtype
    shape: torch.Size
    stride: tuple[int, ...]

    def __del__(self) -> None:
        if self.directory.process == os.getpid():  # else it is the copy of a fork
            with suppress(OSError):
                os.remove(self.path)


@dataclass(frozen=True)
class _Batched:
    """A batched tensor of ``vmap``: the handle of the plain tensor, and its axis and level."""

    handle: Any
    axis: int
    level: int


class _Directory:
    """A directory for temporary files, which is removed with its last file.

    It stays locked while this process lives. The next process removes those that are not empty and not
    locked: their processes were killed.
    """

    def __init__(self) -> None:
        _remove_orphans(tempfile.gettempdir())
        self.path = tempfile.mkdtemp(prefix=_PREFIX)
        self.process = os.getpid()
        weakref.finalize(self, _remove, self.path, _lock(self.path), self.process)


def _remove(path: str, lock: int | None, process: int) -> None:
    if process == os.getpid():
        shutil.rmtree(path, ignore_errors=True)
    if lock is not None:
        os.close(lock)


def _lock(path: str) -> int | None:
    """Lock a directory until this process ends; return None where it is locked or cannot be."""
    if os.name == "nt":  # pragma: no cover - folders cannot be opened there
        return None
    import fcntl  # not there either

    descriptor = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


@functools.cache
def _remove_orphans(folder: str) -> None:
    """Remove the directories of killed processes, once."""
    for path in glob.glob(os.path.join(glob.escape(folder), f"{_PREFIX}*")):
        with suppress(OSError):  # it is another user's, or gone
            # One that was just made is empty, until its owner has locked it.
            if os.listdir(path) and (lock := _lock(path)) is not None:
                _remove(path, lock, os.getpid())


class DiskStore:
    """Stores tensors in files of a temporary directory, each once, however many nodes save it.

    The directory is that of :func:`tempfile.gettempdir`; set ``TMPDIR`` to a disk that is not itself
    in memory. Files vanish with the graph; those of a process that was killed, with the next one that
    uses the same directory.
    """

    def __init__(self) -> None:
        self._directory = _Directory()
        self._count = 0
        self._known: dict[Any, tuple[StorageWeakRef, weakref.ref[_File]]] = {}
        self._enough = 64

    def pack(self, tensor: torch.Tensor) -> _File | _Kept | _Batched:
        """Write a tensor to a file.

        Raises:
            OSError: If the file cannot be written, as on a full disk.
        """
        if tensor.layout != torch.strided:
            return _Kept(tensor)
        if transforms.is_batched(tensor):
            whole = self.pack(transforms.unwrapped(tensor))
            where = transforms.batch_axis(tensor), transforms.level_of(tensor)
            return _Batched(whole, *where)
        if tensor.numel() * tensor.element_size() < _SMALL:
            # A small view would keep all of a large storage.
            all_small = tensor.untyped_storage().nbytes() < _SMALL
            return _Kept(tensor if all_small else tensor.detach().clone())
        tensor = tensor.detach()
        storage = StorageWeakRef(tensor.untyped_storage())
        looks = (tensor.storage_offset(), tensor.shape, tensor.stride(), tensor.dtype)
        key = (storage.cdata, tensor._version, *looks)
        known = self._known.get(key)
        if known is not None and not known[0].expired() and (kept := known[1]()) is not None:
            return kept
        kept = self._write(tensor)
        self._known[key] = (storage, weakref.ref(kept))
        if len(self._known) > self._enough:
            self._known = {k: v for k, v in self._known.items() if not v[0].expired()}
            self._enough = 2 * len(self._known) + 64
        return kept

    def unpack(self, handle: _File | _Kept | _Batched) -> torch.Tensor:
        """Read the tensor; its pages come when they are used."""
        if isinstance(handle, _Batched):
            whole = self.unpack(handle.handle)
            return transforms.add_batch_axis(whole, handle.axis, handle.level)
        if isinstance(handle, _Kept):
            return handle.get()
        size = handle.shape.numel() * handle.dtype.itemsize
        flat = torch.from_file(handle.path, shared=False, size=size, dtype=torch.uint8)
        whole = flat.view(handle.dtype).as_strided(handle.shape, handle.stride)
        return whole.to(handle.device)

    def _write(self, tensor: torch.Tensor) -> _File:
        # It keeps the order of dimensions where there are no gaps; no memory is touched yet.
        tensor = _resolved(tensor)
        dense = torch.empty_like(tensor, device="cpu")
        plain = tensor.device.type == "cpu" and tensor.stride() == dense.stride()
        dense = tensor if plain else dense.copy_(tensor)
        size = dense.numel() * dense.element_size()
        path = os.path.join(self._directory.path, str(self._count))
        self._count += 1
        looks = (tensor.device, tensor.dtype, tensor.shape, dense.stride())
        kept = _File(path, self._directory, *looks)  # from here on, what is written also vanishes
        try:
            # Not by a mapping: on a full disk, writing to its pages kills the process.
            with open(path, "wb") as file:
                file.write((ctypes.c_char * size).from_address(dense.data_ptr()))
        except OSError as error:
            why = f'{error.strerror}, at a tensor of {size} bytes that `offload="disk"` puts away'
            raise OSError(
                error.errno, f"{why}; set TMPDIR to a disk with room for it", path
            ) from error
        return kept
