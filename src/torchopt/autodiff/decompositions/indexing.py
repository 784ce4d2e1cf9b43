"""Products that are scattered, and bags of embeddings."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from torchopt.autodiff.decompositions.wrappers import rounded_once, wrapped


def _scatter_reduce(
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Tensor,
    reduce: str,
    *,
    include_self: bool = True,
) -> Tensor:
    if reduce != "prod" or not input.dim():
        return torch.scatter_reduce(input, dim, index, src, reduce, include_self=include_self)
    dim %= input.dim()
    slots = torch.arange(input.shape[dim], device=input.device)
    hit = index.unsqueeze(dim) == slots.reshape(-1, *(1,) * (input.dim() - dim))
    src = src[tuple(slice(n) for n in index.shape)]
    factor = torch.where(hit, src.unsqueeze(dim), 1.0).prod(dim + 1)
    touched = hit.any(dim + 1)
    missing = [n - m for n, m in zip(input.shape, factor.shape, strict=True)]
    if any(missing):  # the index is smaller than what it points into
        pads = [pad for n in reversed(missing) for pad in (0, n)]
        factor, touched = F.pad(factor, pads, value=1.0), F.pad(touched, pads, value=False)
    return input * factor if include_self else torch.where(touched, factor, input)


def _embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    if scale_grad_by_freq:
        raise NotImplementedError(
            "`_embedding_bag(scale_grad_by_freq=True)` has no higher derivatives: use False."
        )
    flat = input.flatten()
    if offsets is None:
        bags = torch.arange(len(input), device=input.device).repeat_interleave(input.shape[1])
        number = len(input)
    else:
        starts = offsets[:-1] if include_last_offset else offsets
        places = torch.arange(len(flat), device=input.device, dtype=starts.dtype)
        bags = torch.searchsorted(starts, places, right=True) - 1
        number = len(starts)
    padding = -1 if padding_idx is None else padding_idx % len(weight)
    members = (bags == torch.arange(number, device=input.device)[:, None]) & (flat != padding)
    rows = F.embedding(flat, weight, None, max_norm, norm_type)
    if mode == "max":
        chosen = torch.where(members[..., None], rows, -torch.inf).amax(1)
        return torch.where(members.any(1, keepdim=True), chosen, 0.0)
    matrix = members.to(rows.dtype)
    if per_sample_weights is not None:
        matrix = matrix * per_sample_weights.flatten()
    if mode == "mean":
        matrix = matrix / members.sum(1, keepdim=True).clamp_min(1)
    return matrix @ rows


RULES = wrapped(
    rounded_once,
    {
        torch.scatter_reduce: _scatter_reduce,
        Tensor.scatter_reduce: _scatter_reduce,
        F.embedding_bag: _embedding_bag,
    },
)
