"""Solvers: from an inner problem to its solution."""

from torchopt.autodiff.loops import iterate
from torchopt.diff.flat_problem import FlatProblem
from torchopt.io.names import publish as _publish
from torchopt.solver._anderson import Anderson, AndersonState
from torchopt.solver._augmented_lagrangian import AugmentedLagrangian, AugmentedLagrangianState
from torchopt.solver._bfgs import BFGS, BFGSState
from torchopt.solver._block_coordinate_descent import (
    BlockCoordinateDescent,
    BlockCoordinateDescentState,
)
from torchopt.solver._broyden import Broyden, BroydenState
from torchopt.solver._cvxpy import from_cvxpy
from torchopt.solver._dogleg import Dogleg, DoglegState
from torchopt.solver._douglas_rachford import DouglasRachford, DouglasRachfordState
from torchopt.solver._fixed_point import fixed_point
from torchopt.solver._fixed_point_iteration import FixedPointIteration, FixedPointState
from torchopt.solver._frank_wolfe import FrankWolfe, FrankWolfeState
from torchopt.solver._gauss_newton import GaussNewton
from torchopt.solver._interior_point import InteriorPoint
from torchopt.solver._lbfgs import LBFGS, LBFGSState
from torchopt.solver._lbfgsb import LBFGSB, LBFGSBState
from torchopt.solver._least_squares import least_squares
from torchopt.solver._levenberg_marquardt import LevenbergMarquardt, LevenbergMarquardtState
from torchopt.solver._minimize import minimize
from torchopt.solver._mirror_descent import MirrorDescent, MirrorDescentState
from torchopt.solver._newton import Newton, NewtonState
from torchopt.solver._nonlinear_cg import NonlinearCG, NonlinearCGState
from torchopt.solver._plan import plan
from torchopt.solver._projected_gradient import ProjectedGradient
from torchopt.solver._proximal_gradient import ProximalGradient, ProximalGradientState
from torchopt.solver._proxsuite import ProxSuite
from torchopt.solver._quadratic_program import quadratic_program
from torchopt.solver._quadratic_solver import QuadraticSolver
from torchopt.solver._root import root
from torchopt.solver._scipy import SciPy
from torchopt.solver._solve import solve
from torchopt.solver._solver import Solver

__all__ = [
    "BFGS",
    "LBFGS",
    "LBFGSB",
    "Anderson",
    "AndersonState",
    "AugmentedLagrangian",
    "AugmentedLagrangianState",
    "BFGSState",
    "BlockCoordinateDescent",
    "BlockCoordinateDescentState",
    "Broyden",
    "BroydenState",
    "Dogleg",
    "DoglegState",
    "DouglasRachford",
    "DouglasRachfordState",
    "FixedPointIteration",
    "FixedPointState",
    "FlatProblem",
    "FrankWolfe",
    "FrankWolfeState",
    "GaussNewton",
    "InteriorPoint",
    "LBFGSBState",
    "LBFGSState",
    "LevenbergMarquardt",
    "LevenbergMarquardtState",
    "MirrorDescent",
    "MirrorDescentState",
    "Newton",
    "NewtonState",
    "NonlinearCG",
    "NonlinearCGState",
    "ProjectedGradient",
    "ProxSuite",
    "ProximalGradient",
    "ProximalGradientState",
    "QuadraticSolver",
    "SciPy",
    "Solver",
    "fixed_point",
    "from_cvxpy",
    "iterate",
    "least_squares",
    "minimize",
    "plan",
    "quadratic_program",
    "root",
    "solve",
]

_publish(__name__)
