"""Batch, instance, layer, group and weight normalization.

PyTorch's own runs too, without a graph: it checks the arguments, updates the running statistics and
says the dtype.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from torchopt.autodiff.decompositions.norms import vector_norm
from torchopt.autodiff.decompositions.wrappers import (
    Rules,
    detached,
    in_forward_mode,
    rounded_once,
    up,
)


def _standardized(x: Tensor, dims: tuple[int, ...], eps: float) -> Tensor:
    centred = x - x.mean(dims, keepdim=True)
    return centred * torch.rsqrt((centred * centred).mean(dims, keepdim=True) + eps)


def _affine(x: Tensor, weight: Tensor | None, bias: Tensor | None, like: Tensor) -> Tensor:
    """Scale and shift channels, if they are not the last dimensions."""
    ones = (1,) * (x.dim() - 2)
    x = x if weight is None else x * up(weight).reshape(-1, *ones)
    x = x if bias is None else x + up(bias).reshape(-1, *ones)
    return x.to(like.dtype)


def _layer_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    cudnn_enable: bool = True,
) -> Tensor:
    like = F.layer_norm(input.detach(), normalized_shape, detached(weight), detached(bias), eps)
    dims = range(-len(normalized_shape), 0)
    out = _standardized(up(input), tuple(dims), eps)
    out = out if weight is None else out * up(weight)
    out = out if bias is None else out + up(bias)
    return out.to(like.dtype)


def _group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    cudnn_enabled: bool = True,
) -> Tensor:
    like = F.group_norm(input.detach(), num_groups, detached(weight), detached(bias), eps)
    groups = up(input).unflatten(1, (num_groups, -1))
    out = _standardized(groups, tuple(range(2, groups.dim())), eps).flatten(1, 2)
    return _affine(out, weight, bias, like)


def _batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    dims = (0, *range(2, input.dim()))
    return _by_statistics(
        F.batch_norm, dims, input, running_mean, running_var, weight, bias, training, momentum, eps
    )


def _instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    dims = tuple(range(2, input.dim()))
    return _by_statistics(
        F.instance_norm,
        dims,
        input,
        running_mean,
        running_var,
        weight,
        bias,
        use_input_stats,
        momentum,
        eps,
    )


def _by_statistics(
    func: Callable[..., Tensor],
    dims: tuple[int, ...],
    input: Tensor,
    mean: Tensor | None,
    var: Tensor | None,
    weight: Tensor | None,
    bias: Tensor | None,
    of_input: bool,
    momentum: float,
    eps: float,
) -> Tensor:
    like = func(
        input.detach(), mean, var, detached(weight), detached(bias), of_input, momentum, eps
    )
    x = up(input)
    if of_input or mean is None or var is None:
        return _affine(_standardized(x, dims, eps), weight, bias, like)
    ones = (1,) * (x.dim() - 2)
    scale = torch.rsqrt(up(var) + eps)
    out = (x - up(mean).reshape(-1, *ones)) * scale.reshape(-1, *ones)
    return _affine(out, weight, bias, like)


def _reordered(rule: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Take the arguments in the order of ``torch.batch_norm``, not of ``F.batch_norm``."""

    def run(
        input: Tensor,
        weight: Tensor | None,
        bias: Tensor | None,
        running_mean: Tensor | None,
        running_var: Tensor | None,
        *rest: Any,
        cudnn_enabled: bool = True,
        **kwargs: Any,
    ) -> Tensor:
        return rule(input, running_mean, running_var, weight, bias, *rest[:3], **kwargs)

    return run


def weight_norm(v: Tensor, g: Tensor, dim: int = 0) -> Tensor:
    """Return ``g * v / ||v||``, with the norm over all dimensions but one; -1: over all."""
    rows = v.reshape(1, -1) if dim == -1 else v.movedim(dim, 0).reshape(v.shape[dim], -1)
    return v * (g / vector_norm(rows, dim=1).reshape(g.shape))


RULES: Rules = {
    F.layer_norm: _layer_norm,
    torch.layer_norm: _layer_norm,
    F.batch_norm: _batch_norm,
    torch.batch_norm: _reordered(_batch_norm),
    F.instance_norm: _instance_norm,
    torch.instance_norm: _reordered(_instance_norm),
    torch._weight_norm: rounded_once(weight_norm, torch._weight_norm),
    F.group_norm: in_forward_mode(_group_norm, F.group_norm),
    torch.group_norm: in_forward_mode(_group_norm, torch.group_norm),
}
