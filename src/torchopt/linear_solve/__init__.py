"""Linear solvers without matrices: ``solver(matvec, b) -> x``, on trees, batched, differentiable."""

from typing import TYPE_CHECKING

from torchopt.io.names import publish as _publish
from torchopt.linear_solve._base import (
    IterativeLinearSolver,
    LinearSolution,
    LinearSolver,
    LinearSystem,
    Preconditioner,
)
from torchopt.linear_solve._bicgstab import BiCGSTAB
from torchopt.linear_solve._cg import CG
from torchopt.linear_solve._fixed_point import Richardson
from torchopt.linear_solve._gmres import GMRES
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
from torchopt.linear_solve.stats import Stats as Stats  # where earlier files have it

if TYPE_CHECKING:  # as 0.7.3 names them
    from torchopt.compat import solve_cg as solve_cg
    from torchopt.compat import solve_inv as solve_inv
    from torchopt.compat import solve_normal_cg as solve_normal_cg

__all__ = [
    "CG",
    "GMRES",
    "MINRES",
    "BiCGSTAB",
    "Dense",
    "IterativeLinearSolver",
    "JacobianFree",
    "KrylovSolver",
    "LinearSolution",
    "LinearSolver",
    "LinearSystem",
    "Neumann",
    "NormalCG",
    "Nystrom",
    "OnFailure",
    "Phantom",
    "Preconditioner",
    "Richardson",
    "WarmStart",
]

_publish(__name__)
