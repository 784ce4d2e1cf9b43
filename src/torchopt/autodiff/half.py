"""Half precision: formulas are computed in float32, and only what enters and leaves them is rounded.

So an epsilon of 1e-8 does not vanish, and a square of 1e3 does not overflow, as in fused kernels.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.autograd import forward_ad

_WIDE = {torch.float32, torch.float64}
_HALF = {torch.float16, torch.bfloat16}


def wide(t: torch.Tensor) -> torch.Tensor:
    """Return a tensor in float32 at least: squares and sums overflow in half precision.

    A derivative that is too large for half precision becomes a sixteenth of the largest number there,
    not infinite: that times zero would be NaN. A sixteenth, since derivatives are added.
    """
    dtype = t.dtype
    return t if dtype in _WIDE else _cast(t, torch.promote_types(dtype, torch.float32))


def narrow(t: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Return a result in the dtype of what it replaces, with derivatives as in :func:`wide`."""
    return t if t.dtype == dtype else _cast(t, dtype)


def stored(t: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Return a part of a state in its dtype, finite if it is finite where it was computed.

    In 16 bits, what has no negative element, as a second moment, does not become zero either: others
    are divided by it in the next step.
    """
    if torch.finfo(dtype).max < torch.finfo(t.dtype).max:
        info, value = torch.finfo(dtype), t.detach()
        least = info.smallest_normal * info.eps
        vanishes = (value > 0) & (value < least) & (value >= 0).all() & (dtype in _HALF)
        overflows = value.isfinite() & (value.abs() > info.max)
        bounded = torch.where(vanishes, least, value.clamp(info.min, info.max))
        t = torch.where(vanishes | overflows, bounded + (t - value), t)
    return narrow(t, dtype)


def _cast(t: torch.Tensor, dtype: torch.dtype, *, finite: bool = False) -> torch.Tensor:
    # In forward mode a derivative may overflow.
    if not _HALF & {dtype, t.dtype} or forward_ad._current_level >= 0:
        return t.to(dtype)
    out: torch.Tensor = _Cast.apply(t, dtype, finite)
    return out


class _Cast(torch.autograd.Function):
    """Another dtype, with finite derivatives in reverse mode."""

    @staticmethod
    def forward(t: torch.Tensor, dtype: torch.dtype, finite: bool) -> torch.Tensor:
        if finite and dtype in _HALF:
            most = torch.finfo(dtype).max
            t = torch.where(t.isfinite() & (t.abs() > most), most / 16 * t.sign(), t)
        return t.to(dtype)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
        ctx.dtypes = inputs[0].dtype, inputs[1]

    @staticmethod
    def backward(ctx: Any, cotangent: torch.Tensor) -> tuple[torch.Tensor, None, None]:
        return _cast(cotangent, ctx.dtypes[0], finite=True), None, None

    @staticmethod
    def vmap(
        info: Any, in_dims: tuple[Any, ...], t: torch.Tensor, dtype: torch.dtype, finite: bool
    ) -> tuple[torch.Tensor, int | None]:
        return _cast(t, dtype, finite=finite), in_dims[0]
