"""Linear solvers without matrices: ``solver(matvec, b) -> x``, on trees, batched, differentiable."""

from torchopt.io.names import publish as _publish
from torchopt.linear_solve._base import (
    AbstractLinearSolver,
    IterativeLinearSolver,
    LinearSolution,
    LinearSystem,
    Preconditioner,
)
from torchopt.linear_solve._bicgstab import BiCGSTAB
from torchopt.linear_solve._cg import CG
from torchopt.linear_solve._fixed_point import Richardson
from torchopt.linear_solve._gmres import GMRES
from torchopt.linear_solve._inv import solve_inv
from torchopt.linear_solve._jacobian_free import JacobianFree
from torchopt.linear_solve._krylov import KrylovSolver
from torchopt.linear_solve._minres import MINRES
from torchopt.linear_solve._neumann import Neumann
from torchopt.linear_solve._normal_cg import NormalCG
from torchopt.linear_solve._nystrom import Nystrom
from torchopt.linear_solve._phantom import Phantom
from torchopt.linear_solve._warm_start import WarmStart
from torchopt.linear_solve.dense import Dense
from torchopt.linear_solve.failure import OnFailure
from torchopt.linear_solve.stats import Stats

# A solver is its configuration: the published factories are the classes themselves.
solve_bicgstab = BiCGSTAB
solve_cg = CG
solve_dense = Dense
solve_fixed_point = Richardson
solve_gmres = GMRES
solve_minres = MINRES
solve_neumann = Neumann
solve_normal_cg = NormalCG
solve_nystrom = Nystrom
solve_jacobian_free = JacobianFree
solve_phantom = Phantom

__all__ = [
    "CG",
    "GMRES",
    "MINRES",
    "AbstractLinearSolver",
    "BiCGSTAB",
    "Dense",
    "IterativeLinearSolver",
    "JacobianFree",
    "KrylovSolver",
    "LinearSolution",
    "LinearSystem",
    "Neumann",
    "NormalCG",
    "Nystrom",
    "OnFailure",
    "Phantom",
    "Preconditioner",
    "Richardson",
    "Stats",
    "WarmStart",
    "solve_bicgstab",
    "solve_cg",
    "solve_dense",
    "solve_fixed_point",
    "solve_gmres",
    "solve_inv",
    "solve_jacobian_free",
    "solve_minres",
    "solve_neumann",
    "solve_normal_cg",
    "solve_nystrom",
    "solve_phantom",
]

_publish(__name__)
