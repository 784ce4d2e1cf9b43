"""A value as bytes, and the tensors in it: of a tree, a module, an object, a partial.

Pickle finds every tensor of a value. The value that is built again from the bytes has other tensors in
their places. These may be part of a graph: so a function is differentiable in all tensors sent with it.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import nn

from torchopt.errors import WrappedModuleError
from torchopt.modules.wrapped import refuse_wrapped


class Packed(NamedTuple):
    """A value, split into bytes and tensors.

    Attributes:
        payload: The value without its tensors.
        tensors: Its tensors, each once.
    """

    payload: bytes
    tensors: tuple[torch.Tensor, ...]


class _Pickler(pickle.Pickler):
    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file, protocol=5)
        self.tensors: list[torch.Tensor] = []
        self._index: dict[int, int] = {}
        self._buffers: set[int] = set()

    def persistent_id(self, value: Any) -> int | None:
        """Return the number of a tensor."""
        if isinstance(value, nn.Module):
            refuse_wrapped(value, what="a remote call")
            self._buffers.update(id(buffer) for buffer in value._buffers.values())
        if not isinstance(value, torch.Tensor):
            return None
        if id(value) not in self._index:
            self._index[id(value)] = len(self.tensors)
            # A copy of what modules write to, which may happen before the derivative is computed.
            self.tensors.append(value.clone() if id(value) in self._buffers else value)
        return self._index[id(value)]


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, tensors: Sequence[torch.Tensor]) -> None:
        super().__init__(file)
        self._tensors = tensors

    def persistent_load(self, index: int) -> torch.Tensor:
        """Return the tensor of a number."""
        return self._tensors[index]


def pack(value: Any, what: str) -> Packed:
    """Split a value into bytes and tensors.

    Args:
        value: Anything that can be pickled.
        what: Its name, for the error.

    Raises:
        TypeError: If it cannot be pickled.
    """
    file = io.BytesIO()
    pickler = _Pickler(file)
    try:
        pickler.dump(value)
    except WrappedModuleError:
        raise
    except (pickle.PicklingError, AttributeError, TypeError, RuntimeError) as error:
        raise unsendable(what, error) from error
    return Packed(file.getvalue(), tuple(pickler.tensors))


def unsendable(what: str, error: Exception) -> TypeError:
    """Return the error that says what cannot be sent, and what to do."""
    return TypeError(
        f"{what} cannot be sent to a worker ({error}): use functions that stand at the top level of a "
        f"module, which a worker can import by name, and pass what they read as arguments."
    )


def unpack(payload: bytes, tensors: Sequence[torch.Tensor]) -> Any:
    """Build the value again from its bytes, with the given tensors in the places of its own."""
    return _Unpickler(io.BytesIO(payload), tensors).load()
