"""Schedules: functions of the number of updates done so far, for any hyperparameter.

A schedule is a pure function and reads neither a clock nor a global, so it can be vmapped, compiled,
differentiated in its own arguments, pickled and resumed.
"""

from typing import TYPE_CHECKING

from torchopt.io.names import publish as _publish
from torchopt.schedule._constant import constant_schedule as constant_schedule
from torchopt.schedule._cosine_decay import cosine_decay_schedule as cosine_decay_schedule
from torchopt.schedule._cosine_onecycle import cosine_onecycle_schedule as cosine_onecycle_schedule
from torchopt.schedule._exponential import exponential_decay_schedule as exponential_decay_schedule
from torchopt.schedule._from_torch import from_torch as from_torch
from torchopt.schedule._inverse_sqrt import inverse_sqrt_schedule as inverse_sqrt_schedule
from torchopt.schedule._join import join_schedules as join_schedules
from torchopt.schedule._linear_onecycle import linear_onecycle_schedule as linear_onecycle_schedule
from torchopt.schedule._piecewise_constant import (
    piecewise_constant_schedule as piecewise_constant_schedule,
)
from torchopt.schedule._piecewise_interpolate import (
    piecewise_interpolate_schedule as piecewise_interpolate_schedule,
)
from torchopt.schedule._polynomial import linear_schedule as linear_schedule
from torchopt.schedule._polynomial import polynomial_schedule as polynomial_schedule
from torchopt.schedule._sgdr import sgdr_schedule as sgdr_schedule
from torchopt.schedule._table import table_schedule as table_schedule
from torchopt.schedule._warmup_constant import warmup_constant_schedule as warmup_constant_schedule
from torchopt.schedule._warmup_cosine_decay import (
    warmup_cosine_decay_schedule as warmup_cosine_decay_schedule,
)
from torchopt.schedule._warmup_exponential_decay import (
    warmup_exponential_decay_schedule as warmup_exponential_decay_schedule,
)
from torchopt.schedule._warmup_stable_decay import (
    warmup_stable_decay_schedule as warmup_stable_decay_schedule,
)

if not TYPE_CHECKING:  # to checkers, all names here are exported
    __all__ = [
        name for name, thing in sorted(globals().items()) if callable(thing) and name[0] != "_"
    ]

_publish(__name__)
