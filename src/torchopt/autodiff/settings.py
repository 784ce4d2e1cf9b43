"""The settings of PyTorch under which a function runs, to run it under them again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import NamedTuple

import torch

__all__ = ["Ambient"]


class Ambient(NamedTuple):
    """The default dtype, and the dtype of autocast on each device where it is on."""

    dtype: torch.dtype
    autocast: tuple[tuple[str, torch.dtype], ...]

    @classmethod
    def here(cls) -> Ambient:
        """Return the settings of this thread."""
        devices = [d for d in ("cpu", "cuda") if torch.is_autocast_enabled(d)]
        return cls(
            torch.get_default_dtype(), tuple((d, torch.get_autocast_dtype(d)) for d in devices)
        )

    @contextmanager
    def under(self) -> Iterator[None]:
        """Run a block under these settings."""
        before = torch.get_default_dtype()
        on = dict(self.autocast)
        with ExitStack() as stack:
            for device in ("cpu", "cuda"):
                dtype = on.get(device)
                if dtype is not None or torch.is_autocast_enabled(device):
                    stack.enter_context(
                        torch.autocast(device, dtype=dtype, enabled=dtype is not None)
                    )
            if before != self.dtype:
                torch.set_default_dtype(self.dtype)
                stack.callback(torch.set_default_dtype, before)
            yield
