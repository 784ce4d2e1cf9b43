"""A problem in units of its own, in which its numbers are of the order of one.

The squares of squares of 1e-12 and of 1e12 are no float32.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

from torchopt.autodiff.loops import any_true
from torchopt.autodiff.tracking import untracked
from torchopt.diff.equations import Equation, FixedPoint
from torchopt.diff.flat_problem import FlatProblem, largest, power_of_two
from torchopt.diff.kinds import LeastSquares
from torchopt.linalg import jacobian_operator
from torchopt.pytree.typing import Numeric


@dataclass(frozen=True, kw_only=True)
class ScaledProblem(FlatProblem):
    """A problem as a function of ``z``, with ``x = x_unit z`` and its function measured in ``unit``.

    Units are powers of two, so that all numbers have the digits which they had.

    Attributes:
        x_unit: The unit of ``x``.
        unit: The unit of the residual of a root; of the gradient of a minimum, also of a composite one;
            of the residuals that are squared; ``x_unit`` for a fixed point.
    """

    x_unit: torch.Tensor
    unit: torch.Tensor

    @classmethod
    def of_start(
        cls, problem: FlatProblem, x: torch.Tensor, residual: torch.Tensor
    ) -> ScaledProblem | None:
        """Return a problem in units of its start, or None if these are near one."""
        fit, equation = _is_fit(problem), isinstance(problem.of, Equation)
        with untracked():
            size, unit = largest(x.detach()), largest(residual.detach())
            if problem.is_composite:  # whose residual is zero where the gradient is not
                unit = largest(problem.gradient(x).detach())
                size = torch.where(size > 0, size, problem.length * unit)
            if isinstance(problem.of, FixedPoint):
                size = unit = torch.maximum(size, unit)
            elif (fit or equation) and any_true(size == 0):
                size = torch.where(size == 0, _newton_length(problem, x.detach()), size)
            extreme = _is_extreme(size) | _is_extreme(unit)
            if fit:  # the product may be zero by underflow
                extreme = extreme | (unit == 0)
            if not any_true(extreme):
                return None
            if fit:
                unit = largest(problem.least_squares_residuals(x).detach())
            return cls(**vars(problem), x_unit=_unit(size), unit=_unit(unit))

    @property
    def residual_unit(self) -> torch.Tensor:
        """The unit of the residual, which is a gradient for least squares."""
        return self.unit / self.x_unit * self.unit if _is_fit(self) else self.unit

    @property
    def length(self) -> torch.Tensor | float:
        return super().length / self.x_unit * self.unit

    def prox(self, z: torch.Tensor, step_size: Numeric = 1.0) -> torch.Tensor:
        return super().prox(self.x_unit * z, step_size * self.x_unit / self.unit) / self.x_unit

    def linear_minimizer(self, gradient: torch.Tensor) -> torch.Tensor:
        return super().linear_minimizer(gradient) / self.x_unit

    def mirror_step(
        self, z: torch.Tensor, gradient: torch.Tensor, step_size: Numeric
    ) -> torch.Tensor:
        # A step of an entropy has the unit of one over a gradient, whatever that of x is.
        return super().mirror_step(self.x_unit * z, gradient, step_size) / self.x_unit

    def term_value(self, z: torch.Tensor) -> torch.Tensor:
        return super().term_value(self.x_unit * z) / self.unit / self.x_unit

    def value(self, z: torch.Tensor) -> torch.Tensor:
        if _is_fit(self):
            return self.least_squares_residuals(z).square().sum() / 2
        return super().value(self.x_unit * z) / self.unit / self.x_unit

    def value_and_gradient(self, z: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        if _is_fit(self):
            return self.value(z), self.residual(z)
        value, gradient = super().value_and_gradient(self.x_unit * z)
        return value / self.unit / self.x_unit, gradient / self.unit

    def residual(self, z: torch.Tensor) -> torch.Tensor:
        if _is_fit(self):
            return jacobian_operator(self.least_squares_residuals, z).T(
                self.least_squares_residuals(z)
            )
        if self.is_composite:
            return super().residual(z)
        return super().residual(self.x_unit * z) / self.unit

    def least_squares_residuals(self, z: torch.Tensor) -> torch.Tensor:
        unit = (self.unit * self.x_unit).sqrt() if self.is_composite else self.unit
        return super().least_squares_residuals(self.x_unit * z) / unit


def _is_fit(problem: FlatProblem) -> bool:
    return isinstance(problem.of, LeastSquares)


def _newton_length(problem: FlatProblem, x: torch.Tensor) -> torch.Tensor:
    """Return an estimate of a Newton step's length: the unit of ``x`` for a start at zero."""
    fit = _is_fit(problem)
    r = problem.least_squares_residuals(x) if fit else problem.residual(x)
    J = jacobian_operator(problem.least_squares_residuals, x) if fit else problem.jacobian(x)
    direction = J.T(r / _unit(largest(r))) if fit else r
    direction = direction / _unit(largest(direction))
    slope = largest(J(direction).detach())
    return torch.where(slope > 0, largest(r.detach()) / slope, 0.0)


def _is_extreme(size: torch.Tensor) -> torch.Tensor:
    return size.isfinite() & (size > 0) & ((size > 256) | (size < 1 / 256))


def _unit(size: torch.Tensor) -> torch.Tensor:
    """Return a power of two near a size; 1 for sizes near 1, zero, NaN and infinity."""
    return power_of_two(torch.where(_is_extreme(size), size, 1.0))
