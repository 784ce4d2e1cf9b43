"""Stores that keep saved tensors and checkpoints outside of the memory of the device."""

from __future__ import annotations

import ctypes
import os
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


class Store(Protocol):
    """Stores tensors, and gives them back."""

    def pack(self, tensor: torch.Tensor) -> Any:
        """Store a tensor; return a handle for :meth:`unpack`."""
        ...

    def unpack(self, handle: Any) -> torch.Tensor:
        """Return the tensor, without a graph."""
        ...


class _Kept:
    """A tensor that stays where it is, and must not change.

    Args:
        tensor: The tensor.
        device: Where it is wanted; where it is by default.
    """

    def __init__(self, tensor: torch.Tensor, device: torch.device | None = None) -> None:
        self._tensor = tensor.detach()
        self._version = tensor._version
        self._device = device or tensor.device

    def get(self) -> torch.Tensor:
        if self._tensor._version != self._version:
            raise RuntimeError(
                f"a tensor of shape {tuple(self._tensor.shape)} that the backward pass needs was "
                f"changed in place: leave it as it is until then, or change a copy."
            )
        return self._tensor.to(self._device, non_blocking=True)


def _resolved(tensor: torch.Tensor) -> torch.Tensor:
    """Return a tensor whose sign and conjugation are in its memory.

    From a GPU, PyTorch (2.13) copies a negated view with gaps to the host with the wrong sign.
    """
    return tensor.resolve_conj().resolve_neg()


class HostStore:
    """Stores tensors in the memory of the host; those that are there already are kept."""

    def pack(self, tensor: torch.Tensor) -> _Kept:
        """Copy a tensor to the host."""
        if tensor.device.type == "cpu":
            return _Kept(tensor)
        plain = _resolved(tensor.detach())
        kept = torch.empty_like(plain, device="cpu", pin_memory=tensor.device.type == "cuda")
        return _Kept(kept.copy_(plain), tensor.device)

    def unpack(self, handle: _Kept) -> torch.Tensor:
        """Copy the tensor to its device."""
        return handle.get()


@dataclass(frozen=True)
class _Batched:
    """A batched tensor of ``vmap``: the handle of the plain tensor, and its axis and level."""

    handle: Any
    axis: int
    level: int


class DiskStore:
    """Stores tensors in files, each once, however many nodes save it.

    The files are in the directory of :func:`tempfile.gettempdir`; set ``TMPDIR`` to a disk that is not
    itself in memory. A file has no name any more when it has been written: its space is free when the
    graph is gone, or the process.
    """

    def __init__(self) -> None:
        self._known: dict[Any, tuple[StorageWeakRef, weakref.ref[_Kept]]] = {}
        self._enough = 64

    def pack(self, tensor: torch.Tensor) -> _Kept | _Batched:
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
        kept = _Kept(_written(tensor), tensor.device)
        self._known[key] = (storage, weakref.ref(kept))
        if len(self._known) > self._enough:
            self._known = {k: v for k, v in self._known.items() if not v[0].expired()}
            self._enough = 2 * len(self._known) + 64
        return kept

    def unpack(self, handle: _Kept | _Batched) -> torch.Tensor:
        """Read the tensor; its pages come when they are used."""
        if isinstance(handle, _Batched):
            whole = self.unpack(handle.handle)
            return transforms.add_batch_axis(whole, handle.axis, handle.level)
        return handle.get()


def _written(tensor: torch.Tensor) -> torch.Tensor:
    """Return a tensor whose memory is a file."""
    # It keeps the order of dimensions where there are no gaps; no memory is touched yet.
    tensor = _resolved(tensor)
    dense = torch.empty_like(tensor, device="cpu")
    plain = tensor.device.type == "cpu" and tensor.stride() == dense.stride()
    dense = tensor if plain else dense.copy_(tensor)
    size = dense.numel() * dense.element_size()
    descriptor, path = tempfile.mkstemp(prefix="torchopt-offload-")
    try:
        # Not by a mapping: on a full disk, writing to its pages kills the process.
        with open(descriptor, "wb") as file:
            file.write((ctypes.c_char * size).from_address(dense.data_ptr()))
        flat = torch.from_file(path, shared=False, size=size, dtype=torch.uint8)
    except OSError as error:
        why = f'{error.strerror}, at a tensor of {size} bytes that `offload="disk"` puts away'
        raise OSError(error.errno, f"{why}; set TMPDIR to a disk with room for it", path) from error
    finally:
        with suppress(PermissionError):  # Windows removes no file that is mapped
            os.remove(path)
    return flat.view(dense.dtype).as_strided(dense.shape, dense.stride())
