"""The values of buffers of modules, to put them back."""

from __future__ import annotations

import torch

from torchopt.errors import ReplayError


class BufferValue:
    """The value of a buffer at some time: by default, now."""

    def __init__(self, buffer: torch.Tensor, value: torch.Tensor | None = None) -> None:
        self.buffer = buffer
        self.value: torch.Tensor | None
        self.value = buffer.detach().clone() if value is None else value.to(buffer.device)
        given = value is not None and buffer.nbytes > _SMALL
        self._version = -1 if given else buffer._version  # so that it counts as written to

    def now(self) -> BufferValue:
        """Return the present value of the buffer."""
        return self if self.is_constant() else BufferValue(self.buffer)

    def is_constant(self) -> bool:
        """Whether the buffer is large (so no statistics) and nothing was written to it since."""
        return self.buffer.nbytes > _SMALL and self._version == self.buffer._version

    def put(self) -> None:
        """Write this value to the buffer, without waiting for its device."""
        buffer = self.buffer
        if self.is_constant():
            return
        if self.value is None:
            raise ReplayError(
                f"a buffer of shape {tuple(buffer.shape)} was changed in place, but is read again "
                f"by the backward pass: call `backward` before it changes, or put a new tensor there."
            )
        # Batch normalization writes without a new version; that is in no graph that would need it.
        silent = buffer._version == self._version
        with torch.no_grad():
            (buffer.data if silent else buffer).copy_(self.value)


_SMALL = 1 << 16
