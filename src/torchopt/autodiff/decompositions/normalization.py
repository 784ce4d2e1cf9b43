"""Batch, instance, layer, group and weight normalization.

PyTorch's own runs too, without a graph: it checks the arguments, updates the running statistics and
says the dtype.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from torchopt.autodiff.decompositions.wrappers import Rules, in_forward_mode, rounded_once, up

_AFFINE = ("weight", "bias")
_STATISTICS = ("running_mean", "running_var")
NAMES: dict[Callable[..., Tensor], tuple[str, ...]] = {
    F.layer_norm: ("input", "normalized_shape", *_AFFINE, "eps"),
    torch.layer_norm: ("input", "normalized_shape", *_AFFINE, "eps", "cudnn_enable"),
    F.group_norm: ("input", "num_groups", *_AFFINE, "eps"),
    torch.group_norm: ("input", "num_groups", *_AFFINE, "eps", "cudnn_enabled"),
    F.batch_norm: ("input", *_STATISTICS, *_AFFINE, "training", "momentum", "eps"),
    torch.batch_norm: (
        *("input", *_AFFINE, *_STATISTICS, "training", "momentum", "eps", "cudnn_enabled"),
    ),
    F.instance_norm: ("input", *_STATISTICS, *_AFFINE, "use_input_stats", "momentum", "eps"),
    torch.instance_norm: (
        *("input", *_AFFINE, *_STATISTICS, "use_input_stats", "momentum", "eps", "cudnn_enabled"),
    ),
}
"""The names of arguments in their order."""
_OF_LAYERS = (F.layer_norm, torch.layer_norm)


def _uses_input(func: Callable[..., Tensor], given: dict[str, Any]) -> bool:
    """Whether a normalization is by statistics of its input, not by running ones."""
    return bool(given.get("training", given.get("use_input_stats", func is not F.batch_norm)))


def written_statistics(
    func: Callable[..., Tensor], args: Sequence[Any], kwargs: dict[str, Any]
) -> list[Tensor]:
    """Return the running statistics that a normalization writes to."""
    given = dict(zip(NAMES[func], args, strict=False)) | kwargs
    if not _uses_input(func, given):
        return []
    return [t for name in _STATISTICS if (t := given.get(name)) is not None]


def scaled_and_shifted(
    func: Callable[..., Tensor], x: Tensor, weight: Tensor | None, bias: Tensor | None
) -> Tensor:
    """Return what a normalization makes of standardized values by its weight and bias."""
    ones = (1,) * (0 if func in _OF_LAYERS else x.dim() - 2)  # behind the channels
    x = x if weight is None else x * weight.reshape(*weight.shape, *ones)
    return x if bias is None else x + bias.reshape(*bias.shape, *ones)


def _standardized(x: Tensor, dims: Iterable[int], eps: float) -> Tensor:
    dims = tuple(dims)
    centred = x - x.mean(dims, keepdim=True)
    return centred * torch.rsqrt((centred * centred).mean(dims, keepdim=True) + eps)


def _by_shape(x: Tensor, eps: float, normalized_shape: Sequence[int], **_: Any) -> Tensor:
    return _standardized(x, range(-len(normalized_shape), 0), eps)


def _by_group(x: Tensor, eps: float, num_groups: int, **_: Any) -> Tensor:
    groups = x.unflatten(1, (num_groups, -1))
    return _standardized(groups, range(2, groups.dim()), eps).flatten(1, 2)


def _by_batch(x: Tensor, eps: float, **_: Any) -> Tensor:
    return _standardized(x, (0, *range(2, x.dim())), eps)


def _by_instance(x: Tensor, eps: float, **_: Any) -> Tensor:
    return _standardized(x, range(2, x.dim()), eps)


def _rule(func: Callable[..., Tensor], standardized: Callable[..., Tensor]) -> Any:
    names = NAMES[func]

    def run(*args: Any, **kwargs: Any) -> Tensor:
        given = dict(zip(names, args, strict=False)) | kwargs
        if _STATISTICS[0] in names and not _uses_input(func, given):  # it is linear, and right
            return func(**given)
        x, weight, bias = given.pop("input"), given.pop("weight", None), given.pop("bias", None)
        w, b = [t if t is None else t.detach() for t in (weight, bias)]
        like = func(input=x.detach(), weight=w, bias=b, **given)
        out = standardized(up(x), given.pop("eps", 1e-5), **given)
        return scaled_and_shifted(func, out, up(weight), up(bias)).to(like.dtype)

    return run


def weight_norm(v: Tensor, g: Tensor, dim: int = 0) -> Tensor:
    """Return ``g * v / ||v||``, with the norm over all dimensions but one; -1: over all."""
    rows = v.reshape(1, -1) if dim == -1 else v.movedim(dim, 0).reshape(v.shape[dim], -1)
    return v * (g / rows.square().sum(1).sqrt().reshape(g.shape))


RULES: Rules = {
    torch._weight_norm: rounded_once(weight_norm, torch._weight_norm),
    **dict.fromkeys(_OF_LAYERS, _rule(torch.layer_norm, _by_shape)),
    **{func: _rule(func, _by_batch) for func in (F.batch_norm, torch.batch_norm)},
    **{func: _rule(func, _by_instance) for func in (F.instance_norm, torch.instance_norm)},
    **{
        func: in_forward_mode(_rule(func, _by_group), func)
        for func in (F.group_norm, torch.group_norm)
    },
}
