"""Custom functions of autograd that the tests share."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor


class Hidden(torch.autograd.Function):
    """A product that no operation shows."""

    @staticmethod
    def forward(ctx: Any, a: Tensor, b: Tensor) -> Tensor:
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor, Tensor]:
        a, b = ctx.saved_tensors
        return g * b, g * a
