"""Solvers: from an inner problem to its solution."""

from torchopt.solver._minimize import minimize

__all__ = ["minimize"]
