"""Results that are in the graph of inputs on which they do not depend."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from torchopt.autodiff.tracking import is_differentiable
from torchopt.pytree import flattening as pytree

__all__ = ["tied"]


def tied(results: Sequence[torch.Tensor], varying: Any) -> list[torch.Tensor]:
    """Return results that depend on outputs of ``pvary``, if need be with zero derivative.

    The transpose of ``pvary`` is a sum that every rank must make, in a derivative of any order; a rank
    whose results are constant, or linear, would make none, and the others' sum would meet whatever this
    rank makes next.
    """
    moving = [t for t in pytree.leaves(varying) if is_differentiable(t)]
    return [_Tie.apply(x, *moving) if is_differentiable(x) else x for x in results]


class _Tie(torch.autograd.Function):
    """Returns its first argument, with zero derivative in the others; its derivatives are tied, too."""

    @staticmethod
    def forward(x: torch.Tensor, *others: torch.Tensor) -> torch.Tensor:
        return x.clone()

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        ctx.save_for_backward(*inputs[1:])
        ctx.save_for_forward(*inputs[1:])

    @staticmethod
    def backward(ctx: Any, cotangent: torch.Tensor) -> tuple[Any, ...]:
        others = ctx.saved_tensors
        zeros = (_Tie.apply(torch.zeros_like(t), cotangent, *others) for t in others)
        return cotangent, *zeros

    @staticmethod
    def jvp(ctx: Any, tangent: torch.Tensor, *tangents: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = _Tie.apply(tangent, *tangents, *ctx.saved_tensors)
        return result

    @staticmethod
    def vmap(info: Any, in_dims: tuple[Any, ...], *tensors: torch.Tensor) -> tuple[Any, Any]:
        rows = zip(tensors, in_dims, strict=True)
        x, *others = (t if d is None else t.movedim(d, 0) for t, d in rows)
        if in_dims[0] is None:  # a result that does not vary in a batch must, as on other ranks
            x = x.expand(info.batch_size, *x.shape)
        return _Tie.apply(x, *others), 0
