"""Problems of functions of flat vectors, as a solver sees them."""

from __future__ import annotations

from collections.abc import Callable

import torch

from torchopt import diff
from torchopt.prox import ProximalTerm
from torchopt.solver import FlatProblem

Function = Callable[[torch.Tensor], torch.Tensor]


def minimum(objective: Function) -> FlatProblem:
    return FlatProblem(diff.Minimum(objective))


def root(function: Function) -> FlatProblem:
    return FlatProblem(diff.Root(function))


def fixed_point(function: Function) -> FlatProblem:
    return FlatProblem(diff.FixedPoint(function))


def least_squares(residuals: Function) -> FlatProblem:
    return FlatProblem(diff.LeastSquares(residuals))


def constrained(
    objective: Function, equality: Function | None = None, inequality: Function | None = None
) -> FlatProblem:
    constraints = diff.Constraints(equality, inequality)
    return FlatProblem(diff.Constrained(objective, subject_to=constraints))


def rosenbrock(x: torch.Tensor) -> torch.Tensor:
    """The extended Rosenbrock function: minimum 0 at ones."""
    return (100 * (x[1::2] - x[::2] ** 2) ** 2 + (1 - x[::2]) ** 2).sum()


def rosenbrock_residuals(x: torch.Tensor) -> torch.Tensor:
    return torch.cat([10 * (x[1::2] - x[::2] ** 2), 1 - x[::2]])


def powell_singular(x: torch.Tensor) -> torch.Tensor:
    """Powell's singular function: root 0, where the Jacobian has rank 2 of 4."""
    a, b, c, d = x
    return torch.stack([a + 10 * b, 5**0.5 * (c - d), (b - 2 * c) ** 2, 10**0.5 * (a - d) ** 2])


def composite(objective: Function, term: ProximalTerm) -> FlatProblem:
    return FlatProblem(diff.Composite(objective, term=term))


def composite_least_squares(residuals: Function, term: ProximalTerm) -> FlatProblem:
    return FlatProblem(diff.CompositeLeastSquares(residuals, term=term))
