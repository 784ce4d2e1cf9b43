"""Norms, distances and standard deviations, whose second derivatives are NaN at zero, or missing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from torchopt.autodiff.decompositions.wrappers import Rules, rounded_once


def _root(powers: Tensor, ord: float = 2) -> Tensor:
    """Return a root whose derivatives at zero are zero, as PyTorch's first one is."""
    zero = powers == 0
    inside = torch.where(zero, 1.0, powers)
    return torch.where(zero, 0.0, inside.sqrt() if ord == 2 else inside.pow(1 / ord))


def vector_norm(
    x: Tensor,
    ord: float = 2,
    dim: int | Sequence[int] | None = None,
    keepdim: bool = False,
    *,
    dtype: torch.dtype | None = None,
) -> Tensor:
    """Return the norm of vectors, as ``torch.linalg.vector_norm`` does."""
    if not 1 < ord < math.inf or dim == ():
        return torch.linalg.vector_norm(x, ord, dim, keepdim, dtype=dtype)
    x = x if dtype is None else x.to(dtype)
    powers = x.abs().pow(ord) if ord != 2 else (x.conj() * x).real if x.is_complex() else x * x
    dim = dim if dim is None or isinstance(dim, int) else tuple(dim)
    return _root(powers.sum(dim, keepdim=keepdim), ord)


def _norm(
    A: Tensor,
    ord: float | str | None = None,
    dim: int | Sequence[int] | None = None,
    keepdim: bool = False,
    **kwargs: Any,
) -> Tensor:
    dims = A.dim() if dim is None else 1 if isinstance(dim, int) else len(dim)
    if ord is None or ord == "fro":
        return vector_norm(A, 2, dim, keepdim, **kwargs)
    if dims == 1 and not isinstance(ord, str):
        return vector_norm(A, ord, dim, keepdim, **kwargs)
    return torch.linalg.norm(A, ord, dim, keepdim, **kwargs)


def _matrix_norm(
    A: Tensor, ord: float | str = "fro", dim: tuple[int, int] = (-2, -1), *args: Any, **kwargs: Any
) -> Tensor:
    return _norm(A, ord, dim, *args, **kwargs)


def _torch_norm(
    input: Tensor,
    p: float | str | None = "fro",
    dim: int | Sequence[int] | None = None,
    keepdim: bool = False,
    out: Tensor | None = None,
    dtype: torch.dtype | None = None,
) -> Tensor:
    if (isinstance(p, str) and p != "fro") or out is not None:
        return torch.norm(input, p, dim, keepdim, out, dtype)
    order = 2 if p is None or isinstance(p, str) else p
    return vector_norm(input, order, dim, keepdim, dtype=dtype)


def _normalize(
    input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out: Tensor | None = None
) -> Tensor:
    if out is not None:
        return F.normalize(input, p, dim, eps, out)
    return input / vector_norm(input, p, dim, keepdim=True).clamp_min(eps)


def _std_mean(input: Tensor, *args: Any, **kwargs: Any) -> tuple[Tensor, Tensor]:
    """In a power of two near each largest magnitude: there no square overflows or vanishes."""
    if not input.numel():
        return torch.std_mean(input, *args, **kwargs)
    dim: Any = args[0] if args else kwargs.get("dim", kwargs.get("axis"))
    every = dim is None or isinstance(dim, bool)
    size = input.detach().abs().amax(() if every else dim, keepdim=True)
    unit = torch.where(size > 0, size / (2 * torch.frexp(size).mantissa), 1.0)
    var, mean = torch.var_mean(input / unit, *args, **kwargs)
    unit = unit.reshape(var.shape)
    return _root(var) * unit, mean * unit


def _std(*args: Any, **kwargs: Any) -> Tensor:
    return _std_mean(*args, **kwargs)[0]


def _cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    x1, x2 = torch.broadcast_tensors(x1, x2)
    x1, x2 = (x / vector_norm(x, 2, dim, keepdim=True).clamp_min(eps) for x in (x1, x2))
    return (x1 * x2).sum(dim)


def _cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: str = "") -> Tensor:
    return vector_norm(x1.unsqueeze(-2) - x2.unsqueeze(-3), p, -1)


def _pairwise_distance(
    x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False
) -> Tensor:
    return vector_norm(x1 - x2 + eps, p, -1, keepdim)


def _dist(input: Tensor, other: Tensor, p: float = 2) -> Tensor:
    return vector_norm(input - other, p)


def _pdist(input: Tensor, p: float = 2) -> Tensor:
    i, j = torch.triu_indices(len(input), len(input), 1, device=input.device)
    return vector_norm(input[i] - input[j], p, -1)


def _renorm(input: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
    others = tuple(i for i in range(input.dim()) if i != dim % input.dim())
    size = vector_norm(input, p, others, keepdim=True)
    return input * torch.where(size > maxnorm, maxnorm / (size + 1e-7), 1.0)


_ROUNDED: Rules = {
    torch.linalg.vector_norm: vector_norm,
    torch.linalg.matrix_norm: _matrix_norm,
    torch.linalg.norm: _norm,
    torch.norm: _torch_norm,
    Tensor.norm: _torch_norm,
    F.normalize: _normalize,
    torch.std: _std,
    Tensor.std: _std,
    F.cosine_similarity: _cosine_similarity,
    F.pairwise_distance: _pairwise_distance,
    torch.dist: _dist,
    Tensor.dist: _dist,
    torch.cdist: _cdist,
    F.pdist: _pdist,
    torch.renorm: _renorm,
    Tensor.renorm: _renorm,
}
RULES: Rules = {
    torch.std_mean: _std_mean,
    **{func: rounded_once(rule, func) for func, rule in _ROUNDED.items()},
}
