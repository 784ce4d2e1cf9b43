"""BFGS: a quasi-Newton method with a dense matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch

from torchopt.autodiff.line_search import divide
from torchopt.diff.flat_problem import FlatProblem
from torchopt.solver._line_search import LineSearchSolver, first_length
from torchopt.solver._solver import is_usable, secant_pair


class BFGSState(NamedTuple):
    """The state of BFGS.

    Attributes:
        residual: The gradient.
        value: The objective.
        inverse: The approximate inverse Hessian; zero where nothing is known.
        stuck: Whether not even the gradient's direction led downhill.
    """

    residual: torch.Tensor
    value: torch.Tensor
    inverse: torch.Tensor
    stuck: torch.Tensor


@dataclass(frozen=True, kw_only=True, eq=False)
class BFGS(LineSearchSolver[BFGSState]):
    r"""BFGS with a line search for the strong Wolfe conditions.

    .. math::
        x_{k+1} = x_k - t_k \, H_k \, \nabla f(x_k), \qquad
        H_{k+1} = V_k^\top H_k V_k + \rho_k \, s_k s_k^\top

    with :math:`s_k = x_{k+1} - x_k`, :math:`y_k = \nabla f(x_{k+1}) - \nabla f(x_k)`,
    :math:`\rho_k = 1 / y_k^\top s_k`, :math:`V_k = I - \rho_k \, y_k s_k^\top`. Before the first
    update, :math:`H` is :math:`s^\top y / y^\top y` times the identity.

    For smooth deterministic objectives with up to a thousand unknowns: it remembers all steps, and
    therefore needs fewer than :class:`LBFGS`, converges superlinearly, and costs :math:`O(n^2)` memory
    and work a step.

    Args:
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
        ...     solver=torchopt.solver.BFGS(),
        ... )
        >>> solution.params
        tensor([1.0000, 1.0000], dtype=torch.float64)

    References:
        Nocedal and Wright, *Numerical Optimization*, 2006, algorithm 6.1 and equations 6.17 and 6.20.
    """

    maxiter: int = 500

    def init(self, problem: FlatProblem, x: torch.Tensor) -> BFGSState:
        """Return the state at the starting point."""
        value, gradient = problem.value_and_gradient(x)
        nothing = torch.zeros_like(gradient[:, None] * gradient)
        return BFGSState(gradient, value, nothing, torch.zeros_like(value, dtype=torch.bool))

    def step(
        self, problem: FlatProblem, x: torch.Tensor, state: BFGSState
    ) -> tuple[torch.Tensor, BFGSState]:
        """Return the next point, and the state there."""
        gradient, value, inverse, _ = state
        fresh = (inverse == 0).all()
        direction = -torch.where(fresh, gradient, inverse @ gradient)

        first = torch.where(fresh, first_length(x, value, direction), 1.0)
        t, new_value, new_gradient = self._along(
            problem, lambda t: x + t * direction, direction, (value, gradient), first
        )
        change = t * direction
        s, y, moved = secant_pair(change, new_gradient - gradient)
        usable = moved & is_usable(x, change, s, y)
        inverse = torch.where(usable, updated_inverse(inverse, s, y, fresh), inverse)
        failed = t == 0  # then begin anew, with the gradient's direction
        inverse = torch.where(failed, 0.0, inverse)
        return x + change, BFGSState(new_gradient, new_value, inverse, failed & fresh)


def updated_inverse(
    inverse: torch.Tensor, s: torch.Tensor, y: torch.Tensor, fresh: torch.Tensor
) -> torch.Tensor:
    """Return the inverse of BFGS's matrix after a pair of changes.

    Args:
        inverse: That before.
        s: The change of ``x``.
        y: The change of the gradient.
        fresh: Whether there was none before.
    """
    curvature = s @ y
    identity = torch.eye(len(s), dtype=s.dtype, device=s.device)
    inverse = torch.where(fresh, divide(curvature, y @ y) * identity, inverse)
    rho = divide(torch.ones_like(curvature), curvature)
    product = inverse @ y
    cross = rho * s[:, None] * product
    return inverse - cross - cross.T + rho * (1 + rho * (y @ product)) * s[:, None] * s
