"""The suite on another device: tensors and generators that say nothing of theirs are made there."""

from __future__ import annotations

from typing import Any

import torch


def default_to(device: str) -> None:
    """Make tensors and random generators on this device, unless a test names another one."""
    torch.set_default_device(device)

    class Generator(torch.Generator):
        """PyTorch's, which is on the CPU by default even so."""

        def __new__(cls, device: Any = device) -> Generator:
            return super().__new__(cls, device)

    torch.Generator = Generator  # type: ignore[misc]
