"""Values as tensors, whatever PyTorch's default device is."""

from __future__ import annotations

from typing import Any

import torch

__all__ = ["as_tensor"]


def as_tensor(value: Any, dtype: torch.dtype | None = None) -> torch.Tensor:
    """Return a value as a tensor: a tensor on its own device, and anything else on the CPU."""
    return torch.as_tensor(value, dtype=dtype, device=getattr(value, "device", "cpu"))
