"""The minimal residual method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import torch

from torchopt._loop import iterate
from torchopt.linear_solve._base import KrylovSolver, LinearSystem

__all__ = ["MINRES"]


_Pair: TypeAlias = tuple[torch.Tensor, torch.Tensor]


class _State(NamedTuple):
    """Lanczos' process, and the factor of the tridiagonal matrix that grows with it.

    Of ``u``, ``beta`` and ``d`` the last two: newest first.
    """

    x: torch.Tensor
    r: torch.Tensor
    best: tuple[torch.Tensor, torch.Tensor]  # the iterate of the least residual, and its norm
    u: _Pair  # Lanczos vectors, times beta
    y: torch.Tensor  # M u
    beta: _Pair
    phi: torch.Tensor  # the norm of the residual, as the preconditioner measures it
    rotation: _Pair  # cosine and sine
    above: _Pair  # what the last rotations left above the diagonal of the next columns
    d: _Pair  # directions of the solution
    Ad: _Pair
    good: torch.Tensor


@dataclass(frozen=True, kw_only=True, eq=False)
class MINRES(KrylovSolver):
    r"""Minimal residuals, for symmetric systems that need not be definite.

    .. math:: x_k = \arg\min_{x \in x_0 + K_k(A, r_0)} \lVert b - A x \rVert

    For Hessians at saddle points and KKT systems, where :class:`CG` breaks down. One product and a few
    more vector operations than CG for each iteration. For a singular system whose right-hand side is in
    the range it finds a solution; for others the least residual, which has not converged.

    Args:
        preconditioner: As for :class:`CG`: symmetric positive definite; then the norm that is minimized
            is the preconditioner's.
        **common: All other arguments of :class:`IterativeLinearSolver`.

    Raises:
        ValueError: If a value is out of its range.

    Example:
        >>> import torch
        >>> A = torch.tensor([[1.0, 2.0], [2.0, -1.0]])
        >>> MINRES()(lambda v: A @ v, torch.tensor([1.0, 1.0]))
        tensor([0.6000, 0.2000])

    References:
        Paige and Saunders, Solution of Sparse Indefinite Systems of Linear Equations, 1975.
    """

    @property
    def _symmetric(self) -> bool:
        return True

    def _iterate(self, system: LinearSystem) -> tuple[torch.Tensor, torch.Tensor]:
        A, M = system.A, system.M
        x, r = system.x0, system.r0
        eps = torch.finfo(r.dtype).eps
        y = M(r)
        beta = _root(r @ y)
        zero, nil = torch.zeros_like(r), torch.zeros_like(beta)

        def step(state: _State) -> _State:
            x, r, (best, least), (u, u_old), y, (beta, beta_old), phi, (c, s), above, *rest = state
            (delta, epsilon), (d, d_old), (Ad, Ad_old) = above, *rest[:2]
            scale = 1 / torch.where(beta > 0, beta, 1)
            v = scale * y
            Av = A(v)
            ratio = torch.where(beta_old > 0, beta / torch.where(beta_old > 0, beta_old, 1), 0)
            w = Av - ratio * u_old
            alpha = v @ w
            w = w - alpha * scale * u
            y = M(w)
            beta_next = _root(w @ y)
            # The last rotation on the new column, then the one that removes beta_next from it.
            upper, corner = c * delta + s * alpha, s * delta - c * alpha
            gamma = torch.hypot(corner, beta_next)
            size = torch.hypot(alpha, torch.hypot(beta, beta_next))
            good = gamma > eps * size  # else singular on this space
            safe = torch.where(good, gamma, 1)
            above = (-c * beta_next, s * beta_next)
            c, s = torch.where(good, corner / safe, 1), torch.where(good, beta_next / safe, 0)
            d, d_old = (v - epsilon * d_old - upper * d) / safe, d
            Ad, Ad_old = (Av - epsilon * Ad_old - upper * Ad) / safe, Ad
            tau, phi = torch.where(good, c * phi, 0), torch.where(good, s * phi, phi)
            x, r = x + tau * d, r - tau * Ad
            norm = torch.linalg.vector_norm(r)
            better = norm < least
            best, least = torch.where(better, x, best), torch.where(better, norm, least)
            # Past the least residual of a singular system there is nothing but rounding.
            good = good & (beta_next > eps * size) & (norm < 1e3 * least)
            pairs = (w, u), y, (beta_next, beta), phi, (c, s), above, (d, d_old), (Ad, Ad_old)
            return _State(x, r, (best, least), *pairs, good)

        def active(state: _State) -> torch.Tensor:
            return state.good & (state.best[1] > system.tolerance)

        best = (x, torch.linalg.vector_norm(r))
        none, rotation = (zero, zero), (-torch.ones_like(beta), nil)
        pairs = (r, zero), y, (beta, nil), beta, rotation, (nil, nil), none, none
        start = _State(x, r, best, *pairs, beta > 0)
        state, iterations = iterate(step, start, active, system.maxiter)
        return state.best[0], iterations


def _root(square: torch.Tensor) -> torch.Tensor:
    # Negative: the preconditioner is not positive definite; zero ends the solve.
    return torch.where(square > 0, square, 0).sqrt()
