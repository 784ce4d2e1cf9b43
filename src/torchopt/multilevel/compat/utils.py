"""Betty's helpers."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import torch
from torch import distributed as dist
from torch import nn

from torchopt import checks

__all__ = [
    "convert_tensor",
    "count_parameters",
    "flatten_list",
    "get_dtype",
    "get_grad_norm",
    "get_param_index",
    "get_weight_norm",
    "log_from_loss_dict",
    "neg_with_none",
    "replace_none_with_zero",
    "to_vec",
]


def of_config(name: str) -> Any:
    """Return a property that is a field of ``self.config``, and of its own copy once it is set."""

    def assign(self: Any, value: Any) -> None:
        self.config = copy.copy(self.config)
        setattr(self.config, name, value)

    return property(lambda self: getattr(self.config, name), assign, doc=f"``config.{name}``.")


def instead_of(table: Mapping[str, str], name: str) -> None:
    """Raise ``AttributeError`` if Betty has an attribute that is not here."""
    if name in table:
        raise AttributeError(f"Betty's `{name}` is not here: {table[name]}.")


def warn_of_unused(whose: str, table: Mapping[str, str], names: Iterable[str]) -> None:
    """Warn of what a program defines and Betty uses, but not this library."""
    for name in names:
        if name in table:
            checks.warn(f"{whose} defines `{name}`, which nothing calls here: {table[name]}.")


def with_alias(module: nn.Module) -> nn.Module:
    """Return a module whose ``module`` is itself, as if ``DistributedDataParallel`` had wrapped it."""
    if not hasattr(module, "module"):
        module.__dict__["module"] = module  # no submodule: it is not in `state_dict`
    return module


def convert_tensor(item: Any, device: Any = None) -> Any:
    """Return a tensor on a device, and anything else as it is."""
    return item.to(device) if isinstance(item, torch.Tensor) else item


def get_dtype(precision: str) -> torch.dtype:
    """Return the data type of ``"fp32"``, ``"bf16"`` or ``"fp16"``."""
    return {"fp16": torch.float16, "bf16": torch.bfloat16}.get(precision, torch.float32)


def get_grad_norm(parameters: Any) -> float:
    """Return the *squared* norm of all gradients, as in Betty; -1 if it is not finite."""
    tensors = [parameters] if isinstance(parameters, torch.Tensor) else list(parameters)
    return get_weight_norm([p.grad for p in tensors if p.grad is not None])


def get_weight_norm(parameters: Any) -> float:
    """Return the *squared* norm of all parameters, as in Betty; -1 if it is not finite."""
    tensors = [parameters] if isinstance(parameters, torch.Tensor) else list(parameters)
    total = sum(float(t.detach().float().norm()) ** 2 for t in tensors)
    return total if math.isfinite(total) else -1.0


def flatten_list(regular_list: Iterable[Iterable[Any]]) -> list[Any]:
    """Return the elements of the lists in a list."""
    return [item for sublist in regular_list for item in sublist]


def get_param_index(param: Any, param_list: Iterable[Any]) -> int | None:
    """Return the place of a parameter in a list; None if it is not there."""
    return next((index for index, p in enumerate(param_list) if p is param), None)


def log_from_loss_dict(loss_dict: Mapping[str, Any]) -> str:
    """Return metrics as a line of text."""
    outputs = []
    for key, values in loss_dict.items():
        several = isinstance(values, dict | list)
        for index, value in enumerate(values) if several else [("", values)]:
            number = value.item() if isinstance(value, torch.Tensor) else value
            outputs.append(f"{key}_{index}: {number}" if several else f"{key}: {number}")
    return " || ".join(outputs)


def to_vec(tensor_list: Iterable[torch.Tensor], alpha: float = 1.0) -> torch.Tensor:
    """Return tensors as one vector, times a number."""
    return torch.cat([alpha * t.reshape(-1) for t in tensor_list])


def count_parameters(tensor_list: Iterable[torch.Tensor]) -> int:
    """Return how many elements tensors have."""
    return sum(tensor.numel() for tensor in tensor_list)


def neg_with_none(a: Any) -> Any:
    """Return minus a tensor, or None for None."""
    return None if a is None else -a


def replace_none_with_zero(
    tensor_list: Sequence[Any], reference: Sequence[torch.Tensor]
) -> tuple[torch.Tensor, ...]:
    """Return tensors, with zeros like the reference for None."""
    pairs = zip(tensor_list, reference, strict=True)
    return tuple(torch.zeros_like(r) if t is None else t for t, r in pairs)


def is_one_of_several() -> bool:
    """Whether this process is one of several of a process group."""
    return dist.is_available() and dist.is_initialized() and dist.get_world_size() > 1
