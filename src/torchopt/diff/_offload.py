"""Stores that keep saved tensors and checkpoints outside of the memory of the device."""

from __future__ import annotations

import ctypes
import mmap
import os
import sys
import tempfile
import weakref
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias

import torch
from torch.multiprocessing.reductions import StorageWeakRef

from torchopt.autodiff import transforms
from torchopt.autodiff.shards import joined, layout_of, local

# What is smaller costs more to put away than to keep.
_SMALL = 16 * 1024


class Kept:
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
        """Return the tensor, without a graph."""
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


def on_host(tensor: torch.Tensor) -> Handle:
    """Copy a tensor to the memory of the host; one that is there already is kept."""
    if tensor.device.type == "cpu":
        return Kept(tensor)
    if layout := layout_of(tensor):
        return Wrapped(on_host(local(tensor.detach())), lambda t: joined(t, layout))
    plain = _resolved(tensor.detach())
    kept = torch.empty_like(plain, device="cpu", pin_memory=tensor.device.type == "cuda")
    return Kept(kept.copy_(plain), tensor.device)


class _InFile(Kept):
    """A tensor whose memory is a file, which takes none of the process's between two readings."""

    def get(self) -> torch.Tensor:
        """Read the tensor."""
        read = self._tensor.to(self._device, copy=True)
        if sys.platform == "linux":  # pages that have been read would stay
            place = ctypes.c_void_p(self._tensor.data_ptr())
            size = ctypes.c_size_t(self._tensor.untyped_storage().nbytes())
            ctypes.CDLL(None).madvise(place, size, mmap.MADV_DONTNEED)
        return read


@dataclass(frozen=True)
class Wrapped:
    """What is made of the plain tensor that is kept: a batched tensor of ``vmap``, or a DTensor."""

    plain: Any
    make: Callable[[torch.Tensor], torch.Tensor]

    def get(self) -> torch.Tensor:
        """Return the tensor, without a graph."""
        return self.make(self.plain.get())


Handle: TypeAlias = Kept | Wrapped
Store: TypeAlias = Callable[[torch.Tensor], Handle]
"""Stores a tensor; the handle gives it back."""


class OnDisk:
    """Stores tensors in files, each once, however many nodes save it.

    The files are in the directory of :func:`tempfile.gettempdir`; set ``TMPDIR`` to a disk that is not
    itself in memory. A file has no name any more when it has been written: its space is free when the
    graph is gone, or the process.
    """

    def __init__(self) -> None:
        self._known: dict[Any, tuple[StorageWeakRef, weakref.ref[Kept]]] = {}
        self._enough = 64

    def __call__(self, tensor: torch.Tensor) -> Handle:
        """Write a tensor to a file.

        Raises:
            OSError: If the file cannot be written, as on a full disk.
        """
        if tensor.layout != torch.strided:
            return Kept(tensor)
        if transforms.is_batched(tensor):
            axis, level = transforms.batch_axis(tensor), transforms.level_of(tensor)
            return Wrapped(
                self(transforms.unwrapped(tensor)),
                lambda t: transforms.add_batch_axis(t, axis, level),
            )
        if layout := layout_of(tensor):
            return Wrapped(self(local(tensor.detach())), lambda t: joined(t, layout))
        if tensor.numel() * tensor.element_size() < _SMALL:
            # A small view would keep all of a large storage.
            all_small = tensor.untyped_storage().nbytes() < _SMALL
            return Kept(tensor if all_small else tensor.detach().clone())
        tensor = tensor.detach()
        storage = StorageWeakRef(tensor.untyped_storage())
        looks = (tensor.storage_offset(), tensor.shape, tensor.stride(), tensor.dtype)
        key = (storage.cdata, tensor._version, *looks, tensor.is_conj(), tensor.is_neg())
        known = self._known.get(key)
        if known is not None and not known[0].expired() and (kept := known[1]()) is not None:
            return kept
        kept = _InFile(_written(tensor), tensor.device)
        self._known[key] = (storage, weakref.ref(kept))
        if len(self._known) > self._enough:
            self._known = {k: v for k, v in self._known.items() if not v[0].expired()}
            self._enough = 2 * len(self._known) + 64
        return kept


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
    except RuntimeError as error:
        raise OSError(
            f'{error}: `offload="disk"` has as many files as the system maps; raise vm.max_map_count, '
            f'or keep less by memory="tree".'
        ) from error
    finally:
        with suppress(PermissionError):  # Windows removes no file that is mapped
            os.remove(path)
    return flat.view(dense.dtype).as_strided(dense.shape, dense.stride())
