"""Differentiation modes: how vᵀ · dθ*/dφ of a solution map is computed."""

from torchopt.diff import implicit, zero_order
from torchopt.diff._explicit import Explicit
from torchopt.diff.implicit import Implicit
from torchopt.diff.one_step import OneStep
from torchopt.diff.plan import MemoryPlan, PolicyCost
from torchopt.diff.protocols import (
    DifferentiationMode,
    FunctionMode,
    LevelMode,
    Problem,
    ProblemKind,
)
from torchopt.diff.solution import Solution
from torchopt.diff.zero_order import ZeroOrder
from torchopt.io.names import publish as _publish

__all__ = [
    "DifferentiationMode",
    "Explicit",
    "FunctionMode",
    "Implicit",
    "LevelMode",
    "MemoryPlan",
    "OneStep",
    "PolicyCost",
    "Problem",
    "ProblemKind",
    "Solution",
    "ZeroOrder",
    "implicit",
    "zero_order",
]

_publish(__name__)
