"""Transformations that a user writes by `leafwise` and by `reduced`, and the same written by hand."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from torchopt import transform


class SumsState(NamedTuple):
    """Sums of squares along each axis, momentum, the whole sum of what has no axes, and counters."""

    sums: Any
    trace: Any
    whole: Any
    count: Any
    step: Any = ()


def axes(leaf: torch.Tensor) -> Any:
    """Return a sum for each axis."""
    return tuple(leaf.new_zeros(n) for n in leaf.shape) if leaf.dim() else None


def whole(leaf: torch.Tensor) -> Any:
    """Return the sum of a leaf without axes."""
    return None if leaf.dim() else leaf.new_zeros(1)


def by_axes(g: Any, p: Any, sums: Any, trace: Any, whole: Any, *, decay: Any, t: Any) -> Any:
    """Return the momentum divided by sums along the axes."""
    square = (g + 0.1 * p).square()
    trace = decay * trace + g
    if sums is None:
        whole = whole + square
        return trace / (whole.sum() + t), None, trace, whole
    new, scale = [], 1.0
    for axis, old in enumerate(sums):
        others = [a for a in range(g.dim()) if a != axis]
        new.append(decay * old + (square.sum(others) if others else square))
        scale = scale * new[-1].reshape([-1 if a == axis else 1 for a in range(g.dim())])
    return trace / (scale + t), tuple(new), trace, None


def _time(t: Any, **_: Any) -> dict[str, Any]:
    return {"t": t}


def along_axes(decay: Any = 0.9) -> Any:
    """Return a transformation whose slots are a tuple, a tensor like the leaf, and None."""
    return transform.leafwise(
        by_axes,
        state=SumsState,
        slots={"sums": axes, "trace": 0.0, "whole": whole},
        hyper={"decay": decay},
        scalars=_time,
        needs_params=True,
    )


def along_axes_by_hand(params: Any, gradients: Any, decay: float = 0.9) -> Any:
    """Return the last updates, computed leaf by leaf without the library."""
    out = {}
    for name, p in params.items():
        sums, trace, total = axes(p), torch.zeros_like(p), whole(p)
        for t, grads in enumerate(gradients, start=1):
            u, sums, trace, total = by_axes(grads[name], p, sums, trace, total, decay=decay, t=t)
        out[name] = u
    return out


class NormState(NamedTuple):
    """Momentum, the parameters at the start, a running norm, and counters."""

    mu: Any
    start: Any
    norm: Any
    count: Any
    step: Any = ()


def _prepare(
    g: Any, p: Any, mu: Any, start: Any, *, momentum: Any, norm: Any, count: Any, rate: Any
) -> dict[str, Any]:
    rows = [*zip(g, p, mu, start, strict=True)]
    square = sum(((momentum * m + x) ** 2 + (y - z) ** 2).sum() for x, y, m, z in rows)
    size = sum(x.numel() for x in g)
    new = norm * rate + (square / size).sqrt() / count
    return {"norm": new, "before": norm, "size": size}


def _by_norm(
    g: Any, p: Any, mu: Any, start: Any, *, b: Any, norm: Any, before: Any, size: Any
) -> tuple[Any, ...]:
    mu = b * mu + g
    return (mu / norm + before * p / size), mu, start


def _itself(p: torch.Tensor) -> torch.Tensor:
    return p


def by_running_norm(over: Any = "leaf", *, b: Any = 0.8, rate: Any = 0.5, **options: Any) -> Any:
    """Return a transformation that reads sums over leaves or over trees, and keeps a number."""
    return transform.reduced(
        _by_norm,
        prepare=_prepare,
        over=over,
        memory={"norm": ("scale", 0.3)},
        state=NormState,
        slots={"mu": 0.0, "start": _itself},
        hyper={"b": b, "momentum": b["b"] if isinstance(b, dict) else b, "rate": rate},
        needs_params=True,
        **options,
    )


def running_norm_by_hand(params: Any, gradients: Any, over: str, b: Any, rate: Any) -> Any:
    """Return the updates of the last step."""
    groups = [[k] for k in params] if over == "leaf" else [[*params]]
    updates = {}
    for group in groups:
        norm, mu = 0.3, dict.fromkeys(group, 0.0)
        p = {k: params[k] for k in group}
        for t, grads in enumerate(gradients, start=1):
            mu = {k: b * mu[k] + grads[k] for k in group}
            square = sum((mu[k] ** 2 + (p[k] - params[k]) ** 2).sum() for k in group)
            size = sum(p[k].numel() for k in group)
            before, norm = norm, norm * rate + (square / size).sqrt() / t
            u = {k: mu[k] / norm + before * p[k] / size for k in group}
            p = {k: p[k] + u[k] for k in group}
        updates |= u
    return {k: updates[k] for k in params}
