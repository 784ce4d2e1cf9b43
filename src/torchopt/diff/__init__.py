"""Differentiation modes: how vᵀ · dθ*/dφ of a solution map is computed."""

from torchopt.diff._explicit import Explicit
from torchopt.diff._problem import DifferentiationMode, InnerProblem, Solution

__all__ = ["DifferentiationMode", "Explicit", "InnerProblem", "Solution"]
