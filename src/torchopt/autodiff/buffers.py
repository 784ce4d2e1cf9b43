"""The values of buffers of modules, to put them back."""

from __future__ import annotations

import torch

from torchopt.errors import ReplayError


class BufferValue:
    """The value of a buffer at some time."""

    def __init__(self, buffer: torch.Tensor) -> None:
        self.buffer = buffer
        self._value = buffer.detach().clone()
        self._version = buffer._version

    def exchange(self) -> BufferValue:
        """Write this value to the buffer; return the value that it had, to be written back later."""
        current = BufferValue(self.buffer)
        self.put()
        current._version = self.buffer._version
        return current

    def now(self) -> BufferValue:
        """Return the present value of the buffer."""
        return type(self)(self.buffer)

    def is_current(self) -> bool:
        """Whether the buffer still has this value."""
        return self._version == self.buffer._version and torch.equal(self.buffer, self._value)

    def is_constant(self) -> bool:
        """Whether the buffer is large (so no statistics) and nothing was written to it since."""
        return self.buffer.nbytes > _SMALL and self._version == self.buffer._version

    def put(self) -> None:
        """Write this value to the buffer, without waiting for its device."""
        if self.is_constant():
            return
        buffer = self.buffer
        # Batch normalization writes without a new version; that is in no graph that would need it.
        silent = buffer._version == self._version
        with torch.no_grad():
            (buffer.data if silent else buffer).copy_(self._value)


_SMALL = 1 << 16


class ConstantBuffer(BufferValue):
    """A buffer that must not change, so that no copy of it is kept."""

    def __init__(self, buffer: torch.Tensor) -> None:
        self.buffer = buffer
        self._version = buffer._version

    def is_current(self) -> bool:
        """Whether nothing was written to the buffer."""
        return self._version == self.buffer._version

    def is_constant(self) -> bool:
        """Whether nothing was written to the buffer."""
        return self.is_current()

    def put(self) -> None:
        """Raise if the buffer was written to."""
        if self.buffer._version != self._version:
            raise ReplayError(
                f"a buffer of shape {tuple(self.buffer.shape)} was changed in place, but is read again "
                f"by the backward pass: call `backward` before it changes, or put a new tensor there."
            )
