"""The generalized minimal residual method, restarted."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from torchopt import checks
from torchopt.autodiff.loops import any_true, iterate
from torchopt.linear_solve._base import LinearSystem
from torchopt.linear_solve._krylov import KrylovSolver


@dataclass(frozen=True, kw_only=True, eq=False)
class GMRES(KrylovSolver):
    r"""Generalized minimal residuals, restarted; for any system, the most robust of the iterative ones.

    .. math:: x_k = \arg\min_{x \in x_0 + K_k(A, r_0)} \lVert b - A x \rVert

    Each iteration takes one product and adds one vector to a basis, which is discarded after
    ``restart`` vectors. The ``k``-th vector takes ``4 k`` vector operations (Gram-Schmidt, twice, for
    orthogonality to working precision). A cycle without progress ends the solve; then increase
    ``restart``. If ``restart`` is at least the number of unknowns, any nonsingular system is solved.

    Args:
        restart: The size of the basis.
        **common: The arguments of :class:`IterativeLinearSolver`; the preconditioner is applied from
            the right, so the residual is the true one.

    Raises:
        ValueError: If a value is out of its range.

    Example:
        >>> import torch
        >>> A = torch.tensor([[0.0, 3.0], [-3.0, 0.0]])
        >>> GMRES()(lambda v: A @ v, torch.tensor([1.0, 2.0]))
        tensor([-0.6667,  0.3333])

    References:
        Saad and Schultz, 1986. Saad, Iterative Methods for Sparse Linear Systems, 2003, algorithm 6.11
        and section 6.5.3. Giraud, Langou, Rozloznik and van den Eshof, 2005 (twice is enough).
    """

    restart: int = checks.field(30, checks.count(1, of="vectors"))

    def iterate(self, system: LinearSystem) -> tuple[torch.Tensor, torch.Tensor]:
        size = min(self.restart, system.b.numel())
        x, r = system.x0, system.r0
        norm = torch.linalg.vector_norm(r)
        count = torch.zeros_like(norm, dtype=torch.int64)

        def step(carry: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
            x, r, norm, count, _ = carry
            x, done = _cycle(system, x, r, norm, count, size)
            r = system.residual(x)
            after = torch.linalg.vector_norm(r)
            return x, r, after, count + done, after < norm

        def active(carry: tuple[torch.Tensor, ...]) -> torch.Tensor:
            _, _, norm, count, progress = carry
            return progress & (norm > system.tolerance) & (count < system.maxiter)

        progress = torch.ones_like(norm, dtype=torch.bool)
        start: tuple[torch.Tensor, ...] = (x, r, norm, count, progress)
        carry, _ = iterate(step, start, active, maxiter=system.maxiter)
        return carry[0], carry[3]


def _cycle(
    system: LinearSystem,
    x: torch.Tensor,
    r: torch.Tensor,
    norm: torch.Tensor,
    count: torch.Tensor,
    size: int,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the iterate after at most ``size`` steps of Arnoldi, and the number of steps."""
    eps = torch.finfo(r.dtype).eps
    zero = torch.zeros_like(norm)
    vectors = [r / torch.where(norm > 0, norm, 1)]
    columns: list[list[torch.Tensor]] = []  # of the triangular factor of the Hessenberg matrix
    rotations: list[tuple[torch.Tensor, torch.Tensor]] = []
    rhs: list[torch.Tensor] = []
    rest = norm  # the norm of the residual, up to its sign
    done = torch.zeros_like(count)
    going = torch.ones_like(norm, dtype=torch.bool)
    for j in range(size):
        going = going & (rest.abs() > system.tolerance) & (count + done < system.maxiter)
        if j and not any_true(going):  # whoever calls has read the first
            break
        w = system.A(system.preconditioner(vectors[j]))
        before = torch.linalg.vector_norm(w)
        basis = torch.stack(vectors)
        h = basis @ w
        w = w - h @ basis
        again = basis @ w
        w, h = w - again @ basis, h + again
        below = torch.linalg.vector_norm(w)
        # NaN goes on, into the solution; else the space is invariant.
        more = ~(below <= eps * before)
        below = torch.where(more, below, 0)
        vectors.append(w / torch.where(more, below, 1))
        column = list(h.unbind())
        for i, (c, s) in enumerate(rotations):
            upper, lower = column[i], column[i + 1]
            column[i], column[i + 1] = c * upper + s * lower, c * lower - s * upper
        diagonal = torch.hypot(column[j], below)
        usable = ~(diagonal <= eps * before)  # else singular on this space
        safe = torch.where(usable, diagonal, 1)
        used = going & usable
        c = torch.where(used, column[j] / safe, 1)
        s = torch.where(used, below / safe, 0)
        rotations.append((c, s))
        # A column that is not used is a column of the identity with nothing to match.
        columns.append([torch.where(used, e, 0) for e in column[:j]] + [torch.where(used, safe, 1)])
        rhs.append(torch.where(used, c * rest, 0))
        rest = torch.where(used, -s * rest, rest)
        done = done + going
        going = used & more
    k = len(columns)
    R = torch.stack([torch.stack(column + [zero] * (k - len(column))) for column in columns], dim=1)
    y = torch.linalg.solve_triangular(R, torch.stack(rhs).unsqueeze(1), upper=True).squeeze(1)
    return x + system.preconditioner(y @ torch.stack(vectors[:k])), done
