"""L-BFGS-B: a quasi-Newton method with limited memory and bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch

from torchopt import checks
from torchopt.autodiff.line_search import divide
from torchopt.autodiff.loops import wide
from torchopt.diff.flat_problem import FlatProblem
from torchopt.diff.kinds import Composite, Minimum
from torchopt.solver._bounds import BoundedSolver, into, reduced
from torchopt.solver._line_search import LineSearchSolver, first_length
from torchopt.solver._solver import is_usable, push, secant_pair


class LBFGSBState(NamedTuple):
    """The state of L-BFGS-B.

    Attributes:
        residual: The gradient, without its parts that push against a bound.
        gradient: The gradient.
        value: The objective.
        x_changes: The last changes of ``x``, one a row, of length one; zero where there was none yet.
        gradient_changes: The changes of the gradient that belong to them, on the same scale.
        stuck: Whether not even the gradient's direction led downhill.
    """

    residual: torch.Tensor
    gradient: torch.Tensor
    value: torch.Tensor
    x_changes: torch.Tensor
    gradient_changes: torch.Tensor
    stuck: torch.Tensor


@dataclass(frozen=True, kw_only=True, eq=False)
class LBFGSB(BoundedSolver[LBFGSBState], LineSearchSolver[LBFGSBState]):
    r"""L-BFGS-B, a solver: :class:`LBFGS` with bounds on the unknowns.

    .. math:: \min_x \; f(x) \quad \text{subject to} \quad l \leq x \leq u

    A step minimizes the quadratic model

    .. math:: q(z) = g^\top (z - x) + \tfrac12 (z - x)^\top B (z - x), \qquad B = \theta I - W M W^\top

    with the compact matrix of the last :math:`m` pairs of changes: along the projected path
    :math:`P(x - t g)` up to its first minimum, the Cauchy point; then over the unknowns that are within
    their bounds there. The minimizer, projected into the box, gives the direction of a line search for
    the strong Wolfe conditions, which ends at the box's boundary.

    The first choice for smooth deterministic objectives with bounds, up to some hundred thousand
    unknowns; bounds are ``subject_to=torchopt.sets.Box(lower, upper)``, ``NonNegative()``, or a tree of
    them. Without bounds, :class:`LBFGS` does the same for less. A step costs one or two evaluations of
    objective and gradient, :math:`O(m^2 n)` work, which is several times that of :class:`LBFGS`, and a
    sort of the unknowns.

    Args:
        history_size: The number :math:`m` of pairs to keep.
        c1: The constant of sufficient decrease.
        c2: The constant of curvature, more than ``c1``.
        line_search_maxiter: The most evaluations in a step.
        **common: Tolerances, on the norm of the gradient without its parts that push against a bound,
            and ``maxiter``; see :class:`Solver`.

    Raises:
        ValueError: If a number is out of its range, or the problem has more than bounds.

    Example:
        >>> import torch, torchopt
        >>> upper = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
        >>> solution = torchopt.minimize(
        ...     lambda x: (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2,
        ...     torch.tensor([-1.2, 1.0], dtype=torch.float64),
        ...     subject_to=torchopt.sets.Box(-2.0, upper),
        ...     solver=torchopt.solver.LBFGSB(),
        ... )
        >>> solution.params.detach()
        tensor([0.5000, 0.2500], dtype=torch.float64)
        >>> torch.autograd.grad(solution.params[1], upper)[0].round(decimals=4)
        tensor(1., dtype=torch.float64)

    References:
        Byrd, Lu, Nocedal and Zhu, *A Limited Memory Algorithm for Bound Constrained Optimization*,
        1995, equations 3.2 to 3.6, algorithm CP, and section 5.1. Morales and Nocedal, *Remark on
        Algorithm 778*, 2011 (the projection of the subspace minimizer).
    """

    history_size: int = checks.field(10, checks.count(1))
    c2: float = 0.7
    maxiter: int = 500
    kinds = frozenset({Minimum, Composite})

    def init(self, problem: FlatProblem, x: torch.Tensor) -> LBFGSBState:
        """Return the state at the starting point."""
        lower, upper = problem.bounds(x)
        x = into(x, lower, upper)
        value, gradient = problem.value_and_gradient(x)
        empty = torch.zeros_like(gradient).expand(self.history_size, -1)
        never = torch.zeros_like(value, dtype=torch.bool)
        residual = reduced(x, gradient, lower, upper)
        return LBFGSBState(residual, gradient, value, empty, empty, never)

    def step(
        self, problem: FlatProblem, x: torch.Tensor, state: LBFGSBState
    ) -> tuple[torch.Tensor, LBFGSBState]:
        """Return the next point, and the state there."""
        residual, gradient, value, s, y, _ = state
        lower, upper = problem.bounds(x)
        x = into(x, lower, upper)
        fresh = (s == 0).all()
        model = _Model.of(s, y, torch.where(fresh, 1 / first_length(x, value, residual), 0.0))
        target = _minimizer(model, x, gradient, lower, upper)
        direction = target - x
        slope = gradient @ direction
        downhill = slope < 0
        slope = torch.where(downhill, slope, -1.0)

        t, new_value, new_gradient = self._along(
            problem,
            lambda t: into(x + t * direction, lower, upper),
            direction,
            (value, gradient),
            torch.where(downhill, 1.0, 0.0),
            slope=slope,
            most=torch.where(downhill, _room(x, direction, lower, upper), 0.0),
        )
        failed = (t == 0) | ~downhill  # then begin anew, with the gradient's direction
        new_x = torch.where(failed, x, into(x + t * direction, lower, upper))
        new_value = torch.where(failed, value, new_value)
        new_gradient = torch.where(failed, gradient, new_gradient)
        change = new_x - x
        ds, dy, moved = secant_pair(change, new_gradient - gradient)
        usable = moved & is_usable(x, change, ds, dy)
        s, y = (
            torch.where(failed, 0.0, torch.where(usable, push(old, new), old))
            for old, new in ((s, ds), (y, dy))
        )
        residual = reduced(new_x, new_gradient, lower, upper)
        return new_x, LBFGSBState(residual, new_gradient, new_value, s, y, failed & fresh)


class _Model(NamedTuple):
    """The matrix ``B = theta (I - Wᵀ K⁻¹ W)``, with ``W = [Y; S]`` of pairs scaled to ``sᵀ y = 1``.

    Attributes:
        theta: The multiple of the identity.
        w: ``[Y; S]``, a vector a row.
        k: ``[[-D, Lᵀ], [L, S Sᵀ]]``.
        m: Its inverse.
    """

    theta: torch.Tensor
    w: torch.Tensor
    k: torch.Tensor
    m: torch.Tensor

    @classmethod
    def of(cls, s: torch.Tensor, y: torch.Tensor, first: torch.Tensor) -> _Model:
        """Return the model of pairs, the oldest first; without any, a multiple of the identity."""
        products = (s * y).sum(1)
        empty = products == 0
        squares = y[-1].square().sum()
        theta = torch.where(empty[-1], first, divide(squares, products[-1]))
        size = torch.where(empty, 0.0, torch.where(empty, 1.0, products).rsqrt())[:, None]
        root = theta.sqrt()
        s, y = s * size * root, y * size / root
        absent = torch.diag_embed(empty.to(s.dtype))
        below = (s @ y.T).tril(-1)
        one = torch.eye(len(s), dtype=s.dtype, device=s.device)
        k = torch.cat([torch.cat([-one, below.T], 1), torch.cat([below, s @ s.T + absent], 1)])
        return cls(theta, torch.cat([y, s]), k, _inverse(k))


def _minimizer(
    model: _Model,
    x: torch.Tensor,
    gradient: torch.Tensor,
    lower: torch.Tensor,
    upper: torch.Tensor,
) -> torch.Tensor:
    """Return a point of the box that has a low value of the model, and a direction of descent."""
    theta, w, k, m = model
    cauchy, free = _cauchy_point(model, x, gradient, lower, upper)
    # The model's gradient there, divided by theta; and its minimizer over the free unknowns.
    z = cauchy - x
    slope = gradient / theta + z - w.T @ (m @ (w @ z))
    slope = torch.where(free, slope, 0.0)
    w_free = torch.where(free, w, 0.0)
    step = -slope - w_free.T @ (_inverse(k - w_free @ w_free.T) @ (w_free @ slope))
    step = torch.where(step.isfinite(), step, -slope)
    projected = into(cauchy + step, lower, upper)
    # If that leads uphill, as far along the step as the box allows.
    inside = cauchy + _room(cauchy, step, lower, upper).clamp(max=1) * step
    downhill = gradient @ (projected - x) < 0
    return torch.where(downhill, projected, into(inside, lower, upper))


def _cauchy_point(
    model: _Model,
    x: torch.Tensor,
    gradient: torch.Tensor,
    lower: torch.Tensor,
    upper: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the first minimum of the model along the projected gradient, and what is free there.

    All pieces of the path are looked at together: sums over the unknowns that still move in a piece
    are running sums over the unknowns sorted by where they stop.
    """
    theta, w, _, m = model
    bound = torch.where(gradient > 0, lower, upper)
    moves = (gradient != 0) & bound.isfinite()
    stops = torch.where(gradient != 0, torch.inf, 0.0)
    way = (x - torch.where(moves, bound, x)) / torch.where(moves, gradient, 1.0) * theta
    stops = torch.where(moves, way.clamp(min=0), stops)
    order = stops.argsort()
    v, ends = -gradient[order], stops[order]
    zero = torch.zeros_like(ends[:1])
    starts = torch.cat([zero, ends])
    ends = torch.cat([ends, torch.full_like(zero, torch.inf)])
    starts = torch.where(starts.isfinite(), starts, 0.0)  # of pieces that are never reached

    def moving(parts: torch.Tensor) -> torch.Tensor:
        """Sum over the unknowns that still move, for each piece."""
        sums = parts.flip(-1).cumsum(-1).flip(-1)
        return torch.cat([sums, torch.zeros_like(sums[..., :1])], -1)

    squares = moving(v.square())
    parts = w.index_select(1, order) * v
    p = moving(parts)
    # What has moved so far: the sum of what stopped, and of what moves, each times its time.
    stopped = torch.where(ends[:-1].isfinite(), ends[:-1], 0.0) * parts
    c = torch.cat([torch.zeros_like(p[:, :1]), stopped.cumsum(-1)], -1) + starts * p
    q = m @ p
    slope = -squares * (1 - starts) - (q * c).sum(0)
    curvature = squares - (q * p).sum(0)
    curvature = torch.maximum(curvature, torch.finfo(x.dtype).eps * squares)
    minimum = starts - divide(slope, curvature)
    last = (slope >= 0) | (minimum <= ends)
    piece = last.to(torch.uint8).argmax()
    index = piece[None]
    t = torch.maximum(minimum.take_along_dim(index, 0), starts.take_along_dim(index, 0))[0]
    free = (stops > t) & (gradient != 0)
    cauchy = torch.where(free, into(x - t / theta * gradient, lower, upper), bound)
    cauchy = torch.where(gradient == 0, x, cauchy)
    inside = (cauchy > lower) & (cauchy < upper)
    return cauchy, inside


def _inverse(k: torch.Tensor) -> torch.Tensor:
    # Not `solve`: its derivative in forward mode is NaN for all problems of a batch but the first.
    inverse: torch.Tensor = torch.linalg.inv_ex(wide(k))[0]
    return inverse.to(k.dtype)


def _room(
    x: torch.Tensor, direction: torch.Tensor, lower: torch.Tensor, upper: torch.Tensor
) -> torch.Tensor:
    """Return how often a direction can be added before a bound is met."""
    bound = torch.where(direction < 0, lower, upper)
    meets = (direction != 0) & bound.isfinite()
    room = (torch.where(meets, bound, x) - x) / torch.where(meets, direction, 1.0)
    return torch.where(meets, room, torch.inf).amin()
