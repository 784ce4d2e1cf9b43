"""Systems with a known spectrum, and which solver is for which."""

import torch

from torchopt import linear_solve as ls
from torchopt import solver

F64 = torch.float64


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


def orthogonal(n, gen):
    return torch.linalg.qr(torch.randn(n, n, dtype=F64, generator=gen))[0]


def symmetric(eigenvalues, seed=0):
    """A symmetric matrix with these eigenvalues."""
    q = orthogonal(len(eigenvalues), generator(seed))
    return q @ torch.diag(torch.as_tensor(eigenvalues, dtype=F64)) @ q.T


def general(singular_values, seed=0):
    """A non-symmetric matrix with these singular values."""
    gen = generator(seed)
    n = len(singular_values)
    values = torch.diag(torch.as_tensor(singular_values, dtype=F64))
    return orthogonal(n, gen) @ values @ orthogonal(n, gen).T


def near_identity(n, norm=0.4, seed=0):
    """The identity plus a non-symmetric matrix of this norm."""
    deviation = general(torch.linspace(norm / 3, norm, n), seed)
    return torch.eye(n, dtype=F64) + deviation


def near_identity_symmetric(n, norm=0.4, seed=0):
    return symmetric(torch.linspace(1 - norm, 1 + norm, n), seed)


def vector(n, seed=1):
    return torch.randn(n, dtype=F64, generator=generator(seed))


# For each solver, a matrix of size n that it is for.
def spd(n):
    return symmetric(torch.linspace(0.5, 6, n))


def indefinite(n):
    return symmetric(torch.linspace(-4, 6.5, n) + 0.1)


def nonsymmetric(n):
    return general(torch.linspace(0.7, 5, n))


class ConjugateResiduals(ls.KrylovSolver):
    """Saad, Iterative Methods for Sparse Linear Systems, 2003, algorithm 6.20."""

    def iterate(self, system: ls.LinearSystem) -> tuple[torch.Tensor, torch.Tensor]:
        A, x, r = system.A, system.x0, system.r0

        def step(carry: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
            x, r, p, Ar, Ap = carry
            alpha = ((r @ Ar) / (Ap @ Ap)).nan_to_num()  # of a matrix that is zero
            x, r_next = x + alpha * p, r - alpha * Ap
            Ar_next = A(r_next)
            beta = ((r_next @ Ar_next) / (r @ Ar)).nan_to_num()
            return x, r_next, r_next + beta * p, Ar_next, Ar_next + beta * Ap

        def active(carry: tuple[torch.Tensor, ...]) -> torch.Tensor:
            return torch.linalg.vector_norm(carry[1]) > system.tolerance

        Ar = A(r)
        start: tuple[torch.Tensor, ...] = (x, r, r, Ar, Ar)
        carry, iterations = solver.iterate(step, start, active, maxiter=system.maxiter)
        return carry[0], iterations


EXACT = {
    "cg": (ls.CG(), spd),
    "normal_cg": (ls.NormalCG(), nonsymmetric),
    "normal_cg-ridge": (ls.NormalCG(ridge=0.0), spd),
    "gmres": (ls.GMRES(), nonsymmetric),
    "gmres-restarted": (ls.GMRES(restart=4, maxiter=1000), spd),
    # Where the symmetric part is indefinite, rounding decides whether it breaks down.
    "bicgstab": (ls.BiCGSTAB(maxiter=1000), near_identity),
    "minres": (ls.MINRES(), indefinite),
    "own": (ConjugateResiduals(), spd),
    "dense-lu": (ls.Dense(), nonsymmetric),
    "dense-loop": (ls.Dense(batched=False), nonsymmetric),
    "dense-chunks": (ls.Dense(chunk_size=2), nonsymmetric),
    "dense-cholesky": (ls.Dense(method="cholesky"), spd),
    "dense-lstsq": (ls.Dense(method="lstsq"), nonsymmetric),
    "neumann": (ls.Neumann(), near_identity),
    "neumann-alpha": (ls.Neumann(step_size=0.3), spd),
    "fixed_point": (ls.Richardson(), near_identity),
    "fixed_point-alpha": (ls.Richardson(step_size=0.3), spd),
}
"""Solvers that reach their tolerance."""

APPROXIMATE = {
    "nystrom": (ls.Nystrom(rank=100, rho=1e-11), spd),
    "phantom": (ls.Phantom(steps=60), near_identity),
    "jacobian_free": (ls.JacobianFree(step_size=0.25), lambda n: 4 * torch.eye(n, dtype=F64)),
}
"""Solvers that have no tolerance, where they happen to be exact."""

SOLVERS = EXACT | APPROXIMATE

SYMMETRIC = (ls.CG, ls.MINRES, ls.Nystrom, ConjugateResiduals)


def is_symmetric(solver):
    """Whether a solver is for symmetric matrices only."""
    cholesky = isinstance(solver, ls.Dense) and solver.method == "cholesky"
    return cholesky or (isinstance(solver, SYMMETRIC) and not isinstance(solver, ls.NormalCG))
