"""The vectors of a leaf: where they lie, their parameters, and their length."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import torch

from torchopt import checks
from torchopt.autodiff.shards import largest

Dim: TypeAlias = int | tuple[int, ...] | None
"""The axes of a leaf along which its vectors lie; None for all of them, so that it is one vector."""


def _is_dim(dim: Any) -> bool:
    return all(type(d) is int for d in (dim if isinstance(dim, tuple) else (dim,)))


A_MATRIX = checks.Word(
    "give it two axes or more, as a matrix has", torch.Tensor, lambda x: x.dim() >= 2
)
A_SQUARE_MATRIX = checks.Word(
    "give it two last axes of one length, as a square matrix has",
    torch.Tensor,
    lambda x: x.dim() >= 2 and x.shape[-1] == x.shape[-2],
)
DIM = checks.or_none(
    checks.Word("use an integer, a tuple of integers", (int, tuple), _is_dim, TypeError)
)


def along(
    function: Callable[..., torch.Tensor], x: torch.Tensor, dim: Dim, *parameters: Any
) -> torch.Tensor:
    """Apply a function of vectors, which lie along its last axis, along other axes.

    Args:
        function: ``function(x, *parameters)``, whose result has the shape of ``x``.
        x: A tensor.
        dim: The axes of the vectors.
        *parameters: Numbers, and tensors that broadcast with ``x``, of which the function takes
            vectors, too.

    Raises:
        ValueError: If the tensor has no such axis.
    """
    axes = _axes(x, dim)
    wholes = [p.expand_as(x) if isinstance(p, torch.Tensor) else p for p in parameters]
    if axes == (-1,) or (x.dim() == 1 and len(axes) == 1):
        return function(x, *wholes)
    ends = tuple(range(-len(axes), 0))
    wholes = [vectors(p, dim) if isinstance(p, torch.Tensor) else p for p in wholes]
    flat = vectors(x, dim)
    out = function(flat, *wholes)
    if out.shape != flat.shape:  # `like` refuses it
        return out
    out = out.reshape((x.movedim(axes, ends) if axes else x).shape)
    return out.movedim(ends, axes) if axes else out


def vectors(x: torch.Tensor, dim: Dim) -> torch.Tensor:
    """Return a tensor whose vectors lie along its last axis, in the order of the others.

    Raises:
        ValueError: If the tensor has no such axis.
    """
    axes = _axes(x, dim)
    moved = x.movedim(axes, tuple(range(-len(axes), 0))) if axes else x
    return moved.reshape(*moved.shape[: moved.dim() - len(axes)], -1)


def _axes(x: torch.Tensor, dim: Dim) -> tuple[int, ...]:
    axes = tuple(range(x.dim())) if dim is None else dim if isinstance(dim, tuple) else (dim,)
    if not all(-x.dim() <= d < x.dim() for d in axes):
        raise ValueError(
            f"the vectors lie along `dim={dim!r}`, but a leaf has shape {tuple(x.shape)}: give it "
            f"that axis, or use `dim=None`, for which a leaf is one vector."
        )
    return axes


def shape_of(x: torch.Tensor, dim: Dim) -> list[int]:
    """Return the shape of a tensor without the axes of its vectors."""
    axes = {d % x.dim() for d in _axes(x, dim)}
    return [size for axis, size in enumerate(x.shape) if axis not in axes]


def broadcasts(shape: Sequence[int], to: Sequence[int]) -> bool:
    """Whether a tensor of one shape can be expanded to another."""
    pairs = zip(reversed(shape), reversed(to), strict=False)
    return len(shape) <= len(to) and all(a in (1, b) for a, b in pairs)


def last(parameter: Any) -> Any:
    """Return a parameter of vectors with an axis for their elements."""
    return parameter.unsqueeze(-1) if isinstance(parameter, torch.Tensor) else parameter


def length(x: torch.Tensor, dim: int | tuple[int, ...] = -1) -> torch.Tensor:
    """Return the Euclidean norm along axes, which stay; at zero its derivatives are zero.

    Its squares neither overflow nor underflow.
    """
    if x.numel() == 0:
        return x.sum(dim, keepdim=True)
    # A constant, which cancels: the norm is homogeneous.
    scale = unit(largest(x, dim, keepdim=True))
    return norm_of((x / scale).square().sum(dim, keepdim=True)) * scale


def direction(x: torch.Tensor) -> torch.Tensor:
    """Return the vectors of norm one along the last axis, and zero for zero.

    They are divided by their unit first, so that no derivative has a power of their norm.
    """
    if x.numel() == 0:
        return x
    x = x / unit(x.detach().abs().amax(-1, keepdim=True))
    norm = length(x)
    return x / torch.where(norm == 0, 1.0, norm)


def bounded(x: torch.Tensor) -> torch.Tensor:
    """Return a tensor whose squares, and sums of thousands of their sums, are numbers of its dtype.

    Larger elements become the largest of these, and their derivatives zero; infinite ones stay.
    """
    most = (torch.finfo(x.dtype).max / max(x.numel(), 1)) ** 0.5 / 64
    return torch.where(x.isfinite(), x.clamp(-most, most), x)


def unit(largest: torch.Tensor) -> torch.Tensor:
    """Return a power of two near the largest absolute value, which scales without rounding.

    It is 1 for zero and for what is not finite.
    """
    usual = (largest > 0) & largest.isfinite()
    most = -math.log2(torch.finfo(largest.dtype).tiny)
    return torch.where(usual, largest, 1.0).log2().floor().clamp(-most, most).exp2()


def norm_of(square: torch.Tensor) -> torch.Tensor:
    """Return the root of a sum of squares; at zero it is zero, and so are its derivatives."""
    zero = square == 0  # selected before the root, whose derivative there is infinite
    return torch.where(zero, 0.0, torch.where(zero, 1.0, square).sqrt())


def or_nan(x: torch.Tensor, condition: torch.Tensor) -> torch.Tensor:
    """Return a tensor where a condition holds, and NaN, with derivatives of NaN, elsewhere."""
    return x * torch.where(condition, x.new_ones(()), torch.nan)


def snap(x: torch.Tensor, to: torch.Tensor) -> torch.Tensor:
    """Return other values, which differ by rounding errors, with the derivatives of ``x``."""
    return to.detach() + (x - x.detach())
