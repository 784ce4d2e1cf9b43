"""A graph as plain PyTorch operations: the reference, the fallback, and order three and above."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch

from torchopt.formula import COMPARISONS, UNARY, Expression, Graph

_ARITHMETIC: dict[str, Callable[..., Any]] = {
    "div": operator.truediv,
    **{op: getattr(operator, op) for op in ("add", "sub", "mul", "neg", "pow")},
}


def _select(test: Callable[[Any, Any], Any], a: Any, b: Any, x: Any, y: Any) -> torch.Tensor:
    return torch.where(test(a, b), x, y)


_TORCH: dict[str, Callable[..., Any]] = {
    "max": torch.maximum,
    **{op: getattr(torch, op) for op in UNARY},
    **{op: partial(_select, test) for op, test in COMPARISONS.items()},
}


def evaluate(
    graph: Graph, tensors: Sequence[torch.Tensor | None], scalars: Sequence[Any]
) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    """Evaluate a graph on one leaf, in differentiable PyTorch operations.

    Args:
        graph: The graph.
        tensors: Its tensors, of one shape and dtype; None for zeros.
        scalars: Its scalars: numbers, or tensors without dimensions.

    Returns:
        The elementwise results, of that shape and dtype, and the sums, in float64.
    """
    like = next(t for t in tensors if t is not None)
    inputs: dict[str, Any] = {
        name: 0.0 if t is None else t for name, t in zip(graph.tensors, tensors, strict=True)
    }
    inputs |= dict(zip(graph.scalars, scalars, strict=True))

    def apply(x: Expression, args: list[Any]) -> Any:
        if x.op == "constant":
            return x.args[0]
        if x.op == "tiny":
            return torch.finfo(like.dtype).tiny
        if x.op in _ARITHMETIC:
            return _ARITHMETIC[x.op](*args)
        dtype = torch.float64 if x.uniform else like.dtype
        make = partial(torch.as_tensor, dtype=dtype, device=like.device)
        return _TORCH[x.op](*(a if isinstance(a, torch.Tensor) else make(a) for a in args))

    results = graph.replay(inputs, apply)
    # An autograd.Function must not return what it was given.
    results = [y.clone() if any(y is t for t in tensors) else y for y in results]
    count = len(graph.outputs)
    outputs = [_fill(y, like, like.dtype) for y in results[:count]]
    # As in the kernels: elements have the dtype of the tensors, their sum has float64.
    wide = torch.float32 if like.device.type == "mps" else torch.float64  # MPS has no float64
    sums = [_fill(y, like, like.dtype).sum(dtype=wide) for y in results[count:]]
    return outputs, sums


def _fill(y: Any, like: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    if not isinstance(y, torch.Tensor):
        return torch.full_like(like, y)
    if y.shape == like.shape and y.dtype == dtype:
        return y
    return y.to(dtype).expand_as(like).clone()
