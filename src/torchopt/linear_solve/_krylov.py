"""What Krylov solvers share: restarts by the true residual, and an operator of size one."""

from __future__ import annotations

import abc
from dataclasses import dataclass, replace
from typing import ClassVar

import torch

from torchopt import checks
from torchopt.autodiff.loops import any_true, is_readable, iterate
from torchopt.autodiff.tracing import tracing
from torchopt.autodiff.transforms import value_of
from torchopt.linear_solve._base import IterativeLinearSolver, LinearSystem, identity, power_of_two
from torchopt.operators.linear import LinearOperator

_RESTARTS = 5


@dataclass(frozen=True, kw_only=True, eq=False)
class KrylovSolver(IterativeLinearSolver):
    """Base of the solvers whose residual is a recurrence; a subclass implements :meth:`iterate`.

    Rounding and breakdowns separate the recurrence from the true residual. So the true residual
    decides; while it falls, the solve restarts from the last iterate.

    Example:
        A solver of one's own, conjugate residuals for symmetric systems (Saad, Iterative Methods for
        Sparse Linear Systems, 2003, algorithm 6.20):

        >>> import torch, torchopt
        >>> class ConjugateResiduals(torchopt.linear_solve.KrylovSolver):
        ...     def iterate(self, system):
        ...         A, x, r = system.A, system.x0, system.r0
        ...         def step(carry):
        ...             x, r, p, Ar, Ap = carry
        ...             alpha = (r @ Ar) / (Ap @ Ap)
        ...             x, r_next = x + alpha * p, r - alpha * Ap
        ...             Ar_next = A(r_next)
        ...             beta = (r_next @ Ar_next) / (r @ Ar)
        ...             return x, r_next, r_next + beta * p, Ar_next, Ar_next + beta * Ap
        ...         def active(carry):
        ...             return carry[1].norm() > system.tolerance
        ...         Ar = A(r)
        ...         carry, iterations = torchopt.solver.iterate(
        ...             step, (x, r, r, Ar, Ar), active, maxiter=system.maxiter)
        ...         return carry[0], iterations
        >>> A = torch.tensor([[4.0, 1.0], [1.0, 3.0]])
        >>> ConjugateResiduals()(lambda v: A @ v, torch.tensor([1.0, 2.0]))
        tensor([0.0909, 0.6364])
    """

    __promised__: ClassVar[tuple[str, ...]] = ("__init__",)

    @abc.abstractmethod
    def iterate(self, system: LinearSystem) -> tuple[torch.Tensor, torch.Tensor]:
        """Iterate from ``system.x0``, whose residual is ``system.r0``, without restarts.

        Args:
            system: The system, and when to stop; its operator is scaled to a size of about one.

        Returns:
            A tuple of the last iterate, and the number of iterations, a scalar int64 tensor, as
            :func:`torchopt.solver.iterate` does. Anything else is refused.
        """

    def solve_flat(
        self, system: LinearSystem
    ) -> tuple[torch.Tensor, torch.Tensor | None, torch.Tensor]:
        norm = torch.linalg.vector_norm
        before = norm(system.r0)
        x, count = self._improve(system)
        if self.on_failure == "ignore" and not tracing() and not any_true(count < system.maxiter):
            return x, None, count  # else its residual is needed in any case

        def restart(carry: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
            x, r, count, _ = carry
            left: torch.Tensor | int = system.maxiter - count
            if not tracing():
                going = torch.where(active(carry), count, 0)
                left = system.maxiter - int(value_of(going).max())
            further, done = self._improve(replace(system, x0=x, r0=r, maxiter=left))
            r_further, before = system.residual(further), norm(r)
            better = norm(r_further) < before
            x, r = torch.where(better, further, x), torch.where(better, r_further, r)
            return x, r, torch.where(better, count + done, count), before

        def active(carry: tuple[torch.Tensor, ...]) -> torch.Tensor:
            _, r, count, before = carry
            after = norm(r)
            return (after > system.tolerance) & (after < before / 2) & (count < system.maxiter)

        r = system.residual(x)
        start: tuple[torch.Tensor, ...] = (x, r, count, before)
        if is_readable(r) and not active(start):  # no loop, nearly always
            return x, r, count
        carry, _ = iterate(restart, start, active, maxiter=_RESTARTS)
        x, r, count, _ = carry
        return x, r, count

    def _iterated(self, system: LinearSystem) -> tuple[torch.Tensor, torch.Tensor]:
        result = self.iterate(system)
        checks.check_returned(
            f"{type(self).__name__}.iterate", result, "(x, iterations)", system.x0
        )
        return result

    def _improve(self, system: LinearSystem) -> tuple[torch.Tensor, torch.Tensor]:
        """Iterate from ``x0``; the operator is divided by a power of two, so that its size is one."""
        if system.preconditioner is not identity:
            return self._iterated(system)
        unit: torch.Tensor | None = None
        if tracing():  # a loop hands nothing else on than what it carries
            unit = power_of_two(system.A(system.r0)) / power_of_two(system.r0)
        exact = unit is not None
        matvec = system.A.matvec

        def scaled(v: torch.Tensor) -> torch.Tensor:
            nonlocal unit, exact
            product = matvec(v)
            if unit is None:  # the first product
                unit = power_of_two(product) / power_of_two(v)
                exact = not (is_readable(unit) and 1 / 16 <= unit.item() <= 16)
            return product / unit if exact else product

        start = system.b.new_zeros(()).expand_as(system.b)
        one = torch.ones_like(system.scale)
        correction, count = self._iterated(
            replace(system, A=LinearOperator(scaled), b=system.r0, x0=start, scale=one)
        )
        if unit is not None and exact:
            correction = correction / unit
        return system.x0 + correction, count
