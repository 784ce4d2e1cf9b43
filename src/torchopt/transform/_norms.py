"""Norms from sums of squares."""

from __future__ import annotations

import torch

__all__ = ["norm_of"]


def norm_of(square: torch.Tensor) -> torch.Tensor:
    """Return the root of a sum of squares; at zero it is zero, and so are its derivatives.

    NaN gives NaN. In contrast to :func:`torchopt.transform.safe_sqrt`, zero gives zero itself.
    """
    zero = square == 0  # selected before the root, whose derivative there is infinite
    return torch.where(zero, 0.0, torch.where(zero, 1.0, square).sqrt())
