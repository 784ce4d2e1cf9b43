"""Sums over all leaves of a tree, and products of all leaves with a scalar."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import torch

from torchopt.autodiff.gradients import value_and_gradient
from torchopt.autodiff.loops import wide
from torchopt.prox.vectors import length
from torchopt.pytree import flattening as pytree


def dtypes_of(leaves: Sequence[Any]) -> tuple[torch.dtype, torch.dtype, torch.device]:
    """Return the dtype of fewest and of most bits among leaves, and the device of the first.

    They are float32 at least: in 16 bits a loss overflows, or its decrease is rounded away.
    """
    present = [x for x in leaves if x is not None] or [torch.empty((), device="cpu")]
    dtypes = {torch.promote_types(x.dtype, torch.float32) for x in present}
    lowest = min(dtypes, key=lambda d: torch.finfo(d).bits)
    return lowest, functools.reduce(torch.promote_types, dtypes), present[0].device


def times(scale: torch.Tensor, tree: Any) -> Any:
    """Return all leaves times a scalar tensor, in their own dtypes."""
    return pytree.map_leaves(lambda x: (scale.to(x.device) * x).to(x.dtype), tree)


def dot(x: Any, y: Any) -> torch.Tensor:
    """Return the inner product of two trees, in float32 at least; a leaf that is None counts zero."""
    pairs = zip(pytree.leaves(x), pytree.leaves(y), strict=True)
    terms = [(wide(a) * wide(b)).sum() for a, b in pairs if a is not None and b is not None]
    if not terms:
        return torch.zeros((), device="cpu")
    first = terms[0]
    return sum((t.to(first.device) for t in terms[1:]), first)


def norm(x: Any) -> torch.Tensor:
    """Return the 2-norm of a tree; its derivative at zero is zero."""
    lengths = [length(wide(t).flatten())[0] for t in pytree.leaves(x) if t is not None]
    if not lengths:
        return torch.zeros((), device="cpu")
    first = lengths[0]
    dtype = functools.reduce(torch.promote_types, (n.dtype for n in lengths))
    return length(torch.stack([n.to(first.device, dtype) for n in lengths]))[0]


def gradient_at(value_fn: Callable[[Any], torch.Tensor], params: Any, *, track: bool) -> Any:
    """Return the gradient of a loss, with a graph if ``track`` and in grad mode."""
    return value_and_gradient(value_fn, params, track=track)[1]
