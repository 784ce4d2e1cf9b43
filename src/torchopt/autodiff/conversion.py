"""Values as tensors, whatever PyTorch's default device is, and as numbers of Python."""

from __future__ import annotations

from numbers import Real
from typing import Any

import torch


def as_tensor(value: Any, dtype: torch.dtype | None = None) -> torch.Tensor:
    """Return a value as a tensor: a tensor on its own device, and anything else on the CPU."""
    return torch.as_tensor(value, dtype=dtype, device=getattr(value, "device", "cpu"))


def plain(value: Any) -> Any:
    """Return a number that is none of Python's, such as one of NumPy, as a float.

    With those, comparisons give booleans that PyTorch does not take.
    """
    ours = any(type(value) is kind for kind in (int, float, bool))
    return float(value) if isinstance(value, Real) and not ours else value


def as_floating(value: Any) -> torch.Tensor:
    """Return a real number or tensor as a floating tensor: a count is one of double precision."""
    floating = isinstance(value, torch.Tensor) and value.is_floating_point()
    return value if floating else as_tensor(value, torch.float64)
