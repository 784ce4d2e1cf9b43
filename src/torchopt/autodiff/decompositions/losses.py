"""Loss functions."""

from __future__ import annotations

import functools
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from torchopt.autodiff.decompositions.norms import pairwise_distance
from torchopt.autodiff.decompositions.wrappers import (
    Rules,
    checked,
    in_forward_mode,
    rounded_once,
    wrapped,
)


def _reduced(loss: Tensor, reduction: str) -> Tensor:
    if reduction == "none":
        return loss
    if reduction not in ("mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return loss.mean() if reduction == "mean" else loss.sum()


def _mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    # PyTorch's own writes to the zero tangent of what does not move.
    square = (input - target) * (input - target)
    reduction = _reduction(size_average, reduce, reduction)
    if weight is None:
        return _reduced(square, reduction)
    total = _reduced(square * weight, "none" if reduction == "none" else "sum")
    return total / weight.expand_as(square).sum() if reduction == "mean" else total


def _huber_loss(
    input: Tensor,
    target: Tensor,
    reduction: str = "mean",
    delta: float = 1.0,
    weight: Tensor | None = None,
) -> Tensor:
    gap = (input - target).abs()
    loss = torch.where(gap <= delta, 0.5 * gap * gap, delta * (gap - 0.5 * delta))
    return _reduced(loss if weight is None else loss * weight, reduction)


def _soft_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    return _reduced(-F.logsigmoid(input * target), _reduction(size_average, reduce, reduction))


def _bce_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    scale = 1 if pos_weight is None else 1 + (pos_weight - 1) * target
    loss = (1 - target) * input - scale * F.logsigmoid(input)
    loss = loss if weight is None else loss * weight
    return _reduced(loss, _reduction(size_average, reduce, reduction))


def _triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    distance = functools.partial(pairwise_distance, p=p, eps=eps)
    far = distance(anchor, negative)
    if swap:
        far = torch.minimum(far, distance(positive, negative))
    loss = (margin + distance(anchor, positive) - far).clamp_min(0)
    return _reduced(loss, _reduction(size_average, reduce, reduction))


def _cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    # The small number is that of PyTorch's own.
    square1, square2 = ((x * x).sum(-1) + 1e-12 for x in (input1, input2))
    cosine = (input1 * input2).sum(-1) / (square1 * square2).sqrt()
    loss = torch.where(target == 1, 1 - cosine, 0.0)
    loss = loss + torch.where(target == -1, (cosine - margin).clamp_min(0), 0.0)
    return _reduced(loss, _reduction(size_average, reduce, reduction))


def _multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    index = target.unsqueeze(-1)
    gap = (margin - input.gather(-1, index) + input).clamp_min(0) ** p
    gap = gap if weight is None else gap * weight[index]
    others = torch.arange(input.shape[-1], device=input.device) != index
    return _reduced((gap * others).mean(-1), _reduction(size_average, reduce, reduction))


def _linear_cross_entropy(*args: Any, options: Any = None, **kwargs: Any) -> Tensor:
    return F.linear_cross_entropy(*args, **kwargs)  # not in chunks


def _reduction(size_average: bool | None, reduce: bool | None, reduction: str) -> str:
    if size_average is None and reduce is None:
        return reduction
    if reduce is False:
        return "none"
    return "sum" if size_average is False else "mean"


RULES: Rules = {
    F.soft_margin_loss: rounded_once(_soft_margin_loss, F.soft_margin_loss),
    F.multi_margin_loss: rounded_once(_multi_margin_loss, F.multi_margin_loss),
    F.mse_loss: in_forward_mode(checked(_mse_loss, F.mse_loss), F.mse_loss),
    F.linear_cross_entropy: _linear_cross_entropy,
    **wrapped(
        checked,
        {
            F.huber_loss: _huber_loss,
            F.triplet_margin_loss: _triplet_margin_loss,
            F.cosine_embedding_loss: _cosine_embedding_loss,
            F.binary_cross_entropy_with_logits: _bce_with_logits,
        },
    ),
}
