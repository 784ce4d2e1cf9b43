"""Functions that the tests share."""

from __future__ import annotations

from collections.abc import Callable
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


class FirstOnly(Hidden):
    """A product whose backward pass refuses to be differentiated."""

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor, Tensor]:
        a, b = ctx.saved_tensors
        return g * b, g * a


def autocast(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let a function run in bfloat16."""
    return torch.autocast("cpu", dtype=torch.bfloat16)(function)
