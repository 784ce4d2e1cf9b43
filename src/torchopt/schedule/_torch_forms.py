"""Closed forms of the schedulers of ``torch.optim`` that no other schedule here has."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch

from torchopt.io.calls import Partial, records_call
from torchopt.pytree.typing import Numeric, Schedule
from torchopt.schedule._arguments import elapsed, minimum
from torchopt.schedule._transition import cosine, interpolate
from torchopt.transform.hyperparameters import as_float


@records_call
def multiplied(*factors: Any) -> Schedule:
    """Return a product of numbers and schedules."""
    return Partial(_multiplied, factors=factors)


def _multiplied(count: Numeric, *, factors: tuple[Any, ...]) -> Any:
    now, product = elapsed(count, 0), 1.0
    for factor in factors:
        product = product * (factor(now) if callable(factor) else factor)
    return product


@records_call
def tabulated(values: Sequence[float]) -> Schedule:
    """Return a schedule that has these values, and then the last one."""
    return Partial(_tabulated, values=tuple(values))


def _tabulated(count: Numeric, *, values: tuple[float, ...]) -> Any:
    if not isinstance(count, torch.Tensor):
        return values[min(int(count), len(values) - 1)]
    table = as_float(torch.tensor(values, dtype=torch.float64, device=count.device))
    index = count.to(torch.int64).clamp(0, len(values) - 1)
    return table.index_select(0, index.reshape(1)).reshape(())


@records_call
def cosine_annealing(lr: Any, T_max: float, eta_min: Any) -> Schedule:
    """Return a schedule that swings between two values, of period ``2 T_max``."""
    return Partial(_cosine_annealing, lr=lr, half=T_max, eta_min=eta_min)


def _cosine_annealing(count: Numeric, *, lr: Any, half: float, eta_min: Any) -> Any:
    return interpolate(lr, eta_min, cosine(1 - elapsed(count, 0) / half))


@records_call
def warm_restarts(lr: Any, T_0: int, T_mult: int, eta_min: Any) -> Schedule:
    """Return a schedule of halves of cosines, each ``T_mult`` times as long as the one before."""
    return Partial(_warm_restarts, lr=lr, first=T_0, growth=T_mult, eta_min=eta_min)


def _warm_restarts(count: Numeric, *, lr: Any, first: int, growth: int, eta_min: Any) -> Any:
    since = elapsed(count, 0) / first  # in lengths of the first
    length: Any = 1
    if growth > 1:
        total = since * (growth - 1) + 1
        log = total.log() if isinstance(total, torch.Tensor) else math.log(total)
        cycle = log / math.log(growth) + 1e-9  # a restart is not missed by rounding
        length = float(growth) ** (cycle - cycle % 1)
        since = since - (length - 1) / (growth - 1)
    return interpolate(lr, eta_min, cosine(1 - since % length / length))


@records_call
def cyclic(
    lr: Any,
    max_lr: Any,
    total_size: float,
    step_ratio: float,
    scale: Callable[[Any], Any] | float,
    *,
    by_cycle: bool,
) -> Schedule:
    """Return a schedule of triangles, whose heights are scaled.

    Args:
        lr: The least value.
        max_lr: The largest value, where the scale is 1.
        total_size: The number of steps of a triangle.
        step_ratio: The share of it in which the value rises.
        scale: A function of the count or, with ``by_cycle``, of the number of the triangle from 1
            on. Or a number: its power with the count or the number of the triangle from 0 on.
        by_cycle: What ``scale`` depends on.
    """
    return Partial(
        _cyclic,
        lr=lr,
        max_lr=max_lr,
        size=total_size,
        ratio=step_ratio,
        scale=scale,
        by_cycle=by_cycle,
    )


def _cyclic(
    count: Numeric, *, lr: Any, max_lr: Any, size: float, ratio: float, scale: Any, by_cycle: bool
) -> Any:
    now = elapsed(count, 0)
    share = now / size % 1
    at = now / size - share + 1 if by_cycle else now
    # A triangle is the lower of two lines; the second is vertical if the ratio is 1.
    height = minimum(share / ratio, (1 - share) / max(1 - ratio, 1e-30))
    return lr + (max_lr - lr) * height * (
        scale(at) if callable(scale) else scale ** (at - int(by_cycle))
    )
