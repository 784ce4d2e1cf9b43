"""Whether the compiled update operators are live."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch

from torchopt import checks, native, ops
from torchopt.native import cuda

__all__ = ["is_available", "warn_if_unavailable"]

_warned = False


def is_available(devices: str | Any | Iterable[Any] | None = None) -> bool:
    """Whether the compiled update operators are live for all of these devices.

    The first call loads them. ``python -m torchopt.native status`` says which and why.

    Args:
        devices: A device or several; by default the CPU and the GPU, so False without a GPU.

    Returns:
        Whether a step on tensors of these devices runs as compiled kernels.

    Example:
        >>> isinstance(is_available("cpu"), bool)
        True
    """
    if devices is None:
        devices = ["cpu", "cuda"]
    elif isinstance(devices, (str, int, torch.device)):
        devices = [devices]
    types = ("cuda" if isinstance(d, int) else torch.device(d).type for d in devices)
    return all(map(_is_live, types))


def _is_live(device_type: str) -> bool:
    if device_type == "meta":  # which computes nothing
        return True
    if device_type == "cpu":
        return ops.is_live()
    return device_type == "cuda" and cuda.unavailable() is None


def warn_if_unavailable() -> None:
    """Warn, once, that plain operations run where compiled ones were asked for."""
    global _warned
    here = ["cpu", "cuda"] if torch.cuda.is_available() else ["cpu"]
    if not _warned and not is_available(here):
        _warned = True
        checks.warn(
            f"use_accelerated_op=True, but the compiled operators are not live "
            f"({native.status().reason}); PyTorch's operations run instead."
        )
