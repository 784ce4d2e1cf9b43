"""Tensors in the memory of another one that are no views of it: each may be changed in place."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch._C._dynamo import guards


def parts(
    buffer: torch.Tensor, offsets: Sequence[int], like: Sequence[torch.Tensor]
) -> list[torch.Tensor]:
    """Return tensors of these shapes and strides, each at its offset in a buffer."""
    part = guards._reinterpret_tensor  # type: ignore[attr-defined]
    return [part(buffer, t.shape, t.stride(), at) for t, at in zip(like, offsets, strict=False)]
