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
    "cg": (ls.solve_cg(), spd),
    "normal_cg": (ls.solve_normal_cg(), nonsymmetric),
    "normal_cg-ridge": (ls.solve_normal_cg(ridge=0.0), spd),
    "gmres": (ls.solve_gmres(), nonsymmetric),
    "gmres-restarted": (ls.solve_gmres(restart=4, maxiter=1000), spd),
    # Where the symmetric part is indefinite, rounding decides whether it breaks down.
    "bicgstab": (ls.solve_bicgstab(maxiter=1000), near_identity),
    "minres": (ls.solve_minres(), indefinite),
    "own": (ConjugateResiduals(), spd),
    "dense-lu": (ls.solve_dense(), nonsymmetric),
    "dense-loop": (ls.solve_dense(batched=False), nonsymmetric),
    "dense-chunks": (ls.solve_dense(chunk_size=2), nonsymmetric),
    "dense-cholesky": (ls.solve_dense(method="cholesky"), spd),
    "dense-lstsq": (ls.solve_dense(method="lstsq"), nonsymmetric),
    "inv": (ls.solve_inv(), nonsymmetric),
    "neumann": (ls.solve_neumann(), near_identity),
    "neumann-alpha": (ls.solve_neumann(alpha=0.3), spd),
    "fixed_point": (ls.solve_fixed_point(), near_identity),
    "fixed_point-alpha": (ls.solve_fixed_point(alpha=0.3), spd),
}
"""Solvers that reach their tolerance."""

APPROXIMATE = {
    "nystrom": (ls.solve_nystrom(rank=100, rho=1e-11), spd),
    "phantom": (ls.solve_phantom(steps=60), near_identity),
    "jacobian_free": (ls.solve_jacobian_free(scale=0.25), lambda n: 4 * torch.eye(n, dtype=F64)),
    "inv-neumann": (ls.solve_inv(ns=True, maxiter=60), near_identity),
}
"""Solvers that have no tolerance, where they happen to be exact."""

SOLVERS = EXACT | APPROXIMATE

SYMMETRIC = (ls.CG, ls.MINRES, ls.Nystrom, ConjugateResiduals)


def is_symmetric(solver):
    """Whether a solver is for symmetric matrices only."""
    cholesky = isinstance(solver, ls.Dense) and solver.method == "cholesky"
    return cholesky or (isinstance(solver, SYMMETRIC) and not isinstance(solver, ls.NormalCG))
