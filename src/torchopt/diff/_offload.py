"""Stores that keep saved tensors and checkpoints outside of the memory of the device."""

from __future__ import annotations

import ctypes
import mmap
import os
import sys
import tempfile
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, TypeAlias

import torch
from torch.multiprocessing.reductions import StorageWeakRef

from torchopt.autodiff import transforms
from torchopt.autodiff.shards import joined, layout_of, local

# What is smaller costs more to put away than to keep.
_SMALL = 16 * 1024

nbytes: Callable[[torch.Tensor], int] = attrgetter("nbytes")


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


def _unwrapped(tensor: torch.Tensor) -> tuple[torch.Tensor, Callable[[Handle], Handle]]:
    """Return the plain tensor within, and what makes of its handle that of the tensor."""
    if transforms.is_batched(tensor):
        axis, level = transforms.batch_axis(tensor), transforms.level_of(tensor)
        plain, make = _unwrapped(transforms.unwrapped(tensor))
        return plain, lambda h: Wrapped(
            make(h), lambda t: transforms.add_batch_axis(t, axis, level)
        )
    if layout := layout_of(tensor):
        plain, make = _unwrapped(local(tensor.detach()))
        return plain, lambda h: Wrapped(make(h), lambda t: joined(t, layout))
    return tensor, lambda h: h


def _is_dense(x: Any) -> bool:
    return isinstance(x, torch.Tensor) and x.layout == torch.strided


def _resolved(tensor: torch.Tensor) -> torch.Tensor:
    """Return a tensor whose sign and conjugation are in its memory.

    From a GPU, PyTorch (2.13) copies a negated view with gaps to the host with the wrong sign.
    """
    return tensor.resolve_conj().resolve_neg()


def on_host(leaves: Sequence[Any]) -> list[Any]:
    """Copy tensors to the memory of the host; one that is there already is kept."""

    def kept(tensor: torch.Tensor) -> Handle:
        if tensor.device.type == "cpu":
            return Kept(tensor)
        plain, make = _unwrapped(tensor)
        plain = _resolved(plain.detach())
        host = torch.empty_like(plain, device="cpu", pin_memory=tensor.device.type == "cuda")
        return make(Kept(host.copy_(plain), tensor.device))

    return [kept(x) if isinstance(x, torch.Tensor) else x for x in leaves]


class _InFile(Kept):
    """A tensor whose memory is in a file, and takes none of the process's between two readings.

    Args:
        file: All of the file. No tensor stands for a part of it: a long run has very many.
        look: Where the tensor is in it: start, size, dtype, shape and strides.
        device: Where it is wanted.
    """

    def __init__(self, file: torch.Tensor, look: tuple[Any, ...], device: torch.device) -> None:
        self._tensor, self._look, self._device = file, look, device

    def get(self) -> torch.Tensor:
        """Read the tensor."""
        start, size, dtype, shape, stride = self._look
        place = self._tensor[start : start + size].view(dtype).as_strided(shape, stride)
        read = place.to(self._device, copy=True)
        if sys.platform == "linux":  # pages that have been read would stay
            before = place.data_ptr() % mmap.PAGESIZE
            address = ctypes.c_void_p(place.data_ptr() - before)
            ctypes.CDLL(None).madvise(address, ctypes.c_size_t(before + size), mmap.MADV_DONTNEED)
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
Store: TypeAlias = Callable[[Sequence[Any]], list[Any]]
"""Stores the tensors among leaves; the handle in the place of each gives it back."""


