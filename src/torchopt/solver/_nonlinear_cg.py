"""Nonlinear conjugate gradients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import torch

from torchopt import checks
from torchopt.autodiff.line_search import divide
from torchopt.diff.flat_problem import FlatProblem
from torchopt.solver._line_search import LineSearchSolver, first_length

Method = Literal["hager_zhang", "polak_ribiere", "fletcher_reeves", "dai_yuan"]


class NonlinearCGState(NamedTuple):
    """The state of nonlinear conjugate gradients.

    Attributes:
        residual: The gradient.
        value: The objective.
        direction: That of the next step; zero for the gradient's.
        length: The last step length; zero before the first step and after a restart.
        slope: The slope at its start.
        since: The number of steps since the gradient's direction was taken.
        stuck: Whether not even the gradient's direction led downhill.
    """

    residual: torch.Tensor
    value: torch.Tensor
    direction: torch.Tensor
    length: torch.Tensor
    slope: torch.Tensor
    since: torch.Tensor
    stuck: torch.Tensor


@dataclass(frozen=True, kw_only=True, eq=False)
class NonlinearCG(LineSearchSolver[NonlinearCGState]):
    r"""Nonlinear conjugate gradients with a line search for the strong Wolfe conditions.

    .. math::
        x_{k+1} = x_k + t_k \, d_k, \qquad d_{k+1} = -g_{k+1} + \beta_k \, d_k, \qquad g = \nabla f

    with :math:`y_k = g_{k+1} - g_k` and, by ``method``,

    ===================  =========================================================================
    ``hager_zhang``      :math:`(y_k - 2 d_k \lVert y_k \rVert^2 / c_k)^\top g_{k+1} / c_k` with
                         :math:`c_k = d_k^\top y_k`, and not below
                         :math:`-1 / (\lVert d_k \rVert \min(0.01, \lVert g_k \rVert))`
    ``polak_ribiere``    :math:`\max(0, \, g_{k+1}^\top y_k / \lVert g_k \rVert^2)` (PR+)
    ``fletcher_reeves``  :math:`\lVert g_{k+1} \rVert^2 / \lVert g_k \rVert^2`
    ``dai_yuan``         :math:`\lVert g_{k+1} \rVert^2 / d_k^\top y_k`
    ===================  =========================================================================

    The direction is the gradient's again after ``restart`` steps, where two gradients in a row are far
    from orthogonal (:math:`|g_{k+1}^\top g_k| \ge 0.2 \lVert g_{k+1} \rVert^2`, for ``fletcher_reeves``
    and ``dai_yuan``), and where :math:`d_k` does not lead downhill.

    For smooth deterministic objectives with so many unknowns that the :math:`2 m` vectors of
    :class:`LBFGS`, which needs fewer evaluations, do not fit: it keeps three. A step costs about two
    evaluations of objective and gradient.

    Args:
        method: The formula of :math:`\beta_k`.
        restart: After how many steps the direction is the gradient's again; by default as many as there
            are unknowns.
        c1: The constant of sufficient decrease.
        c2: The constant of curvature, more than ``c1``. Above one half, ``fletcher_reeves`` may lead
            uphill.
        line_search_maxiter: The most evaluations in a step.
        **common: Tolerances, on :math:`\lVert \nabla f(x) \rVert_2`, and ``maxiter``; see
            :class:`Solver`.

    Raises:
        ValueError: If a number is out of its range, or ``method`` is unknown.

    Example:
        >>> import torch, torchopt
        >>> solution = torchopt.minimize(
        ...     lambda x: (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2,
        ...     torch.tensor([-1.2, 1.0], dtype=torch.float64),
        ...     solver=torchopt.solver.NonlinearCG(),
        ... )
        >>> solution.params
        tensor([1.0000, 1.0000], dtype=torch.float64)

    References:
        Hager and Zhang, *A new conjugate gradient method with guaranteed descent and an efficient line
        search*, 2005, equations 1.5 to 1.7. Nocedal and Wright, *Numerical Optimization*, 2006, section
        5.2: equations 5.41, 5.44, 5.49 and 5.52 (restart). Dai and Yuan, *A nonlinear conjugate
        gradient method with a strong global convergence property*, 1999.
    """

    method: Method = checks.field("hager_zhang", checks.one_of(Method))
    restart: int | None = checks.field(None, checks.or_none(checks.count(1)))
    c2: float = 0.1
    maxiter: int = 2000

    def init(self, problem: FlatProblem, x: torch.Tensor) -> NonlinearCGState:
        """Return the state at the starting point."""
        value, gradient = problem.value_and_gradient(x)
        zero = torch.zeros_like(value)
        none = zero.to(torch.int64)
        never = torch.zeros_like(value, dtype=torch.bool)
        start = torch.zeros_like(gradient)
        return NonlinearCGState(gradient, value, start, zero, zero, none, never)

    def step(
        self, problem: FlatProblem, x: torch.Tensor, state: NonlinearCGState
    ) -> tuple[torch.Tensor, NonlinearCGState]:
        """Return the next point, and the state there."""
        gradient, value, direction, length, last_slope, since, _ = state
        fresh = (direction == 0).all()
        direction = torch.where(fresh, -gradient, direction)
        slope = gradient @ direction

        # A step that promises what the last one did; the first one has nothing to go by.
        first = length * divide(last_slope, slope).clamp(0.1, 10)
        first = torch.where(length > 0, first, first_length(x, value, direction))
        t, new_value, new = self._along(
            problem, lambda t: x + t * direction, direction, (value, gradient), first
        )
        failed = t == 0  # then begin anew, with the gradient's direction
        longest = x.numel() if self.restart is None else self.restart
        anew = failed | (since + 1 >= longest)
        if self.method in ("fletcher_reeves", "dai_yuan"):
            anew = anew | ((new @ gradient).abs() >= 0.2 * (new @ new))
        following = -new + self._factor(gradient, new, direction) * direction
        cosine = torch.finfo(x.dtype).eps * new.norm() * following.norm()
        anew = anew | ~(new @ following < -cosine)  # nor is NaN a direction
        following = torch.where(anew, -new, following)
        return x + t * direction, NonlinearCGState(
            new,
            new_value,
            torch.where(failed, 0.0, following),
            t,
            slope,
            torch.where(anew, 0, since + 1),
            failed & fresh,
        )

    def _factor(
        self, old: torch.Tensor, new: torch.Tensor, direction: torch.Tensor
    ) -> torch.Tensor:
        """Return the weight of the last direction."""
        y = new - old
        if self.method == "fletcher_reeves":
            return divide(new @ new, old @ old)
        if self.method == "polak_ribiere":
            return divide(new @ y, old @ old).relu()
        curvature = direction @ y
        if self.method == "dai_yuan":
            return divide(new @ new, curvature)
        along = divide(direction @ new, curvature)
        factor = divide(y @ new - 2 * along * (y @ y), curvature)
        size = direction.norm() * old.norm().clamp(max=0.01)
        return torch.maximum(factor, -divide(torch.ones_like(size), size))
