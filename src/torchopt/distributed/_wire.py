"""Messages between processes: tensors travel as plain bytes, without a copy through pickle.

A leaf that several calls get, such as a parameter, is sent to each worker once, and again when its
value has changed.
"""

from __future__ import annotations

import ctypes
import io
import pickle
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import nn
from torch.utils.weak import WeakIdKeyDictionary

_SMALL = 1 << 12  # bytes below which a tensor is not worth keeping


def _plain(value: Any) -> bool:
    return (
        type(value) in (torch.Tensor, nn.Parameter)
        and value.device.type == "cpu"
        and value.layout == torch.strided
        and not value.is_quantized
        and not value.is_conj()
        and not value.is_neg()
    )


def _rebuild(data: Any, dtype: torch.dtype, shape: tuple[int, ...]) -> torch.Tensor:
    if not data:
        return torch.empty(shape, dtype=dtype, device="cpu")
    # A copy of its own, since the message's memory cannot be written to; and no view.
    flat = torch.frombuffer(bytearray(data), dtype=dtype)
    strides = torch.empty(shape, device="meta").stride()
    return torch.empty(0, dtype=dtype, device="cpu").set_(flat.untyped_storage(), 0, shape, strides)


class _Pickler(pickle.Pickler):
    def __init__(self, file: io.BytesIO, buffers: list[Any], parcels: Parcels | None) -> None:
        super().__init__(file, protocol=5, buffer_callback=buffers.append)
        self._parcels = parcels

    def persistent_id(self, value: Any) -> int | None:
        """Return the number under which the worker has a tensor."""
        if self._parcels is None or not _plain(value):
            return None
        return self._parcels.number(value)

    def reducer_override(self, value: Any) -> Any:
        """Pickle a tensor without its bytes, which travel as a piece of their own."""
        if not _plain(value):
            return NotImplemented
        flat = value.detach().contiguous()
        size = flat.numel() * flat.element_size()
        data: Any = b""
        if size:
            view = (ctypes.c_char * size).from_address(flat.data_ptr())
            view._owner = flat  # lives as long as its bytes
            data = pickle.PickleBuffer(view)
        return _rebuild, (data, value.dtype, tuple(value.shape))


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, buffers: Iterable[Any], shelf: Shelf | None) -> None:
        super().__init__(file, buffers=buffers)
        self._shelf = shelf

    def persistent_load(self, number: int) -> torch.Tensor:
        """Return a tensor that was sent before."""
        assert self._shelf is not None
        return self._shelf.tensors[number].clone()  # a function may write to it


def encode(number: int, message: Any, parcels: Parcels | None = None) -> list[Any]:
    """Return a numbered message as pieces of memory, those of its tensors uncopied."""
    stream = io.BytesIO()
    buffers: list[pickle.PickleBuffer] = []
    _Pickler(stream, buffers, parcels).dump(message)
    new, dropped = parcels.take() if parcels is not None else ({}, [])
    head = io.BytesIO()
    first: list[pickle.PickleBuffer] = []
    _Pickler(head, first, None).dump((new, dropped))
    label = pickle.dumps((number, len(first), len(buffers)))
    raw = pickle.PickleBuffer.raw
    return [label, head.getbuffer(), *map(raw, first), stream.getbuffer(), *map(raw, buffers)]


class Message:
    """A message as it arrived.

    Args:
        receive: Returns the next of its pieces.

    Attributes:
        number: Its number.
    """

    def __init__(self, receive: Callable[[], Any]) -> None:
        self.number, first, rest = pickle.loads(receive())
        self._head = [receive() for _ in range(1 + first)]
        self._body = [receive() for _ in range(1 + rest)]

    def decode(self, shelf: Shelf | None = None) -> Any:
        """Return its contents; errors in the construction of its objects are raised."""
        if shelf is not None:
            shelf.update(*_decode(self._head, None))
        return _decode(self._body, shelf)


def _decode(pieces: list[Any], shelf: Shelf | None) -> Any:
    return _Unpickler(io.BytesIO(pieces[0]), pieces[1:], shelf).load()


class Shelf:
    """The tensors that a worker keeps."""

    def __init__(self) -> None:
        self.tensors: dict[int, torch.Tensor] = {}

    def update(self, new: dict[int, torch.Tensor], dropped: list[int]) -> None:
        """Add new tensors, and remove those that are not needed any more."""
        for number in dropped:
            self.tensors.pop(number, None)
        self.tensors.update(new)


_BITS = {1: torch.uint8, 2: torch.int16, 4: torch.int32}


def _bits(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.contiguous().reshape(-1).view(_BITS.get(tensor.element_size(), torch.int64))


def _has_value(tensor: torch.Tensor, value: torch.Tensor) -> bool:
    # Not by the version alone: `.data` is written to without a new one.
    like = (tensor.shape, tensor.dtype) == (value.shape, value.dtype)
    return like and torch.equal(_bits(tensor.detach()), _bits(value))


class Versions:
    """Version numbers of the values of leaves, the same for all workers of an executor."""

    def __init__(self) -> None:
        self._kept: WeakIdKeyDictionary = WeakIdKeyDictionary()  # number and value when last sent
        self._next = 0

    def number(self, tensor: torch.Tensor) -> int | None:
        """Return the number of a leaf's present value; None for a leaf that workers do not keep."""
        variable = tensor.requires_grad and tensor.is_leaf
        if not variable or tensor.numel() * tensor.element_size() < _SMALL:
            return None
        kept = self._kept.get(tensor)
        if kept is None or not _has_value(tensor, kept[1]):
            kept = self._kept[tensor] = self._next, tensor.detach().clone()
            self._next += 1
        number: int = kept[0]
        return number

    def present(self) -> set[int]:
        """Return the numbers of values that leaves have now."""
        return {number for number, _ in self._kept.values()}


class Parcels:
    """The leaves that a worker has, and those that the next message adds."""

    def __init__(self, versions: Versions) -> None:
        self._versions = versions
        self._sent: set[int] = set()
        self._new: dict[int, torch.Tensor] = {}

    def number(self, tensor: torch.Tensor) -> int | None:
        """Return the number under which the worker has a tensor, or will have it."""
        number = self._versions.number(tensor)
        if number is not None and number not in self._sent:
            self._new[number] = tensor
        return number

    def take(self) -> tuple[dict[int, torch.Tensor], list[int]]:
        """Return the tensors to add to and to remove from the worker with this message."""
        new, self._new = self._new, {}
        gone = self._sent - self._versions.present()
        self._sent = (self._sent - gone) | new.keys()
        return new, [*gone]
