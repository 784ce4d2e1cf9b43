"""Differentiation modes: how vᵀ · dθ*/dφ of a solution map is computed."""

from torchopt.diff import implicit as implicit  # a room of 0.7.3
from torchopt.diff import zero_order
from torchopt.diff._explicit import Explicit
from torchopt.diff.central_path import CentralPath
from torchopt.diff.constrained import Constrained, ConstrainedStats, Constraints
from torchopt.diff.equations import FixedPoint, Root
from torchopt.diff.implicit import Implicit
from torchopt.diff.kinds import Composite, CompositeLeastSquares, LeastSquares, Minimum
from torchopt.diff.one_step import OneStep
from torchopt.diff.plan import MemoryPlan, PolicyCost
from torchopt.diff.protocols import DifferentiationMode, FunctionMode, Problem, ProblemKind
from torchopt.diff.quadratic_problem import QuadraticStats
from torchopt.diff.solution import Solution
from torchopt.diff.value_function import ValueFunction
from torchopt.diff.zero_order import ZeroOrder
from torchopt.io.names import publish as _publish
from torchopt.linear_solve.stats import Stats

__all__ = [
    "CentralPath",
    "Composite",
    "CompositeLeastSquares",
    "Constrained",
    "ConstrainedStats",
    "Constraints",
    "DifferentiationMode",
    "Explicit",
    "FixedPoint",
    "FunctionMode",
    "Implicit",
    "LeastSquares",
    "MemoryPlan",
    "Minimum",
    "OneStep",
    "PolicyCost",
    "Problem",
    "ProblemKind",
    "QuadraticStats",
    "Root",
    "Solution",
    "Stats",
    "ValueFunction",
    "ZeroOrder",
    "zero_order",
]

_publish(__name__)
