"""Loss functions."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from torchopt.autodiff.decompositions.wrappers import Rules, checked, in_forward_mode, rounded_once


def _reduced(
    loss: Tensor,
    size_average: bool | None,
    reduce: bool | None,
    reduction: str,
    weight: Tensor | None = None,
) -> Tensor:
    """Return the mean (with a weight, the weighted one) or the sum of a loss, or itself."""
    if size_average is not None or reduce is not None:
        reduction = "none" if reduce is False else "sum" if size_average is False else "mean"
    if reduction == "none":
        return loss
    if reduction == "sum":
        return loss.sum()
    return loss.mean() if weight is None else loss.sum() / weight.expand_as(loss).sum()


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
    square = square if weight is None else square * weight
    return _reduced(square, size_average, reduce, reduction, weight)


def _huber_loss(
    input: Tensor,
    target: Tensor,
    reduction: str = "mean",
    delta: float = 1.0,
    weight: Tensor | None = None,
) -> Tensor:
    gap = (input - target).abs()
    loss = torch.where(gap <= delta, 0.5 * gap * gap, delta * (gap - 0.5 * delta))
    return _reduced(loss if weight is None else loss * weight, None, None, reduction)


def _soft_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    return _reduced(-F.logsigmoid(input * target), size_average, reduce, reduction)


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
    return _reduced(loss, size_average, reduce, reduction)


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
    # The label of one example may have an axis.
    input = input.reshape(*[1] * target.dim(), -1) if input.dim() < 2 else input
    index = target.unsqueeze(-1)
    gap = (margin - input.gather(-1, index) + input).clamp_min(0) ** p
    gap = gap if weight is None else gap * weight[index]
    others = torch.arange(input.shape[-1], device=input.device) != index
    return _reduced((gap * others).mean(-1), size_average, reduce, reduction)


def _linear_cross_entropy(*args: Any, options: Any = None, **kwargs: Any) -> Tensor:
    return F.linear_cross_entropy(*args, **kwargs)  # not in chunks


RULES: Rules = {
    F.mse_loss: in_forward_mode(checked(_mse_loss, F.mse_loss), F.mse_loss),
    F.huber_loss: checked(_huber_loss, F.huber_loss),
    F.soft_margin_loss: rounded_once(_soft_margin_loss, F.soft_margin_loss),
    F.multi_margin_loss: rounded_once(_multi_margin_loss, F.multi_margin_loss),
    F.binary_cross_entropy_with_logits: checked(
        _bce_with_logits, F.binary_cross_entropy_with_logits
    ),
}
if hasattr(F, "linear_cross_entropy"):  # since PyTorch 2.13
    RULES[F.linear_cross_entropy] = _linear_cross_entropy
