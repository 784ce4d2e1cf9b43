"""Wrappers of rules: which dtype they compute in, who checks their arguments, when they apply."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeAlias

import torch
from torch import Tensor
from torch.autograd import forward_ad

from torchopt.autodiff.tracking import constant
from torchopt.pytree import flattening as pytree

Rules: TypeAlias = dict[Callable[..., Any], Callable[..., Any]]
"""By function of PyTorch, the rule that replaces it."""

_HALF = (torch.float16, torch.bfloat16)


def up(x: Any) -> Any:
    """Return a half-precision tensor in float32, and anything else as it is."""
    return x.float() if isinstance(x, Tensor) and x.dtype in _HALF else x


def rounded_once(
    rule: Callable[..., Any], func: Callable[..., Any], *, checks: bool = False
) -> Callable[..., Any]:
    """Compute in float32 where the operator is given halves, as the fused kernel does.

    Args:
        rule: What computes it.
        func: The operator.
        checks: Whether PyTorch's own, without a graph, checks the arguments and says the dtype.
    """

    @functools.wraps(rule)
    def run(*args: Any, **kwargs: Any) -> Any:
        tensors = [x for x in (*args, *kwargs.values()) if isinstance(x, Tensor)]
        x = next((x for x in tensors if x.is_floating_point() or x.is_complex()), None)
        if x is None:  # there is no derivative, or the call is wrong
            return func(*args, **kwargs)
        autocast = torch.is_autocast_enabled(x.device.type)
        if x.dtype not in _HALF and not (autocast or checks):
            return rule(*args, **kwargs)
        # What autocast does differs between operators and devices.
        dtype = _native(func, args, kwargs).dtype if autocast or checks else x.dtype
        with torch.autocast(x.device.type, enabled=False):
            args, kwargs = pytree.map_leaves(up, (args, kwargs))
            return rule(*args, **kwargs).to(dtype)

    return run


checked = functools.partial(rounded_once, checks=True)


def in_forward_mode(rule: Callable[..., Any], func: Callable[..., Any]) -> Callable[..., Any]:
    """Leave an operator alone that lacks nothing but derivatives with dual numbers in them."""

    @functools.wraps(rule)
    def run(*args: Any, **kwargs: Any) -> Any:
        return (rule if forward_ad._current_level >= 0 else func)(*args, **kwargs)

    IN_FORWARD_MODE[run] = rule
    return run


IN_FORWARD_MODE: Rules = {}
"""What such a rule is in forward mode."""


def _native(func: Callable[..., Tensor], args: Any, kwargs: Any) -> Tensor:
    args, kwargs = constant((args, kwargs))
    return func(*args, **kwargs)
