"""What Krylov solvers share: restarts by the true residual, and an operator of size one."""

from __future__ import annotations

import abc
from dataclasses import dataclass, replace

import torch

from torchopt.autodiff.loops import any_true
from torchopt.autodiff.transforms import value_of
from torchopt.linear_solve._base import IterativeLinearSolver, LinearSystem, identity, power_of_two
from torchopt.operators.linear import LinearOperator

__all__ = ["KrylovSolver"]

_RESTARTS = 5


@dataclass(frozen=True, kw_only=True, eq=False)
class KrylovSolver(IterativeLinearSolver):
    """Base of the solvers whose residual is a recurrence; a subclass implements :meth:`_iterate`.

    Rounding and breakdowns separate the recurrence from the true residual. So the true residual
    decides; while it falls, the solve restarts from the last iterate.
    """

    @abc.abstractmethod
    def _iterate(self, system: LinearSystem) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the last iterate and the number of iterations."""

    def _solve(
        self, system: LinearSystem
    ) -> tuple[torch.Tensor, torch.Tensor | None, torch.Tensor]:
        before = torch.linalg.vector_norm(system.r0)
        x, count = self._improve(system)
        if not any_true(count < system.maxiter):
            return x, None, count
        r = system.residual(x)
        for _ in range(_RESTARTS):
            after = torch.linalg.vector_norm(r)
            again = (after > system.tolerance) & (after < before / 2) & (count < system.maxiter)
            if not any_true(again):
                break
            left = system.maxiter - int(value_of(torch.where(again, count, 0)).max())
            further, done = self._improve(replace(system, x0=x, r0=r, maxiter=left))
            r_further = system.residual(further)
            again = again & (torch.linalg.vector_norm(r_further) < after)
            x, r = torch.where(again, further, x), torch.where(again, r_further, r)
            count, before = torch.where(again, count + done, count), after
        return x, r, count

    def _improve(self, system: LinearSystem) -> tuple[torch.Tensor, torch.Tensor]:
        """Iterate from ``x0``; the operator is divided by a power of two, so that its size is one."""
        if system.M is not identity:
            return self._iterate(system)
        unit: torch.Tensor | float = 1.0

        def scaled(v: torch.Tensor) -> torch.Tensor:
            nonlocal unit
            product = system.A(v)
            if isinstance(unit, float):  # the first product
                unit = power_of_two(product) / power_of_two(v)
            return product / unit

        start = system.b.new_zeros(()).expand_as(system.b)
        one = torch.ones_like(system.scale)
        correction, count = self._iterate(
            replace(system, A=LinearOperator(scaled), b=system.r0, x0=start, scale=one)
        )
        return system.x0 + correction / unit, count
