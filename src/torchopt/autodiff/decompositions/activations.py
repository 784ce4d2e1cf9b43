"""Activation functions."""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from torchopt.autodiff.decompositions.wrappers import Rules, in_forward_mode, rounded_once, up


def _activation(formula: Callable[[Tensor], Tensor]) -> Callable[..., Tensor]:
    def run(input: Tensor, inplace: bool = False) -> Tensor:
        # The formula's graph keeps what it is given, which is written over.
        out = formula(up(input.clone() if inplace else input)).to(input.dtype)
        return input.copy_(out) if inplace else out

    return run


def _hardsigmoid(x: Tensor) -> Tensor:
    return torch.where((x > -3) & (x < 3), x / 6 + 0.5, (x >= 3).to(x.dtype))


def _glu(input: Tensor, dim: int = -1) -> Tensor:
    a, b = input.chunk(2, dim)
    return a * b.sigmoid()


def _logit(input: Tensor, eps: float | None = None) -> Tensor:
    x = input if eps is None else input.clamp(eps, 1 - eps)
    return x.log() - (1 - x).log()


RULES: Rules = {
    F.glu: in_forward_mode(rounded_once(_glu, F.glu), F.glu),
    F.hardsigmoid: _activation(_hardsigmoid),
    F.silu: in_forward_mode(_activation(lambda x: x * x.sigmoid()), F.silu),
    F.mish: in_forward_mode(_activation(lambda x: x * F.softplus(x).tanh()), F.mish),
    **{
        func: in_forward_mode(rounded_once(_logit, func), func)
        for func in (torch.logit, torch.special.logit, Tensor.logit)
    },
}
