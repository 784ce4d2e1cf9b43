"""Rules of forward mode that an outer level of forward mode differentiates.

PyTorch calls the ``jvp`` of a custom function with forward mode turned off, and with saved tensors
that still have the tangents of this level. A ``jvp`` of a ``jvp`` is then wrong, without an error.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch.autograd import forward_ad


def nested_jvp(rule: Callable[..., Any]) -> Callable[..., Any]:
    """Return the ``jvp`` of a custom function from ``rule(saved, *tangents)``.

    Args:
        rule: The tangents of the outputs: a tensor or a tuple of tensors. ``saved`` are the saved
            tensors, without tangents of this level.
    """

    @functools.wraps(rule)
    def jvp(ctx: Any, *tangents: torch.Tensor | None) -> Any:
        saved = tuple(map(_primal, ctx.saved_tensors))
        with forward_ad._set_fwd_grad_enabled(True):
            out = rule(saved, *tangents)
            return tuple(map(_primal, out)) if isinstance(out, tuple) else _primal(out)

    return jvp


def _primal(t: torch.Tensor) -> torch.Tensor:
    return forward_ad.unpack_dual(t).primal
