"""Norms and distances, whose second derivatives are NaN at zero, or missing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from torchopt.autodiff.decompositions.wrappers import Rules, rounded_once, wrapped


def vector_norm(
    x: Tensor,
    ord: float = 2,
    dim: int | Sequence[int] | None = None,
    keepdim: bool = False,
    *,
    dtype: torch.dtype | None = None,
) -> Tensor:
    """Return the norm of vectors, as ``torch.linalg.vector_norm`` does."""
    if ord != 2 or dim == ():
        return torch.linalg.vector_norm(x, ord, dim, keepdim, dtype=dtype)
    x = x if dtype is None else x.to(dtype)
    square = (x.conj() * x).real if x.is_complex() else x * x
    square = square.sum(dim if dim is None or isinstance(dim, int) else tuple(dim), keepdim=keepdim)
    # Its derivatives at zero are zero, as PyTorch's first one is.
    zero = square == 0
    return torch.where(zero, 0.0, torch.where(zero, 1.0, square).sqrt())


def _norm(
    A: Tensor,
    ord: float | str | None = None,
    dim: int | Sequence[int] | None = None,
    keepdim: bool = False,
    **kwargs: Any,
) -> Tensor:
    dims = A.dim() if dim is None else 1 if isinstance(dim, int) else len(dim)
    if ord is None or ord == "fro" or (ord == 2 and dims == 1):
        return vector_norm(A, 2, dim, keepdim, **kwargs)
    return torch.linalg.norm(A, ord, dim, keepdim, **kwargs)


def _torch_norm(
    input: Tensor,
    p: float | str | None = "fro",
    dim: int | Sequence[int] | None = None,
    keepdim: bool = False,
    out: Tensor | None = None,
    dtype: torch.dtype | None = None,
) -> Tensor:
    if p in (None, 2, "fro") and out is None:
        return vector_norm(input, 2, dim, keepdim, dtype=dtype)
    return torch.norm(input, p, dim, keepdim, out, dtype)


def _normalize(
    input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out: Tensor | None = None
) -> Tensor:
    if out is not None:
        return F.normalize(input, p, dim, eps, out)
    return input / vector_norm(input, p, dim, keepdim=True).clamp_min(eps)


def _cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    x1, x2 = torch.broadcast_tensors(x1, x2)
    x1, x2 = (x / vector_norm(x, 2, dim, keepdim=True).clamp_min(eps) for x in (x1, x2))
    return (x1 * x2).sum(dim)


def _cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: str = "") -> Tensor:
    return vector_norm(x1.unsqueeze(-2) - x2.unsqueeze(-3), p, -1)


RULES: Rules = wrapped(
    rounded_once,
    {
        torch.linalg.vector_norm: vector_norm,
        torch.linalg.norm: _norm,
        torch.norm: _torch_norm,
        Tensor.norm: _torch_norm,
        F.normalize: _normalize,
        F.cosine_similarity: _cosine_similarity,
        torch.cdist: _cdist,
    },
)
