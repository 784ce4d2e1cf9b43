"""Problems of functions of flat vectors, as a solver sees them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch

from torchopt.errors import transforms_active
from torchopt.linalg import LinearOperator, jacobian_operator

Function = Callable[[torch.Tensor], torch.Tensor]


@dataclass(frozen=True)
class Posed:
    """What a face of `torchopt.solver` makes of a user's function."""

    kind: str
    function: Function

    def value(self, x: torch.Tensor) -> torch.Tensor:
        if self.kind == "minimum":
            return self.function(x)
        assert self.kind == "least_squares"
        return self.function(x).square().sum() / 2

    def gradient(self, x: torch.Tensor) -> torch.Tensor:
        return self.value_and_gradient(x)[1]

    def value_and_gradient(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        if transforms_active():
            gradient, value = torch.func.grad_and_value(self.value)(x)
            return value, gradient
        track = torch.is_grad_enabled()
        with torch.enable_grad():
            x = x.view_as(x) if x.requires_grad else x.detach().requires_grad_()
            value = self.value(x)
        (gradient,) = torch.autograd.grad(value, x, create_graph=track)
        return (value if track else value.detach()), gradient

    def residual(self, x: torch.Tensor) -> torch.Tensor:
        if self.kind == "root":
            return self.function(x)
        if self.kind == "fixed_point":
            return x - self.function(x)
        return self.gradient(x)

    def map(self, x: torch.Tensor) -> torch.Tensor:
        assert self.kind == "fixed_point"
        return self.function(x)

    def residuals(self, x: torch.Tensor) -> torch.Tensor:
        assert self.kind == "least_squares"
        return self.function(x)

    def jacobian(self, x: torch.Tensor) -> LinearOperator:
        if self.kind == "least_squares":
            return jacobian_operator(self.residuals, x)
        return jacobian_operator(self.residual, x, symmetric=self.kind == "minimum")


def minimum(objective: Function) -> Posed:
    return Posed("minimum", objective)


def root(function: Function) -> Posed:
    return Posed("root", function)


def fixed_point(function: Function) -> Posed:
    return Posed("fixed_point", function)


def least_squares(residuals: Function) -> Posed:
    return Posed("least_squares", residuals)


def rosenbrock(x: torch.Tensor) -> torch.Tensor:
    """The extended Rosenbrock function: minimum 0 at ones."""
    return (100 * (x[1::2] - x[::2] ** 2) ** 2 + (1 - x[::2]) ** 2).sum()


def rosenbrock_residuals(x: torch.Tensor) -> torch.Tensor:
    return torch.cat([10 * (x[1::2] - x[::2] ** 2), 1 - x[::2]])


def powell_singular(x: torch.Tensor) -> torch.Tensor:
    """Powell's singular function: root 0, where the Jacobian has rank 2 of 4."""
    a, b, c, d = x
    return torch.stack([a + 10 * b, 5**0.5 * (c - d), (b - 2 * c) ** 2, 10**0.5 * (a - d) ** 2])


def broyden_tridiagonal(x: torch.Tensor) -> torch.Tensor:
    zero = torch.zeros_like(x[:1])
    return (3 - 2 * x) * x - torch.cat([zero, x[:-1]]) - 2 * torch.cat([x[1:], zero]) + 1
