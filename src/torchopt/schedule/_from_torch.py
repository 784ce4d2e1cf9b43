"""Schedules with the learning rates of the schedulers of ``torch.optim``."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from torch.optim import lr_scheduler as theirs
from torch.optim.lr_scheduler import LRScheduler
from torch.optim.swa_utils import SWALR

from torchopt import checks
from torchopt.pytree.typing import Schedule
from torchopt.schedule._constant import constant_schedule
from torchopt.schedule._exponential import exponential_decay_schedule
from torchopt.schedule._join import join_schedules
from torchopt.schedule._piecewise_constant import piecewise_constant_schedule
from torchopt.schedule._piecewise_interpolate import SHAPES, between
from torchopt.schedule._polynomial import linear_schedule, polynomial_schedule
from torchopt.schedule._torch_forms import (
    cosine_annealing,
    cyclic,
    multiplied,
    tabulated,
    warm_restarts,
)


def from_torch(
    scheduler: LRScheduler, group: int | None = None, *, steps: int | None = None
) -> Schedule:
    """Return the learning rates of a scheduler of ``torch.optim`` as a schedule.

    The value at a count is the learning rate of ``torch.optim`` after as many ``scheduler.step()``,
    also if the scheduler has stepped already. In the closed forms, a learning rate that is a tensor
    stays one.

    ============================================  ================================================
    scheduler                                     schedule
    ============================================  ================================================
    ``ConstantLR``                                two constants, joined
    ``LinearLR``, ``PolynomialLR``                :func:`linear_schedule`, :func:`polynomial_schedule`
    ``ExponentialLR``, ``StepLR``                 :func:`exponential_decay_schedule`
    ``MultiStepLR``                               :func:`piecewise_constant_schedule`
    ``CosineAnnealingLR``                         halves of cosines, down and up again
    ``CosineAnnealingWarmRestarts``               halves of cosines, each longer than the one before
    ``OneCycleLR``                                two or three interpolations; then the last value
    ``CyclicLR``                                  triangles
    ``LambdaLR``                                  the function itself, or a table
    ``MultiplicativeLR``                          a table
    ``SequentialLR``                              :func:`join_schedules`, or a table
    ``ChainedScheduler``                          a product of the first four rows, or a table
    ``torch.optim.swa_utils.SWALR``               an interpolation; then the last value
    ============================================  ================================================

    Args:
        scheduler: A scheduler of exactly one of these classes. Of ``OneCycleLR`` and ``CyclicLR``, the
            learning rate is taken, not the momentum.
        group: The index of the group in ``optimizer.param_groups``. None is for an optimizer with
            one group. For several, pass a tree of schedules as the learning rate.
        steps: Numbers of this many steps are computed now and stored: a table. It has no derivatives,
            and its last value stays. Required for ``MultiplicativeLR``, and for a ``ChainedScheduler``
            or ``SequentialLR`` that has no closed form. Of ``LambdaLR``, pass it if the function does
            not take a tensor: without it, an optimizer calls the function with a float64 tensor. It has
            no effect on other schedulers.

    Returns:
        A function of the step count, as of :func:`polynomial_schedule`.

    Raises:
        TypeError: If the scheduler is of another class. ``ReduceLROnPlateau`` depends on a metric; see
            :func:`torchopt.transform.reduce_on_plateau`.
        ValueError: If ``group`` is missing or out of range, or ``steps`` is missing or not positive.

    Example:
        >>> import torch
        >>> optimizer = torch.optim.SGD([torch.zeros(1)], lr=0.8)
        >>> schedule = from_torch(torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5))
        >>> [schedule(count) for count in range(6)]
        [0.8, 0.8, 0.4, 0.4, 0.2, 0.2]
    """
    checks.check_count("steps", steps, 1, of="steps", optional=True)
    _check(scheduler)
    groups = len(scheduler.optimizer.param_groups)
    if group is None and groups > 1:
        raise ValueError(
            f"the optimizer has {groups} parameter groups: pass `group`, the index of one of them."
        )
    index = group or 0
    if not -groups <= index < groups:
        raise ValueError(f"`group` is {group}, but the optimizer has {groups} parameter groups.")
    lr = _initial_lr(scheduler, index)
    form = _closed_form(scheduler, index, lr, tables=steps is not None)
    if form is not None:
        return form
    if steps is None:
        raise ValueError(
            f"a {_text(scheduler)} has no closed form: pass `steps`, the number of learning rates "
            f"to compute and store."
        )
    values, now = [], float(lr)
    for count in range(steps):
        now = _advance(scheduler, index, now, count)
        values.append(now)
    return tabulated(values)


#: Those that multiply the learning rate at each step: the schedule for an initial learning rate.
_FACTORS: dict[type[Any], Callable[[Any, Any], Schedule]] = {
    theirs.ConstantLR: lambda s, lr: (
        join_schedules([constant_schedule(lr * s.factor), constant_schedule(lr)], [s.total_iters])
        if s.total_iters
        else constant_schedule(lr * s.factor)
    ),
    theirs.LinearLR: lambda s, lr: (
        linear_schedule(lr * s.start_factor, lr * s.end_factor, s.total_iters)
        if s.total_iters
        else constant_schedule(lr * s.start_factor)
    ),
    theirs.PolynomialLR: lambda s, lr: (
        polynomial_schedule(lr, 0.0, s.power, s.total_iters)
        if s.total_iters
        else constant_schedule(lr)
    ),
    theirs.ExponentialLR: lambda s, lr: exponential_decay_schedule(lr, s.gamma),
    theirs.StepLR: lambda s, lr: exponential_decay_schedule(
        lr, s.gamma, transition_steps=s.step_size, staircase=True
    ),
    theirs.MultiStepLR: lambda s, lr: piecewise_constant_schedule(
        lr, {count: s.gamma**times for count, times in s.milestones.items()}
    ),
}

#: Those that set the learning rate at each step: the schedule for a group and initial learning rate.
_SETTERS: dict[type[Any], Callable[[Any, int, Any], Schedule]] = {
    theirs.LambdaLR: lambda s, k, lr: multiplied(lr, s.lr_lambdas[k]),
    theirs.CosineAnnealingLR: lambda s, k, lr: cosine_annealing(lr, s.T_max, s.eta_min),
    theirs.CosineAnnealingWarmRestarts: lambda s, k, lr: warm_restarts(
        lr, s.T_0, s.T_mult, s.eta_min
    ),
    theirs.CyclicLR: lambda s, k, lr: _cyclic(s, k, lr),
    theirs.OneCycleLR: lambda s, k, lr: _one_cycle(s, s.optimizer.param_groups[k]),
    SWALR: lambda s, k, lr: _averaging(s, s.optimizer.param_groups[k]),
}


def _text(scheduler: Any) -> str:
    names = ", ".join(type(part).__name__ for part in _parts(scheduler))
    return type(scheduler).__name__ + (f" of {names}" if names else "")


def _parts(scheduler: Any) -> list[Any]:
    """Return the schedulers of a composed one."""
    composed = type(scheduler) in (theirs.SequentialLR, theirs.ChainedScheduler)
    return [*scheduler._schedulers] if composed else []


def _check(scheduler: Any) -> None:
    """Raise ``TypeError`` unless the learning rates can be computed."""
    cls, parts = type(scheduler), _parts(scheduler)
    if cls not in {*_FACTORS, *_SETTERS, theirs.MultiplicativeLR} and not parts:
        reason = (
            "it depends on a metric; `torchopt.transform.reduce_on_plateau` reads the loss"
            if cls is theirs.ReduceLROnPlateau
            else "write its learning rate as a function of the step"
        )
        raise TypeError(f"a {cls.__name__} cannot be a schedule: {reason}.")
    for part in parts:
        if isinstance(part, (SWALR, theirs.SequentialLR, theirs.ChainedScheduler)):
            raise TypeError(
                f"a {_text(scheduler)} cannot be a schedule: convert its parts, and combine them by "
                f"`join_schedules` or as a product."
            )
        _check(part)


def _initial_lr(scheduler: Any, group: int) -> Any:
    parts = _parts(scheduler)
    return _initial_lr(parts[0], group) if parts else scheduler.base_lrs[group]


def _closed_form(scheduler: Any, group: int, lr: Any, *, tables: bool = False) -> Schedule | None:
    """Return the closed form; None if there is none, or a table is asked for instead."""
    cls, parts = type(scheduler), _parts(scheduler)
    if cls in _FACTORS:
        return _FACTORS[cls](scheduler, lr)
    if cls in _SETTERS and not (tables and cls is theirs.LambdaLR):
        return _SETTERS[cls](scheduler, group, lr)
    if cls is theirs.SequentialLR:
        forms = [_closed_form(s, group, s.base_lrs[group], tables=tables) for s in parts]
        known = [form for form in forms if form is not None]
        return join_schedules(known, scheduler._milestones) if len(known) == len(forms) else None
    if cls is theirs.ChainedScheduler and {*map(type, parts)} <= _FACTORS.keys():
        return multiplied(lr, *(_FACTORS[type(s)](s, 1.0) for s in parts))
    return None


def _advance(scheduler: Any, group: int, lr: float, count: int) -> float:
    """Return the learning rate after the step to a count, given that before."""
    cls = type(scheduler)
    if cls is theirs.ChainedScheduler:
        for part in _parts(scheduler):
            lr = _advance(part, group, lr, count)
        return lr
    if cls is theirs.SequentialLR:
        begins = [0, *scheduler._milestones]
        index = sum(begin <= count for begin in begins) - 1
        part, since = _parts(scheduler)[index], count - begins[index]
        if index and not since:  # all but one begin at the initial learning rate
            if type(part) is theirs.MultiplicativeLR:
                return lr * float(part.lr_lambdas[group](0))
            lr = float(part.base_lrs[group])
        return _advance(part, group, lr, since)
    if cls is theirs.MultiplicativeLR:
        return lr * float(scheduler.lr_lambdas[group](count)) if count else lr
    if cls in _FACTORS:
        form = _FACTORS[cls](scheduler, 1.0)
        before: Any = form(count - 1) if count else 1.0
        return lr * float(form(count)) / before if before else lr
    if cls is theirs.CosineAnnealingLR:
        return _anneal(scheduler, group, lr, count)
    return float(_SETTERS[cls](scheduler, group, scheduler.base_lrs[group])(count))


def _anneal(scheduler: Any, group: int, lr: float, count: int) -> float:
    """Do a step of ``CosineAnnealingLR``, which changes the learning rate that others have changed."""
    half, low = scheduler.T_max, scheduler.eta_min
    if not count:
        return lr
    if (count - 1 - half) % (2 * half) == 0:
        return lr + (float(scheduler.base_lrs[group]) - low) * (1 - math.cos(math.pi / half)) / 2
    now, before = (1 + math.cos(math.pi * t / half) for t in (count, count - 1))
    return now / before * (lr - low) + low


def _cyclic(scheduler: Any, group: int, lr: Any) -> Schedule:
    powers = {"triangular": 1.0, "triangular2": 0.5, "exp_range": scheduler.gamma}
    scale = scheduler._scale_fn_custom or powers[scheduler.mode]
    return cyclic(
        lr,
        scheduler.max_lrs[group],
        scheduler.total_size,
        scheduler.step_ratio,
        scale,
        by_cycle=scheduler.scale_mode == "cycle",
    )


def _one_cycle(scheduler: Any, group: dict[str, Any]) -> Schedule:
    phases = scheduler._schedule_phases
    values = (group[phases[0]["start_lr"]], *(group[phase["end_lr"]] for phase in phases))
    shape = SHAPES["cosine" if scheduler._anneal_func_type == "cos" else "linear"]
    return between(values, tuple(phase["end_step"] for phase in phases), shape)


def _averaging(scheduler: Any, group: dict[str, Any]) -> Schedule:
    steps, last = scheduler.anneal_epochs, group["swa_lr"]
    if steps == 0:
        return constant_schedule(last)
    done = scheduler.anneal_func(min(scheduler.last_epoch / steps, 1))
    # It begins at the learning rate that the scheduler before it had reached.
    first = (group["lr"] - done * last) / (1 - done) if done < 1 else last
    shape = SHAPES["cosine" if scheduler._anneal_strategy == "cos" else "linear"]
    return between((first, last), (steps,), shape)
