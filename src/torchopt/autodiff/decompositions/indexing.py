"""Products that are scattered, gradients that would be sparse, and bags of embeddings."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from torchopt.autodiff.decompositions.wrappers import Rules, rounded_once

Op = Callable[..., Tensor]


def _no_products(func: Op) -> Op:
    """Refuse products, whose derivatives of a forward derivative are wrong in PyTorch (2.13)."""

    @functools.wraps(func)
    def run(*args: Any, **kwargs: Any) -> Tensor:
        if "prod" in (*args[4:5], kwargs.get("reduce")):
            raise NotImplementedError(
                "`scatter_reduce` of products has no higher derivatives: take `torch.prod` of rows "
                "that are padded by ones."
            )
        return func(*args, **kwargs)

    return run


def _dense_gradient(func: Op, name: str, position: int) -> Op:
    """Let the gradient be dense, since what a sparse one is made of loses its graph."""

    @functools.wraps(func)
    def run(*args: Any, **kwargs: Any) -> Tensor:
        args = tuple(x if i != position else False for i, x in enumerate(args))
        return func(*args, **kwargs | {name: False} if name in kwargs else kwargs)

    return run


def _embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    if mode == "max" or scale_grad_by_freq:  # which raise for second derivatives
        given = (input, weight, offsets, max_norm, norm_type, scale_grad_by_freq, mode, sparse)
        own: Op = F.embedding_bag
        return own(*given, per_sample_weights, include_last_offset, padding_idx)
    flat = input.flatten()
    if offsets is None:
        offsets = torch.arange(len(input), device=input.device) * input.shape[1]
    starts = offsets[:-1] if include_last_offset else offsets
    places = torch.arange(len(flat), device=input.device, dtype=starts.dtype)
    bags, number = torch.searchsorted(starts, places, right=True) - 1, len(starts)
    rows = F.embedding(flat, weight, None, max_norm, norm_type)
    padding = -1 if padding_idx is None else padding_idx % len(weight)
    share = (flat != padding).to(rows.dtype)
    if mode == "mean":
        share = share / share.new_zeros(number).index_add(0, bags, share).clamp_min(1)[bags]
    if per_sample_weights is not None:
        share = share * per_sample_weights.flatten()
    return rows.new_zeros(number, rows.shape[1]).index_add(0, bags, rows * share[:, None])


_WITH_SPARSE_GRADIENTS: dict[Op, tuple[str, int]] = {
    F.embedding: ("sparse", 6),
    torch.embedding: ("sparse", 4),
    torch.gather: ("sparse_grad", 3),
    Tensor.gather: ("sparse_grad", 3),
}
RULES: Rules = {
    F.embedding_bag: rounded_once(_embedding_bag, F.embedding_bag),
    **{func: _dense_gradient(func, *place) for func, place in _WITH_SPARSE_GRADIENTS.items()},
    **{func: _no_products(func) for func in (torch.scatter_reduce, Tensor.scatter_reduce)},
}
