"""What :func:`torchopt.native.cuda.fused` asks of a machine: a GPU, or its emulation."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import torch

from torchopt.native.cuda._functor import Functor


class Kernels(NamedTuple):
    """Handles of a functor's kernel and of the one that adds up its partial sums."""

    fused: int
    finish: int


class Launcher(Protocol):
    """Starts kernels on devices of one type."""

    device_type: str

    def kernels(self, functor: Functor, dtype: torch.dtype, device: torch.device) -> Kernels:
        """Return the kernels of a functor on a device."""

    def stream(self, device: torch.device) -> int:
        """Return the stream of a device that work belongs on now."""

    def launch(
        self, function: int, grid: int, parameter: bytes, device: torch.device, stream: int
    ) -> None:
        """Start ``grid`` blocks of a kernel whose only parameter is a structure of these bytes."""
