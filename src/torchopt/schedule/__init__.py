"""Schedules: functions of the number of updates done so far, for any hyperparameter.

They read neither a clock nor a global: a schedule is a pure function, so that it can be vmapped,
compiled, differentiated in its own arguments, pickled and resumed.
"""

from torchopt.io.names import publish as _publish
from torchopt.schedule._exponential import exponential_decay
from torchopt.schedule._polynomial import linear_schedule, polynomial_schedule

__all__ = ["exponential_decay", "linear_schedule", "polynomial_schedule"]

_publish(__name__)
