"""Attention and recurrent layers, and functions of PyTorch that are written in Python."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from torchopt.autodiff.decompositions.wrappers import Rules, in_forward_mode, up


def _attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    mask, device = attn_mask, query.device.type
    boolean = mask is not None and mask.dtype == torch.bool
    refused = mask is not None and (is_causal or not (boolean or mask.is_floating_point()))
    if refused or query.is_nested:
        return F.scaled_dot_product_attention(
            query, key, value, mask, dropout_p, is_causal, scale=scale, enable_gqa=enable_gqa
        )
    dtype = query.dtype
    if torch.is_autocast_enabled(device) and dtype != torch.float64:
        dtype = torch.get_autocast_dtype(device)
    with torch.autocast(device, enabled=False):
        query, key, value, mask = (up(x) for x in (query, key, value, mask))
        if enable_gqa:
            groups = query.shape[-3] // key.shape[-3]
            key, value = (x.repeat_interleave(groups, -3) for x in (key, value))
        scores = query @ key.mT * (query.shape[-1] ** -0.5 if scale is None else scale)
        if is_causal:
            mask = torch.ones(scores.shape[-2:], dtype=torch.bool, device=query.device).tril()
            boolean = True
        if mask is not None:
            scores = torch.where(mask, scores, -torch.inf) if boolean else scores + mask
            # A row without any key attends to nothing; selected before the softmax, which is NaN.
            empty = (scores == -torch.inf).all(-1, keepdim=True)
            scores = torch.where(empty, 0.0, scores)
        weights = scores.softmax(-1)
        if mask is not None:
            weights = torch.where(empty, 0.0, weights)
        return (_dropout(weights, dropout_p) @ value).to(dtype)


def _dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """As PyTorch has it on a CPU: what it fuses elsewhere has a gradient without forward mode."""
    if input.is_cpu or inplace or not (training and 0 < p < 1):
        return F.dropout(input, p, training, inplace)
    kept = torch.native_dropout(input.detach(), p, True)[1]
    return input * kept * (1 / (1 - p))


def _recurrent(func: Callable[..., Any]) -> Callable[..., Any]:
    """By kernels with forward derivatives, which oneDNN has none of, nor has a GPU."""

    @functools.wraps(func)
    def run(input: Tensor, *args: Any) -> Any:
        if input.is_cpu:
            with _without(torch.backends.mkldnn):
                return func(input, *args)
        # Their arguments differ from the third on: `has_biases`, or parameters of packed sequences.
        name = "input" if isinstance(args[2], bool) else "data"
        overload = getattr(getattr(torch.ops.aten, func.__name__), name)
        return _written_in_operations(overload)(input, *args)

    return run


@functools.cache
def _written_in_operations(overload: Any) -> Callable[..., Any]:
    """Return PyTorch's own decomposition of an operator; its table takes a tenth of a second."""
    return torch.export.default_decompositions()[overload]


def _twice(func: Callable[..., Any]) -> Callable[..., Any]:
    """Without cuDNN, whose recurrent layers have no second derivative."""

    @functools.wraps(func)
    def run(input: Tensor, *args: Any) -> Any:
        if input.is_cpu:
            return func(input, *args)
        with _without(torch.backends.cudnn):
            return func(input, *args)

    return run


@contextmanager
def _without(backend: Any) -> Iterator[None]:
    before, backend.enabled = backend.enabled, False
    try:
        yield
    finally:
        backend.enabled = before


_QUESTIONS = ("has_torch_function", "has_torch_function_unary", "has_torch_function_variadic")


def _projections(
    q: Tensor, k: Tensor, v: Tensor, w: Tensor, b: Tensor | None = None
) -> list[Tensor]:
    """Return what _attention reads; torch.compile cannot trace PyTorch's own in a mode."""
    if q is k and k is v:
        return [x.contiguous() for x in F.linear(q, w, b).chunk(3, -1)]
    biases = (None,) * 3 if b is None else b.chunk(3)
    return [F.linear(x, a, c) for x, a, c in zip((q, k, v), w.chunk(3), biases, strict=True)]


def _without_question(func: Any) -> types.FunctionType:
    """Return a copy that does not ask whether a mode is on, so that it can run with the mode on."""
    namespace = func.__globals__ | dict.fromkeys(_QUESTIONS, lambda *_: False)
    namespace["_in_projection_packed"] = _projections
    copy = types.FunctionType(
        func.__code__, namespace, func.__name__, func.__defaults__, func.__closure__
    )
    copy.__kwdefaults__ = func.__kwdefaults__
    return copy


# Written in Python, they call some of the above, or what users give them.
# A mode that is asked about one of them is off meanwhile.
COMPOSITES: dict[Callable[..., Any], Callable[..., Any]] = {
    func: _without_question(func)
    for func in (
        F.multi_head_attention_forward,
        F.triplet_margin_with_distance_loss,
    )
}


RULES: Rules = {
    F.scaled_dot_product_attention: _attention,
    F.dropout: in_forward_mode(_dropout, F.dropout),
    **{
        func: in_forward_mode(_recurrent(func), _twice(func))
        for func in (torch.lstm, torch.gru, torch.rnn_tanh, torch.rnn_relu)
    },
}
