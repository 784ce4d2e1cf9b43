"""Solvers: from an inner problem to its solution."""

from torchopt.autodiff.loops import iterate
from torchopt.diff.flat_problem import FlatProblem
from torchopt.io.names import publish as _publish
from torchopt.solver._anderson import Anderson, AndersonState
from torchopt.solver._broyden import Broyden, BroydenState
from torchopt.solver._fixed_point import fixed_point
from torchopt.solver._fixed_point_iteration import FixedPointIteration, FixedPointState
from torchopt.solver._gauss_newton import GaussNewton
from torchopt.solver._lbfgs import LBFGS, LBFGSState
from torchopt.solver._least_squares import least_squares
from torchopt.solver._levenberg_marquardt import LevenbergMarquardt, LevenbergMarquardtState
from torchopt.solver._minimize import minimize
from torchopt.solver._newton import Newton, NewtonState
from torchopt.solver._plan import plan
from torchopt.solver._root import root
from torchopt.solver._solve import solve
from torchopt.solver._solver import Run, Solver

__all__ = [
    "LBFGS",
    "Anderson",
    "AndersonState",
    "Broyden",
    "BroydenState",
    "FixedPointIteration",
    "FixedPointState",
    "FlatProblem",
    "GaussNewton",
    "LBFGSState",
    "LevenbergMarquardt",
    "LevenbergMarquardtState",
    "Newton",
    "NewtonState",
    "Run",
    "Solver",
    "fixed_point",
    "iterate",
    "least_squares",
    "minimize",
    "plan",
    "root",
    "solve",
]

_publish(__name__)
