"""Differentiation modes: how vᵀ · dθ*/dφ of a solution map is computed."""

from torchopt.diff import implicit
from torchopt.diff._explicit import Explicit
from torchopt.diff._problem import (
    DifferentiationMode,
    InnerProblem,
    NotConvergedWarning,
    Solution,
)
from torchopt.diff.implicit import Implicit

__all__ = [
    "DifferentiationMode",
    "Explicit",
    "Implicit",
    "InnerProblem",
    "NotConvergedWarning",
    "Solution",
    "implicit",
]
