"""Cosine decay with warm restarts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from torchopt.io.calls import records_call
from torchopt.pytree.typing import Numeric, Schedule
from torchopt.schedule._join import join_schedules
from torchopt.schedule._warmup_cosine_decay import warmup_cosine_decay_schedule


@records_call
def sgdr_schedule(cosine_kwargs: Sequence[Mapping[str, Numeric]]) -> Schedule:
    """Decay along a cosine, again and again (SGDR).

    The schedules :func:`warmup_cosine_decay_schedule` of these arguments follow one another, each for
    its ``decay_steps``. The last one goes on.

    Args:
        cosine_kwargs: For each cycle, the arguments of :func:`warmup_cosine_decay_schedule`. All that
            may be tensors there may be tensors here.

    Returns:
        A function of the step count, as of :func:`polynomial_schedule`.

    Raises:
        ValueError: If there is no cycle, or :func:`warmup_cosine_decay_schedule` raises it.

    Example:
        >>> cycle = {"init_value": 0.0, "peak_value": 1.0, "warmup_steps": 1, "decay_steps": 3}
        >>> schedule = sgdr_schedule([cycle, {**cycle, "peak_value": 0.5}])
        >>> [round(schedule(count), 3) for count in range(8)]
        [0.0, 1.0, 0.5, 0.0, 0.5, 0.25, 0.0, 0.0]

    References:
        Loshchilov and Hutter, *SGDR: Stochastic Gradient Descent with Warm Restarts*, 2017.
        ``optax.sgdr_schedule`` (DeepMind, 2020).
    """
    cycles = [dict(arguments) for arguments in cosine_kwargs]
    if not cycles:
        raise ValueError("`cosine_kwargs` is empty, but it must have a dict for each cycle.")
    schedules = [warmup_cosine_decay_schedule(**cycle) for cycle in cycles]
    boundaries: list[Any] = []
    for cycle in cycles[:-1]:
        boundaries.append((boundaries[-1] if boundaries else 0) + cycle["decay_steps"])
    return join_schedules(schedules, boundaries)
