"""Loss functions."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
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
)


def _reducing(loss: Callable[..., Tensor], func: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Return a rule that is given the loss of each sample, a function of arguments by name."""
    parameters = inspect.signature(func).parameters.items()
    defaults = {name: p.default for name, p in parameters if p.default is not p.empty}
    names = [name for name, _ in parameters]

    def run(*args: Any, **kwargs: Any) -> Tensor:
        given = defaults | dict(zip(names, args, strict=False)) | kwargs
        options = [given.pop(name, None) for name in ("size_average", "reduce", "reduction")]
        return _reduced(loss(**given), *options)

    return run


def _reduced(
    loss: Tensor, size_average: bool | None, reduce: bool | None, reduction: str
) -> Tensor:
    reduction = _reduction(size_average, reduce, reduction)
    if reduction == "none":
        return loss
    if reduction not in ("mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return loss.mean() if reduction == "mean" else loss.sum()


def _reduction(size_average: bool | None, reduce: bool | None, reduction: str) -> str:
    if size_average is None and reduce is None:
        return reduction
    if reduce is False:
        return "none"
    return "sum" if size_average is False else "mean"


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
    if weight is None:
        return _reduced(square, size_average, reduce, reduction)
    total = square * weight
    if _reduction(size_average, reduce, reduction) != "mean":
        return _reduced(total, size_average, reduce, reduction)
    return total.sum() / weight.expand_as(square).sum()


def _huber_loss(input: Tensor, target: Tensor, delta: float, weight: Tensor | None) -> Tensor:
    gap = (input - target).abs()
    loss = torch.where(gap <= delta, 0.5 * gap * gap, delta * (gap - 0.5 * delta))
    return loss if weight is None else loss * weight


def _soft_margin_loss(input: Tensor, target: Tensor) -> Tensor:
    return -F.logsigmoid(input * target)


def _bce_with_logits(
    input: Tensor, target: Tensor, weight: Tensor | None, pos_weight: Tensor | None
) -> Tensor:
    scale = 1 if pos_weight is None else 1 + (pos_weight - 1) * target
    loss = (1 - target) * input - scale * F.logsigmoid(input)
    return loss if weight is None else loss * weight


def _triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float,
    p: float,
    eps: float,
    swap: bool,
) -> Tensor:
    distance = functools.partial(pairwise_distance, p=p, eps=eps)
    far = distance(anchor, negative)
    if swap:
        far = torch.minimum(far, distance(positive, negative))
    return (margin + distance(anchor, positive) - far).clamp_min(0)


def _multi_margin_loss(
    input: Tensor, target: Tensor, p: int, margin: float, weight: Tensor | None
) -> Tensor:
    index = target.unsqueeze(-1)
    gap = (margin - input.gather(-1, index) + input).clamp_min(0) ** p
    gap = gap if weight is None else gap * weight[index]
    others = torch.arange(input.shape[-1], device=input.device) != index
    return (gap * others).mean(-1)


def _linear_cross_entropy(*args: Any, options: Any = None, **kwargs: Any) -> Tensor:
    return F.linear_cross_entropy(*args, **kwargs)  # not in chunks


_CHECKED: Rules = {
    F.huber_loss: _huber_loss,
    F.triplet_margin_loss: _triplet_margin_loss,
    F.binary_cross_entropy_with_logits: _bce_with_logits,
}
_ROUNDED: Rules = {F.soft_margin_loss: _soft_margin_loss, F.multi_margin_loss: _multi_margin_loss}
RULES: Rules = {
    F.mse_loss: in_forward_mode(checked(_mse_loss, F.mse_loss), F.mse_loss),
    **{func: checked(_reducing(loss, func), func) for func, loss in _CHECKED.items()},
    **{func: rounded_once(_reducing(loss, func), func) for func, loss in _ROUNDED.items()},
}
if hasattr(F, "linear_cross_entropy"):  # since PyTorch 2.13
    RULES[F.linear_cross_entropy] = _linear_cross_entropy
