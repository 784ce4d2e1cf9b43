"""The minimal residual method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import torch

from torchopt.autodiff.loops import iterate
from torchopt.linear_solve._base import LinearSystem
from torchopt.linear_solve._krylov import KrylovSolver

_Pair: TypeAlias = tuple[torch.Tensor, torch.Tensor]


class _State(NamedTuple):
    """Lanczos' process, and the factor of the tridiagonal matrix that grows with it.

    ``u``, ``beta`` and ``d`` hold the last two values, the newest first.
    """

    x: torch.Tensor
    r: torch.Tensor
    u: _Pair  # Lanczos vectors, times beta
    y: torch.Tensor  # M u
    beta: _Pair
    phi: torch.Tensor  # the norm of the residual, as the preconditioner measures it
    rotation: _Pair  # cosine and sine
    above: _Pair  # what the last rotations left above the diagonal of the next columns
    d: _Pair  # directions of the solution
    drift: _Pair  # the norm of A, and a bound on what rounding has made of r
    good: torch.Tensor


@dataclass(frozen=True, kw_only=True, eq=False)
class MINRES(KrylovSolver):
    r"""Minimal residuals, for symmetric systems that need not be definite.

    .. math:: x_k = \arg\min_{x \in x_0 + K_k(A, r_0)} \lVert b - A x \rVert

    Use it for Hessians at saddle points and KKT systems, where :class:`CG` breaks down. An iteration
    takes one product and a few more vector operations than CG. For a singular system it finds a
    solution if the right-hand side is in the range; otherwise it ends near the least residual, without
    convergence.

    Args:
        preconditioner: Symmetric positive definite, as for :class:`CG`. The minimized norm is then that
            of the preconditioner.
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

    def iterate(self, system: LinearSystem) -> tuple[torch.Tensor, torch.Tensor]:
        A, M = system.A, system.preconditioner
        x, r = system.x0, system.r0
        eps = torch.finfo(r.dtype).eps
        y = M(r)
        beta = _root(r @ y)
        zero, nil = torch.zeros_like(r), torch.zeros_like(beta)

        def step(state: _State) -> _State:
            x, r, (u, u_old), y, (beta, beta_old), phi, (c, s), above, (d, d_old), drift, _ = state
            (delta, epsilon), (size, rounding) = above, drift
            scale = 1 / torch.where(beta > 0, beta, 1)
            v = scale * y
            ratio = torch.where(beta_old > 0, beta / torch.where(beta_old > 0, beta_old, 1), 0)
            w = A(v) - ratio * u_old
            alpha = v @ w
            w = w - alpha * scale * u
            y = M(w)
            beta_next = _root(w @ y)
            # The first beta is the norm of the residual, and says nothing about A.
            coupling = torch.where(beta_old > 0, beta, 0)
            size = torch.maximum(size, torch.hypot(alpha, torch.hypot(coupling, beta_next)))
            # The last rotation on the new column, then the one that removes beta_next from it.
            upper, corner = c * delta + s * alpha, s * delta - c * alpha
            above = (-c * beta_next, s * beta_next)
            gamma = torch.hypot(corner, beta_next)
            # ||A r|| / ||r||: where it vanishes, the residual is the least that a singular A has.
            slope = torch.hypot(corner, above[0])
            # NaN goes on, into the solution.
            good = ~((gamma <= eps * size) | (slope <= eps ** (2 / 3) * size))
            safe = torch.where(good, gamma, 1)
            c, s = torch.where(good, corner / safe, 1), torch.where(good, beta_next / safe, 0)
            d, d_old = torch.where(good, (v - epsilon * d_old - upper * d) / safe, zero), d
            # A step whose rounding would drown the residual is not done.
            rounding = rounding + eps * size * torch.linalg.vector_norm(c * phi * d)
            good = good & ~(rounding >= 0.01 * torch.linalg.vector_norm(r))
            tau, phi = torch.where(good, c * phi, 0), torch.where(good, s * phi, phi)
            more = beta_next > eps * size
            direction = torch.where(more, w / torch.where(more, beta_next, 1), zero)
            x, r = x + tau * d, torch.where(good, s**2 * r - phi * c * direction, r)
            pairs = (w, u), y, (beta_next, beta), phi, (c, s), above, (d, d_old), (size, rounding)
            return _State(x, r, *pairs, good & more)

        def active(state: _State) -> torch.Tensor:
            return state.good & (torch.linalg.vector_norm(state.r) > system.tolerance)

        rotation = (-torch.ones_like(beta), nil)
        pairs = (r, zero), y, (beta, nil), beta, rotation, (nil, nil), (zero, zero), (nil, nil)
        state, iterations = iterate(
            step, _State(x, r, *pairs, beta > 0), active, maxiter=system.maxiter
        )
        return state.x, iterations


def _root(square: torch.Tensor) -> torch.Tensor:
    # Negative: the preconditioner is not positive definite; zero ends the solve.
    return torch.where(square > 0, square, 0).sqrt()
