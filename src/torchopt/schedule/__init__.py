"""Schedules: functions of the number of updates done so far, for any hyperparameter.

They read neither a clock nor a global: a schedule is a pure function, so that it can be vmapped,
compiled, differentiated in its own arguments, pickled and resumed.
"""

from torchopt.io.names import publish as _publish
from torchopt.schedule._constant import constant_schedule
from torchopt.schedule._cosine_decay import cosine_decay_schedule
from torchopt.schedule._cosine_onecycle import cosine_onecycle_schedule
from torchopt.schedule._exponential import exponential_decay
from torchopt.schedule._from_torch import from_torch
from torchopt.schedule._inverse_sqrt import inverse_sqrt_schedule
from torchopt.schedule._join import join_schedules
from torchopt.schedule._linear_onecycle import linear_onecycle_schedule
from torchopt.schedule._piecewise_constant import piecewise_constant_schedule
from torchopt.schedule._piecewise_interpolate import piecewise_interpolate_schedule
from torchopt.schedule._polynomial import linear_schedule, polynomial_schedule
from torchopt.schedule._sgdr import sgdr_schedule
from torchopt.schedule._warmup_constant import warmup_constant_schedule
from torchopt.schedule._warmup_cosine_decay import warmup_cosine_decay_schedule
from torchopt.schedule._warmup_exponential_decay import warmup_exponential_decay_schedule
from torchopt.schedule._warmup_stable_decay import warmup_stable_decay_schedule

__all__ = [
    "constant_schedule",
    "cosine_decay_schedule",
    "cosine_onecycle_schedule",
    "exponential_decay",
    "from_torch",
    "inverse_sqrt_schedule",
    "join_schedules",
    "linear_onecycle_schedule",
    "linear_schedule",
    "piecewise_constant_schedule",
    "piecewise_interpolate_schedule",
    "polynomial_schedule",
    "sgdr_schedule",
    "warmup_constant_schedule",
    "warmup_cosine_decay_schedule",
    "warmup_exponential_decay_schedule",
    "warmup_stable_decay_schedule",
]

_publish(__name__)
