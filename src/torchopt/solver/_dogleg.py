"""BFGS in a trust region, by dogleg steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch

from torchopt import checks
from torchopt.autodiff.line_search import divide
from torchopt.diff.flat_problem import FlatProblem
from torchopt.diff.kinds import Minimum
from torchopt.solver._bfgs import updated_inverse
from torchopt.solver._line_search import first_length
from torchopt.solver._solver import Solver, is_usable, secant_pair


class DoglegState(NamedTuple):
    """The state of BFGS with dogleg steps.

    Attributes:
        residual: The gradient.
        value: The objective.
        hessian: The approximate Hessian; zero where nothing is known.
        inverse: Its inverse.
        radius: How long a step may be.
        stuck: Whether the radius has become too short to change anything.
    """

    residual: torch.Tensor
    value: torch.Tensor
    hessian: torch.Tensor
    inverse: torch.Tensor
    radius: torch.Tensor
    stuck: torch.Tensor


@dataclass(frozen=True, kw_only=True, eq=False)
class Dogleg(Solver[DoglegState]):
    r"""BFGS with a trust region instead of a line search.

    .. math::
        d_k \approx \arg\min_d \; g_k^\top d + \tfrac12 d^\top B_k d
        \quad \text{subject to} \quad \lVert d \rVert \leq \Delta_k

    on the path from zero to the minimum along the gradient and on to :math:`-B_k^{-1} g_k`. A step is
    taken if it lowers the objective by more than :math:`10^{-4}` of what the model says; the radius
    shrinks to a quarter of a step that holds less than a quarter of it, and doubles after a full step
    that holds three quarters. :math:`B_k` learns from refused steps, too.

    For the problems of :class:`BFGS` if evaluations are expensive: a step costs exactly one evaluation
    of objective and gradient, and :math:`O(n^2)` work; and if long steps mislead, since none is longer
    than twice the last good one.

    Args:
        radius: The first radius, relative to the length of a careful first step.
        **common: Tolerances, on :math:`\lVert \nabla f(x) \rVert_2`, and ``maxiter``, which counts
            refused steps too; see :class:`Solver`.

    Raises:
        ValueError: If a number is out of its range.

    Example:
        >>> import torch, torchopt
        >>> solution = torchopt.minimize(
        ...     lambda x: (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2,
        ...     torch.tensor([-1.2, 1.0], dtype=torch.float64),
        ...     solver=torchopt.solver.Dogleg(),
        ... )
        >>> solution.params
        tensor([1.0000, 1.0000], dtype=torch.float64)

    References:
        Powell, *A hybrid method for nonlinear equations*, 1970. Nocedal and Wright, *Numerical
        Optimization*, 2006, algorithm 4.1, equation 4.16 and section 6.1.
    """

    radius: float = checks.field(1.0, checks.POSITIVE)
    maxiter: int = 1000
    kinds = frozenset({Minimum})

    def init(self, problem: FlatProblem, x: torch.Tensor) -> DoglegState:
        """Return the state at the starting point."""
        value, gradient = problem.value_and_gradient(x)
        nothing = torch.zeros_like(gradient[:, None] * gradient)
        never = torch.zeros_like(value, dtype=torch.bool)
        radius = self.radius * first_length(x, value, gradient) * _norm(gradient)
        return DoglegState(gradient, value, nothing, nothing, radius, never)

    def step(
        self, problem: FlatProblem, x: torch.Tensor, state: DoglegState
    ) -> tuple[torch.Tensor, DoglegState]:
        """Return the next point, and the state there."""
        gradient, value, hessian, inverse, radius, _ = state
        fresh = (hessian == 0).all()
        # Without a model, the gradient's direction up to the radius.
        size = _norm(gradient)
        unit = divide(torch.ones_like(size), divide(radius, size))
        newton = -torch.where(
            fresh, gradient / torch.where(unit > 0, unit, 1.0), inverse @ gradient
        )
        along = torch.where(fresh, unit * gradient, hessian @ gradient)
        cauchy = -divide(gradient @ gradient, gradient @ along) * gradient
        direction = _dogleg(cauchy, newton, radius)
        bent = torch.where(fresh, unit * direction, hessian @ direction)
        predicted = -(gradient @ direction + direction @ bent / 2)
        there, new_gradient = problem.value_and_gradient(x + direction)
        actual = value - there
        # Near a minimum both are rounding errors: then a step is good if the gradient gets no larger,
        # or as good as the trapezoidal rule says, for gradients are more accurate than values.
        noise = 100 * torch.finfo(x.dtype).eps * value.detach().abs()
        flat = (predicted.abs() <= noise) & (actual.abs() <= noise)
        calmer = new_gradient.detach().norm() <= gradient.detach().norm()
        by_gradients = -(gradient + new_gradient) @ direction / 2
        actual = torch.where(flat, torch.where(calmer, predicted, by_gradients), actual)
        ratio = divide(actual, predicted)
        ratio = torch.where((predicted > 0) & ratio.isfinite(), ratio, -1.0)
        better = (ratio > 1e-4) & new_gradient.isfinite().all()

        length = _norm(direction)
        full = length >= 0.99 * radius
        radius = torch.where((ratio > 0.75) & full, 2 * radius, radius)
        radius = torch.where(ratio < 0.25, length / 4, radius)
        s, y, moved = secant_pair(direction, new_gradient - gradient)
        usable = moved & is_usable(x, direction, s, y) & y.isfinite().all()
        y = torch.where(usable, y, s)
        # Coming from far away, where the objective is steep, the matrix keeps that in directions of
        # which it has not learned. Before that costs its digits, it is scaled as a whole.
        steep = divide(y @ s, s @ (hessian @ s))
        wide = hessian.detach().norm() * inverse.detach().norm() > torch.finfo(x.dtype).eps ** -0.5
        scale = torch.where(wide & (steep < 1) & (steep > 0), steep, 1.0)
        hessian, inverse = hessian * scale, inverse / scale
        inverse = torch.where(usable, updated_inverse(inverse, s, y, fresh), inverse)
        hessian = torch.where(usable, _updated(hessian, s, y, fresh), hessian)
        broken = ~(predicted > 0) & ~fresh
        hessian = torch.where(broken, 0.0, hessian)
        inverse = torch.where(broken, 0.0, inverse)
        tiny = torch.finfo(x.dtype).eps * x.norm()
        return torch.where(better, x + direction, x), DoglegState(
            torch.where(better, new_gradient, gradient),
            torch.where(better, there, value),
            hessian,
            inverse,
            radius,
            ~better & ((radius <= tiny) | (radius == 0)),
        )


def _dogleg(cauchy: torch.Tensor, newton: torch.Tensor, radius: torch.Tensor) -> torch.Tensor:
    """Return where the path from zero to one point and on to another leaves a ball."""
    near, far = _norm(cauchy), _norm(newton)
    leg = newton - cauchy
    a, b, c = leg @ leg, cauchy @ leg, near.square() - radius.square()
    crosses = (near < radius) & (far > radius)
    root = torch.where(crosses, b.square() - a * c, 1.0).sqrt()
    # The positive root of a t² + 2 b t + c, without cancellation.
    sum_ = torch.where(crosses, b.abs() + root, 1.0)
    t = torch.where(b > 0, -c / sum_, divide(sum_, a))
    onto = cauchy + torch.where(crosses, t, 1.0) * leg
    first = divide(radius, near) * cauchy
    return torch.where(far <= radius, newton, torch.where(near >= radius, first, onto))


def _norm(v: torch.Tensor) -> torch.Tensor:
    square = v.square().sum()
    positive = square > 0
    return torch.where(positive, torch.where(positive, square, 1.0).sqrt(), 0.0)


def _updated(
    hessian: torch.Tensor, s: torch.Tensor, y: torch.Tensor, fresh: torch.Tensor
) -> torch.Tensor:
    """Return BFGS's matrix after a pair of changes."""
    curvature = s @ y
    identity = torch.eye(len(s), dtype=s.dtype, device=s.device)
    hessian = torch.where(fresh, divide(y @ y, curvature) * identity, hessian)
    product = hessian @ s
    old = divide(product[:, None] * product, s @ product)
    return hessian - old + divide(y[:, None] * y, curvature)
