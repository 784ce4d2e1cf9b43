"""The Gauss-Newton method: Newton's method with the curvature of the linearized residuals."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from torchopt.diff.flat_problem import FlatProblem
from torchopt.diff.kinds import LeastSquares
from torchopt.linalg import jacobian_operator
from torchopt.operators.linear import LinearOperator, normal_operator
from torchopt.solver._newton import Newton


@dataclass(frozen=True, kw_only=True, eq=False)
class GaussNewton(Newton):
    r"""The Gauss-Newton method with a line search, for nonlinear least squares.

    .. math::
        J_k^\top J_k \, d_k = -J_k^\top r(x_k), \qquad x_{k+1} = x_k + t_k \, d_k

    with the Jacobian :math:`J_k` of the residuals :math:`r` at :math:`x_k`. The step length is that
    of :class:`Newton`, for :math:`\tfrac12 \lVert r \rVert^2`.

    For residuals that are small at the solution, or nearly linear: converges there like Newton's
    method, without second derivatives. Where :math:`J_k` may lose rank, use
    :class:`LevenbergMarquardt`. A step costs one linear solve (with the default, as many products
    with :math:`J_k^\top J_k` as there are unknowns, and a factorization) and one or two
    evaluations of the residuals and their pullback.

    Args:
        linear_solve: ``linear_solve(operator, b) -> x`` for a symmetric positive definite operator;
            by default a dense (Cholesky) factorization, for up to a few thousand unknowns.
        line_search: Whether to shorten steps; without, every step is a full one.
        c1: The constant of sufficient decrease.
        line_search_maxiter: The most halvings of a step.
        **common: Tolerances, on :math:`\lVert J^\top r \rVert_2`, and ``maxiter``; see :class:`Solver`.

    Raises:
        ValueError: If a number is out of its range.
        TypeError: If ``linear_solve`` cannot be called.

    Example:
        >>> import torch, torchopt
        >>> t = torch.linspace(0, 1, 5)
        >>> data = 3 * torch.exp(-2 * t)
        >>> torchopt.least_squares(
        ...     lambda p: p[0] * torch.exp(-p[1] * t) - data,
        ...     torch.ones(2),
        ...     solver=torchopt.solver.GaussNewton(),
        ... ).params
        tensor([3.0000, 2.0000])

    References:
        Nocedal and Wright, *Numerical Optimization*, 2006, section 10.3, equation 10.23.
    """

    kinds = frozenset({LeastSquares})

    def _operator(self, problem: FlatProblem, x: torch.Tensor) -> LinearOperator:
        return normal_operator(jacobian_operator(problem.least_squares_residuals, x))
