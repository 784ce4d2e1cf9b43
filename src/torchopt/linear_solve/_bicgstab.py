"""The stabilized biconjugate gradient method."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from torchopt.autodiff.loops import iterate
from torchopt.linear_solve._base import LinearSystem
from torchopt.linear_solve._krylov import KrylovSolver

norm = torch.linalg.vector_norm


@dataclass(frozen=True, kw_only=True, eq=False)
class BiCGSTAB(KrylovSolver):
    r"""Stabilized biconjugate gradients, for non-symmetric systems.

    .. math::
        s = r - \alpha A M p, \quad t = A M s, \quad \omega = \frac{t^\top s}{t^\top t}, \quad
        x \leftarrow x + \alpha M p + \omega M s

    Each iteration takes two products; seven vectors are stored in total. Use it if the basis of
    :class:`GMRES` does not fit in memory. Convergence may be irregular. After a breakdown
    (:math:`\hat r^\top r = 0`, as for skew-symmetric systems) the solve restarts if it has made
    progress; otherwise it has not converged.

    Args:
        **common: The arguments of :class:`IterativeLinearSolver`; the preconditioner is applied from
            the right, so the residual is the true one.

    Raises:
        ValueError: If a value is out of its range.

    Example:
        >>> import torch
        >>> A = torch.tensor([[2.0, 1.0], [-1.0, 1.0]])
        >>> BiCGSTAB()(lambda v: A @ v, torch.tensor([1.0, 3.0]))
        tensor([-0.6667,  2.3333])

    References:
        Van der Vorst, 1992. Saad, Iterative Methods for Sparse Linear Systems, 2003, algorithm 7.7.
    """

    def iterate(self, system: LinearSystem) -> tuple[torch.Tensor, torch.Tensor]:
        A, M, tolerance = system.A, system.preconditioner, system.tolerance
        x, r = system.x0, system.r0
        shadow = r
        eps = torch.finfo(r.dtype).eps

        def step(carry: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
            x, r, p, rho, _ = carry
            Mp = M(p)
            v = A(Mp)
            slope = shadow @ v
            good = slope.abs() > eps**2 * norm(shadow) * norm(v)
            alpha = torch.where(good, rho / torch.where(good, slope, 1), 0)
            x, s = x + alpha * Mp, r - alpha * v
            half = good & (norm(s) > tolerance)  # else it is solved already
            Ms = M(s)
            t = A(Ms)
            square = t @ t
            half = half & (square > 0)
            omega = torch.where(half, t @ s / torch.where(half, square, 1), 0)
            x, r = x + omega * Ms, s - omega * t
            next_rho = shadow @ r
            good = half & (omega != 0) & (next_rho.abs() > eps**2 * norm(shadow) * norm(r))
            scale = torch.where(good, rho * omega, 1)
            beta = torch.where(good, next_rho * alpha / scale, 0)
            return x, r, r + beta * (p - omega * v), next_rho, good

        def active(carry: tuple[torch.Tensor, ...]) -> torch.Tensor:
            _, r, _, _, good = carry
            return good & (norm(r) > tolerance)

        rho = shadow @ r
        start: tuple[torch.Tensor, ...] = (x, r, r, rho, torch.ones_like(rho, dtype=torch.bool))
        carry, iterations = iterate(step, start, active, maxiter=system.maxiter)
        return carry[0], iterations
