"""Conjugate gradients."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import torch

from torchopt.autodiff.loops import add_scaled, is_readable, iterate
from torchopt.linear_solve._base import LinearSystem, identity
from torchopt.linear_solve._krylov import KrylovSolver


@dataclass(frozen=True, kw_only=True, eq=False)
class CG(KrylovSolver):
    r"""Conjugate gradients, for symmetric positive definite systems.

    .. math::
        \alpha = \frac{r^\top z}{p^\top A p}, \quad x \leftarrow x + \alpha p, \quad
        r \leftarrow r - \alpha A p, \quad z = M r, \quad p \leftarrow z + \beta p

    Use it if ``A`` is a Hessian at a minimum. An iteration takes one product and five vector
    operations. Each digit takes about :math:`\sqrt{\kappa}` iterations, where :math:`\kappa` is the
    condition number. If a direction has no positive curvature, ``A`` is not positive definite, and the
    solve ends without convergence: add a ``ridge``, or use :class:`MINRES` (symmetric) or
    :class:`GMRES`.

    Args:
        preconditioner: An approximate inverse of ``A``, symmetric positive definite.
        **common: All other arguments of :class:`IterativeLinearSolver`.

    Raises:
        ValueError: If a value is out of its range.

    Example:
        >>> import torch
        >>> A = torch.tensor([[4.0, 1.0], [1.0, 3.0]])
        >>> CG()(lambda v: A @ v, torch.tensor([1.0, 2.0]))
        tensor([0.0909, 0.6364])

    References:
        Hestenes and Stiefel, 1952. Nocedal and Wright, Numerical Optimization, 2006, algorithm 5.3.
        Rajeswaran et al., Meta-Learning with Implicit Gradients, 2019, section 3.
    """

    advice: ClassVar[str] = (
        f"{KrylovSolver.advice}; for a matrix that is not positive definite take `MINRES` or "
        f"`GMRES`"
    )

    def iterate(self, system: LinearSystem) -> tuple[torch.Tensor, torch.Tensor]:
        if is_readable(system.b):
            return _iterate_by_numbers(system)
        A, M = system.A, system.preconditioner
        x, r = system.x0.clone(), system.r0.clone()
        p = M(r).clone()
        gamma = r @ p

        def step(carry: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
            x, r, p, gamma, _ = carry
            Ap = A(p)
            curvature = p @ Ap
            good = ~((curvature <= 0) | (gamma <= 0))  # NaN goes on, into the solution
            alpha = gamma / torch.where(good, curvature, math.inf)
            x, r = add_scaled(x, alpha, p), add_scaled(r, -alpha, Ap)
            del Ap
            z = M(r)
            next_gamma = r @ z
            beta = next_gamma / torch.where(good, gamma, math.inf)
            return x, r, add_scaled(z, beta, p, into=p), next_gamma, good

        def active(carry: tuple[torch.Tensor, ...]) -> torch.Tensor:
            _, r, _, _, good = carry
            return good & (torch.linalg.vector_norm(r) > system.tolerance)

        start: tuple[torch.Tensor, ...] = (x, r, p, gamma, torch.ones_like(gamma, dtype=torch.bool))
        carry, iterations = iterate(step, start, active, maxiter=system.maxiter)
        return carry[0], iterations


def _iterate_by_numbers(system: LinearSystem) -> tuple[torch.Tensor, torch.Tensor]:
    """Do the same for one problem, whose scalars can be read: the fewest operations."""
    A, M, limits = system.A.matvec, system.preconditioner, torch.finfo(system.b.dtype)
    tolerance = system.tolerance.item()
    x, r = system.x0.clone(), system.r0.clone()
    p = M(r).clone()
    gamma = r.dot(p).item()

    def size() -> float:
        known = M is identity and gamma > limits.tiny
        return math.sqrt(gamma) if known else torch.linalg.vector_norm(r).item()

    count = 0
    while count < system.maxiter and size() > tolerance:
        count += 1
        Ap = A(p)
        curvature = p.dot(Ap).item()
        if curvature <= 0 or gamma <= 0:  # NaN goes on, into the solution
            break
        alpha = _rounded(gamma / curvature, limits.max)
        x.add_(p, alpha=alpha)
        r.sub_(Ap, alpha=alpha)
        del Ap
        z = M(r)
        gamma, before = r.dot(z).item(), gamma
        torch.add(z, p, alpha=_rounded(gamma / before, limits.max), out=p)
    return x, torch.tensor(count, device=x.device)


def _rounded(number: float, largest: float) -> float:
    """Return a number as a dtype with this largest number has it: infinity, if it is larger."""
    return number * math.inf if abs(number) > largest else number
