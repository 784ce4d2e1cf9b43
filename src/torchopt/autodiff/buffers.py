"""The values of buffers of modules, to put them back."""

from __future__ import annotations

import torch

from torchopt.errors import ReplayError


class BufferValue:
    """The value of a buffer at some time."""

    def __init__(self, buffer: torch.Tensor) -> None:
        self.buffer = buffer
        self._value: torch.Tensor | None = buffer.detach().clone()
        self._version = buffer._version

    def now(self) -> BufferValue:
        """Return the present value of the buffer."""
        return self if self.is_constant() else BufferValue(self.buffer)

    def is_constant(self) -> bool:
        """Whether the buffer is large (so no statistics) and nothing was written to it since."""
        return self.buffer.nbytes > _SMALL and self._version == self.buffer._version

    def drop_constant(self) -> None:
        """Keep no copy of what :meth:`is_constant`; it must not change."""
        if self.is_constant():
            self._value = None

    def put(self) -> None:
        """Write this value to the buffer, without waiting for its device."""
        buffer = self.buffer
        if self.is_constant():
            return
        if self._value is None:
            raise ReplayError(
                f"a buffer of shape {tuple(buffer.shape)} was changed in place, but is read again "
                f"by the backward pass: call `backward` before it changes, or put a new tensor there."
            )
        # Batch normalization writes without a new version; that is in no graph that would need it.
        silent = buffer._version == self._version
        with torch.no_grad():
            (buffer.data if silent else buffer).copy_(self._value)


_SMALL = 1 << 16
