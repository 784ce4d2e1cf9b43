"""L-BFGS: a quasi-Newton method with limited memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch

from torchopt import checks
from torchopt.autodiff.line_search import two_loop
from torchopt.diff.flat_problem import FlatProblem
from torchopt.solver._line_search import LineSearchSolver, first_length
from torchopt.solver._solver import is_usable, push, secant_pair


class LBFGSState(NamedTuple):
    """The state of L-BFGS.

    Attributes:
        residual: The gradient.
        value: The objective.
        x_changes: The last changes of ``x``, one a row, of length one; zero where there was none yet.
        gradient_changes: The changes of the gradient that belong to them, on the same scale.
        stuck: Whether not even the gradient's direction led downhill.
    """

    residual: torch.Tensor
    value: torch.Tensor
    x_changes: torch.Tensor
    gradient_changes: torch.Tensor
    stuck: torch.Tensor


@dataclass(frozen=True, kw_only=True, eq=False)
class LBFGS(LineSearchSolver[LBFGSState]):
    r"""L-BFGS as a solver: it runs until it has converged, on a problem without bounds.

    Limited-memory BFGS with a line search for the strong Wolfe conditions. With bounds, use
    :class:`LBFGSB`; for single steps, as in training, :func:`torchopt.optimizers.lbfgs`.

    .. math::
        x_{k+1} = x_k - t_k \, H_k \, \nabla f(x_k), \qquad
        H_{k+1} = V_k^\top H_k V_k + \rho_k \, s_k s_k^\top

    with :math:`s_k = x_{k+1} - x_k`, :math:`y_k = \nabla f(x_{k+1}) - \nabla f(x_k)`,
    :math:`\rho_k = 1 / y_k^\top s_k`, :math:`V_k = I - \rho_k \, y_k s_k^\top`; the last :math:`m`
    pairs are kept, and :math:`H_k` is applied by the two-loop recursion.

    The first choice for smooth deterministic objectives, from a few unknowns to millions. Not for
    minibatches: values and gradients must be those of one function. A step costs one or two
    evaluations of objective and gradient, :math:`O(m n)` memory and work.

    Args:
        history_size: The number :math:`m` of pairs to keep.
        c1: The constant of sufficient decrease.
        c2: The constant of curvature, more than ``c1``.
        line_search_maxiter: The most evaluations in a step.
        **common: Tolerances, on :math:`\lVert \nabla f(x) \rVert_2`, and ``maxiter``; see
            :class:`Solver`.

    Raises:
        ValueError: If a number is out of its range.

    Example:
        >>> import torch, torchopt
        >>> solution = torchopt.minimize(
        ...     lambda x: (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2,
        ...     torch.tensor([-1.2, 1.0], dtype=torch.float64),
        ...     solver=torchopt.solver.LBFGS(),
        ...     diff=torchopt.diff.Implicit(),
        ... )
        >>> solution.params
        tensor([1.0000, 1.0000], dtype=torch.float64)

    References:
        Liu and Nocedal, *On the limited memory BFGS method*, 1989. Nocedal and Wright, *Numerical
        Optimization*, 2006, algorithms 7.4 and 7.5 and equation 7.20; 3.5 and 3.6 (line search).
    """

    history_size: int = checks.field(10, checks.count(1))
    maxiter: int = 500

    def init(self, problem: FlatProblem, x: torch.Tensor) -> LBFGSState:
        """Return the state at the starting point."""
        value, gradient = problem.value_and_gradient(x)
        empty = torch.zeros_like(gradient).expand(self.history_size, -1)
        return LBFGSState(gradient, value, empty, empty, torch.zeros_like(value, dtype=torch.bool))

    def step(
        self, problem: FlatProblem, x: torch.Tensor, state: LBFGSState
    ) -> tuple[torch.Tensor, LBFGSState]:
        """Return the next point, and the state there."""
        gradient, value, s, y, _ = state
        direction = -two_loop(gradient, s, y)

        fresh = (s == 0).all()
        first = torch.where(fresh, first_length(x, value, direction), 1.0)
        t, new_value, new_gradient = self._along(
            problem, lambda t: x + t * direction, direction, (value, gradient), first
        )
        change = t * direction
        ds, dy, moved = secant_pair(change, new_gradient - gradient)
        usable = moved & is_usable(x, change, ds, dy)
        failed = t == 0  # then begin anew, with the gradient's direction
        s, y = (
            torch.where(failed, 0.0, torch.where(usable, push(old, new), old))
            for old, new in ((s, ds), (y, dy))
        )
        return x + change, LBFGSState(new_gradient, new_value, s, y, failed & fresh)