class OnDisk:
    """Stores tensors in files: those of a call in one, and each once, however many nodes save it.

    The files are in the directory of :func:`tempfile.gettempdir`; set ``TMPDIR`` to a disk that is not
    itself in memory. A file has no name any more when it has been written: its space is free when the
    graph is gone, or the process.
    """

    def __init__(self) -> None:
        self._known: dict[Any, tuple[weakref.ref[_InFile], StorageWeakRef]] = {}

    def __call__(self, leaves: Sequence[Any]) -> list[Any]:
        """Write the tensors among leaves to a file.

        Raises:
            OSError: If the file cannot be written, as on a full disk.
        """
        handles: list[Any] = [Kept(x) if isinstance(x, torch.Tensor) else x for x in leaves]
        plain = {i: _unwrapped(x) for i, x in enumerate(leaves) if _is_dense(x)}
        dense = [t.detach() for t, _ in plain.values()]
        large = sum(map(nbytes, dense)) >= _SMALL
        stored = self._stored(dense) if large else map(_in_memory, dense)
        for (i, (_, make)), kept in zip(plain.items(), stored, strict=True):
            handles[i] = make(kept)
        return handles

    def _stored(self, tensors: list[torch.Tensor]) -> list[Kept]:
        """Return the handles of tensors; those that are in no file yet are written to one."""
        if len(tensors) > 1:  # of a checkpoint; those of a graph live as long as it
            self._known = {k: v for k, v in self._known.items() if v[0]() and not v[1].expired()}
        keys, new, found = list[Any](), dict[Any, Any](), dict[Any, Any]()
        for tensor in tensors:
            storage = StorageWeakRef(tensor.untyped_storage())
            view = (tensor.storage_offset(), tensor.shape, tensor.stride(), tensor.dtype)
            key = (storage.cdata, tensor._version, *view, tensor.is_conj(), tensor.is_neg())
            keys.append(key)
            if (known := self._known.get(key)) is None or (handle := known[0]()) is None:
                new[key] = tensor, storage
            else:
                found[key] = handle
        if new:
            file, looks = _written([t for t, _ in new.values()])
            for (key, (tensor, storage)), look in zip(new.items(), looks, strict=True):
                found[key] = handle = _InFile(file, look, tensor.device)
                self._known[key] = weakref.ref(handle), storage
        return [found[key] for key in keys]


def _in_memory(tensor: torch.Tensor) -> Kept:
    # A small view would keep all of a large storage.
    return Kept(tensor if tensor.untyped_storage().nbytes() < _SMALL else tensor.clone())


def _written(tensors: list[torch.Tensor]) -> tuple[torch.Tensor, list[tuple[Any, ...]]]:
    """Return a file as a tensor of bytes, and how some tensors lie in it."""
    size, looks = 0, list[tuple[Any, ...]]()
    descriptor, path = tempfile.mkstemp(prefix="torchopt-offload-")
    try:
        # Not by a mapping: on a full disk, writing to its pages kills the process.
        with open(descriptor, "wb") as file:
            for tensor in map(_resolved, tensors):
                # It keeps the order of dimensions where there are no gaps; no memory is touched yet.
                dense = torch.empty_like(tensor, device="cpu")
                plain = tensor.device.type == "cpu" and tensor.stride() == dense.stride()
                dense = tensor if plain else dense.copy_(tensor)
                looks.append((size, dense.nbytes, dense.dtype, dense.shape, dense.stride()))
                size += dense.nbytes
                file.write((ctypes.c_char * dense.nbytes).from_address(dense.data_ptr()))
                size += file.write(bytes(-size % 64))  # as aligned as memory is
        flat = torch.from_file(path, shared=False, size=size, dtype=torch.uint8)
    except OSError as error:
        size = sum(map(nbytes, tensors))
        why = f'{error.strerror}, at {size} bytes that `offload="disk"` puts away'
        raise OSError(error.errno, f"{why}; set TMPDIR to a disk with room for it", path) from error
    except RuntimeError as error:
        raise OSError(
            f'{error}: `offload="disk"` has as many files as the system maps; raise vm.max_map_count, '
            f'or keep less by memory="tree".'
        ) from error
    finally:
        with suppress(PermissionError):  # Windows removes no file that is mapped
            os.remove(path)
    return flat, looks
