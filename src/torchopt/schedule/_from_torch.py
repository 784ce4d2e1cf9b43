"""Schedules with the learning rates of the schedulers of ``torch.optim``."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Mapping
from typing import Any

import torch
from torch.optim.lr_scheduler import LRScheduler, ReduceLROnPlateau

from torchopt import checks
from torchopt.pytree.typing import Schedule
from torchopt.schedule._table import table_schedule

_SCHEDULER = checks.of_type(LRScheduler, "a scheduler of `torch.optim.lr_scheduler`")

_CONSTANT = checks.Word(
    "pass its `detach()`, since a table has no derivatives; to learn a schedule, use another function "
    "of `torchopt.schedule`",
    holds=lambda lr: not (isinstance(lr, torch.Tensor) and lr.requires_grad),
)


def from_torch(scheduler: LRScheduler, group: int | None = None, *, steps: int) -> Schedule:
    """Return the first learning rates of a scheduler of ``torch.optim`` as a schedule: a table.

    A copy of the scheduler steps, beside an optimizer without parameters; yours stays as it is. The
    value at a count is the learning rate of ``torch.optim`` after as many ``scheduler.step()``. To
    learn a schedule, or for any number of steps, use another function of this module.

    Args:
        scheduler: A scheduler of any class whose ``step`` takes no argument, also a composed one, which
            has not stepped. Of ``OneCycleLR`` and ``CyclicLR``, the learning rate is taken, not the
            momentum.
        group: The index of the group in ``optimizer.param_groups``. None is for an optimizer with
            one group. For several, pass a tree of schedules as the learning rate.
        steps: How many learning rates are computed and stored. A count beyond them is an error, as of
            :func:`table_schedule`.

    Returns:
        A function of the step count, as of :func:`table_schedule`, without derivatives.

    Raises:
        TypeError: If it is no scheduler, or ``ReduceLROnPlateau``, which depends on a metric; see
            :func:`torchopt.transform.reduce_on_plateau`.
        ValueError: If the scheduler has stepped, the learning rate requires grad, ``group`` is missing
            or out of range, or ``steps`` is not positive; and what PyTorch raises where a scheduler
            ends before.

    Example:
        >>> import torch
        >>> optimizer = torch.optim.SGD([torch.zeros(1)], lr=0.8)
        >>> scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
        >>> schedule = from_torch(scheduler, steps=6)
        >>> [schedule(count) for count in range(6)]
        [0.8, 0.8, 0.4, 0.4, 0.2, 0.2]
    """
    checks.check("scheduler", scheduler, _SCHEDULER)
    checks.check_count("steps", steps, 1, of="steps")
    if isinstance(scheduler, ReduceLROnPlateau):
        raise TypeError(
            "`scheduler` is a ReduceLROnPlateau, which depends on a metric: use "
            "`torchopt.transform.reduce_on_plateau`, which reads the loss."
        )
    groups = scheduler.optimizer.param_groups
    if group not in range(-len(groups), len(groups)) and not (group is None and len(groups) == 1):
        raise ValueError(
            f"`group` is {group}, but the optimizer has {len(groups)} parameter groups: pass the index "
            f"of one of them."
        )
    if done := _steps_of(scheduler.state_dict()):
        raise ValueError(
            f"the scheduler has done {done} steps: make its schedule before, or that of a new one."
        )
    for lr in (groups[group or 0]["lr"], *getattr(scheduler, "base_lrs", ())):
        checks.check("the learning rate of the optimizer", lr, _CONSTANT)
    options = [{k: x for k, x in mine.items() if k[:5] != "param"} for mine in groups]
    alone = torch.optim.SGD(
        [{"params": [torch.zeros((), device="cpu")], **copy.deepcopy(mine)} for mine in options]
    )
    stepping = copy.deepcopy(scheduler, {id(scheduler.optimizer): alone})
    rates = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the optimizer, which does not step
        for count in range(steps):
            if count:
                stepping.step()
            rates.append(float(alone.param_groups[group or 0]["lr"]))
    return table_schedule(rates)


def _steps_of(saved: Mapping[str, Any]) -> int:
    """Return how often a scheduler, or a part of it, has stepped, given its state."""
    lists = [value for value in saved.values() if isinstance(value, list)]
    parts = [part for value in lists for part in value if isinstance(part, Mapping)]
    return max([saved.get("last_epoch", 0), *map(_steps_of, parts)])
