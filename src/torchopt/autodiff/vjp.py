"""Products with the Jacobian of a function of tensors: on a graph, or inside of ``torch.func``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import torch

from torchopt.autodiff.tracking import is_differentiable

__all__ = ["functional_jvp", "functional_vjp", "vjp"]

Tensors: TypeAlias = Sequence[torch.Tensor]
Cotangents: TypeAlias = Sequence[torch.Tensor | None]
Function: TypeAlias = Callable[..., tuple[torch.Tensor, ...]]


def vjp(
    outputs: Tensors,
    inputs: Tensors,
    cotangents: Cotangents,
    *,
    create_graph: bool = False,
    retain_graph: bool | None = None,
) -> list[torch.Tensor | None]:
    """Return the cotangents of inputs; None where they do not require grad or are not reached."""
    pairs = [
        (y, c)
        for y, c in zip(outputs, cotangents, strict=True)
        if y.requires_grad and c is not None
    ]
    wanted = [t for t in inputs if t.requires_grad]
    if not pairs or not wanted:
        return [None] * len(inputs)
    gradients = iter(
        torch.autograd.grad(
            [y for y, _ in pairs],
            wanted,
            [c for _, c in pairs],
            retain_graph=retain_graph,
            create_graph=create_graph,
            allow_unused=True,
        )
    )
    return [next(gradients) if t.requires_grad else None for t in inputs]


def functional_vjp(
    function: Function, inputs: Tensors, cotangents: Cotangents
) -> list[torch.Tensor | None]:
    """Return the cotangents of inputs by ``torch.func.vjp``; None where they are no real numbers."""
    restricted, points, kept = _restricted(function, inputs)
    out, pull = torch.func.vjp(restricted, *points)[:2]
    given = [c for c, k in zip(cotangents, kept, strict=True) if k]
    given = [torch.zeros_like(y) if c is None else c for y, c in zip(out, given, strict=True)]
    gradients = iter(pull(tuple(given)))
    return [next(gradients) if is_differentiable(t) else None for t in inputs]


def functional_jvp(
    function: Function, inputs: Tensors, tangents: Sequence[Any]
) -> tuple[torch.Tensor | None, ...]:
    """Return the tangents of the results by ``torch.func.jvp``."""
    restricted, points, kept = _restricted(function, inputs)
    directions = tuple(
        torch.zeros_like(t) if v is None else v
        for t, v in zip(inputs, tangents, strict=True)
        if is_differentiable(t)
    )
    # Contiguous, since an expanded tensor can have no tangent.
    points = [t.contiguous() for t in points]
    results = iter(torch.func.jvp(restricted, tuple(points), directions)[1])
    return tuple(next(results) if k else None for k in kept)


def _restricted(
    function: Function, inputs: Tensors
) -> tuple[Function, list[torch.Tensor], list[bool]]:
    """Restrict a function to differentiable arguments and results; counters have no derivative.

    Returns:
        The restricted function, its arguments, and a list that a call fills: which results it kept.
    """
    kept: list[bool] = []

    def restricted(*values: torch.Tensor) -> tuple[torch.Tensor, ...]:
        it = iter(values)
        out = function(*(next(it) if is_differentiable(t) else t for t in inputs))
        kept[:] = [is_differentiable(t) for t in out]
        return tuple(t for t in out if is_differentiable(t))

    return restricted, [t for t in inputs if is_differentiable(t)], kept
