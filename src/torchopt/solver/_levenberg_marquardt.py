"""Levenberg-Marquardt: Gauss-Newton steps, damped until they help."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import torch

from torchopt import checks
from torchopt.autodiff.half import narrow, wide
from torchopt.autodiff.line_search import divide
from torchopt.autodiff.loops import iterate
from torchopt.diff.flat_problem import FlatProblem
from torchopt.diff.kinds import CompositeLeastSquares, LeastSquares
from torchopt.linalg import LinearOperator, jacobian_operator
from torchopt.linear_solve.checking import LINEAR_SOLVER
from torchopt.linear_solve.dense import columns_of
from torchopt.operators.linear import normal_operator
from torchopt.pytree.typing import TensorTree
from torchopt.solver._bounds import BoundedSolver, into, reduced
from torchopt.solver._newton import solve_for_step

Scaling = Literal["marquardt", "identity"]


class LevenbergMarquardtState(NamedTuple):
    """The state of the Levenberg-Marquardt method.

    Attributes:
        residual: The gradient ``Jᵀ r``, without its parts that push against a bound.
        residuals: The residuals ``r``.
        damping: The damping.
        growth: The factor of the damping at the next refused step.
        squares: The squares of the scaling of the unknowns.
        stuck: Whether the step has become too short to change anything.
    """

    residual: torch.Tensor
    residuals: torch.Tensor
    damping: torch.Tensor
    growth: torch.Tensor
    squares: torch.Tensor
    stuck: torch.Tensor


@dataclass(frozen=True, kw_only=True, eq=False)
class LevenbergMarquardt(BoundedSolver[LevenbergMarquardtState]):
    r"""The Levenberg-Marquardt method for nonlinear least squares.

    .. math::
        (J_k^\top J_k + \lambda_k D_k^2) \, d_k = -J_k^\top r(x_k), \qquad
        \varrho_k = \frac{\lVert r(x_k) \rVert^2 - \lVert r(x_k + d_k) \rVert^2}
                         {\lVert r(x_k) \rVert^2 - \lVert r(x_k) + J_k d_k \rVert^2}

    with the Jacobian :math:`J_k` of the residuals :math:`r`. A step with a positive gain ratio
    :math:`\varrho_k` is taken, and the damping multiplied by :math:`\max(\tfrac13, 1 - (2 \varrho_k -
    1)^3)`; any other is refused, and the damping grows, faster each time. With bounds
    :math:`l \leq x \leq u` (``subject_to=torchopt.sets.Box(l, u)``, ``NonNegative()``, or a tree of
    them), :math:`d_k` minimizes the same quadratic function between them, by an active-set method.

    The first choice for fitting curves and for bundle adjustment: as fast as :class:`GaussNewton` near
    a good fit, and safe where the Jacobian loses rank. The default builds :math:`J_k` in as many
    products as it has columns or rows and costs :math:`O(m n^2)`, for up to a few thousand unknowns;
    for more, take ``scaling="identity"`` and an iterative ``linear_solve``.

    Args:
        damping: The first damping, relative to the curvature.
        scaling: ``"marquardt"``: :math:`D_k^2` is the largest diagonal of :math:`J^\top J` so far, so
            that the units of the unknowns do not matter; ``"identity"``: a multiple of the identity.
        linear_solve: ``linear_solve(operator, b) -> x`` for the symmetric positive definite operator
            on the left; by default a QR factorization of :math:`J_k` and the damping, which does not
            square the condition number.
        **common: Tolerances, on :math:`\lVert J^\top r \rVert_2` (without its parts that push against
            a bound), and ``maxiter``, which counts refused steps too; see :class:`Solver`.

    Raises:
        ValueError: If a number is out of its range, ``scaling`` is unknown, or the problem has
            more than bounds.
        TypeError: If ``linear_solve`` cannot be called.

    Example:
        >>> import torch, torchopt
        >>> t = torch.linspace(0, 1, 5)
        >>> data = 3 * torch.exp(-2 * t)
        >>> torchopt.least_squares(
        ...     lambda p: p["size"] * torch.exp(-p["rate"] * t) - data,
        ...     {"size": torch.tensor(1.0), "rate": torch.tensor(1.0)},
        ...     solver=torchopt.solver.LevenbergMarquardt(),
        ... ).params
        {'size': tensor(3.), 'rate': tensor(2.0000)}

    References:
        Marquardt, *An algorithm for least-squares estimation of nonlinear parameters*, 1963. Moré,
        *The Levenberg-Marquardt algorithm: implementation and theory*, 1978, section 6 (scaling).
        Nielsen, *Damping parameter in Marquardt's method*, 1999 (damping). Nocedal and Wright,
        *Numerical Optimization*, 2006, section 10.3. Conn, Gould and Toint, *Trust-Region Methods*,
        2000, section 17.4.2 (the ratio of rounding errors). Hintermüller, Ito and Kunisch, *The
        Primal-Dual Active Set Strategy as a Semismooth Newton Method*, 2002 (bounds).
    """

    damping: float = checks.field(1e-3, checks.POSITIVE)
    scaling: Scaling = checks.field("marquardt", checks.one_of(Scaling))
    linear_solve: Callable[..., TensorTree] | None = checks.field(None, LINEAR_SOLVER)
    maxiter: int = 200
    kinds = frozenset({LeastSquares, CompositeLeastSquares})

    def init(self, problem: FlatProblem, x: torch.Tensor) -> LevenbergMarquardtState:
        """Return the state at the starting point."""
        lower, upper = problem.bounds(x)
        x = into(x, lower, upper)
        residuals, gradient = problem.least_squares_residuals(x), problem.gradient(x)
        value = residuals @ residuals / 2
        squares = torch.zeros_like(gradient)
        if self.scaling == "identity":  # the curvature along the gradient
            product = jacobian_operator(problem.least_squares_residuals, x)(gradient)
            squares = squares + divide(product @ product, gradient @ gradient)
        return LevenbergMarquardtState(
            reduced(x, gradient, lower, upper),
            residuals,
            torch.full_like(value, self.damping),
            torch.full_like(value, 2.0),
            squares,
            torch.zeros_like(value, dtype=torch.bool),
        )

    def step(
        self, problem: FlatProblem, x: torch.Tensor, state: LevenbergMarquardtState
    ) -> tuple[torch.Tensor, LevenbergMarquardtState]:
        """Return the next point, and the state there."""
        gradient, r, damping, growth, squares, _ = state
        lower, upper = problem.bounds(x)
        x = into(x, lower, upper)
        J = jacobian_operator(problem.least_squares_residuals, x)
        along = J
        if self.linear_solve is None or self.scaling == "marquardt":
            matrix = _matrix(J, x, r)
            along = LinearOperator(matrix.mv)
            if self.scaling == "marquardt":
                squares = torch.maximum(squares, matrix.square().sum(0))
        weights = damping * torch.where(squares > 0, squares, 1.0)
        normal = normal_operator(J)

        def minimizer(fixed: torch.Tensor, at: torch.Tensor) -> torch.Tensor:
            """Return the best step among those that are given for some unknowns."""
            kept = torch.where(fixed, at, 0.0)
            if self.linear_solve is None:
                masked, ones = torch.where(fixed, 0.0, matrix), torch.where(fixed, 1.0, weights)
                return torch.where(fixed, at, _damped_least_squares(masked, r + along(kept), ones))

            def damped(x: torch.Tensor, weights: torch.Tensor) -> LinearOperator:
                normal = normal_operator(jacobian_operator(problem.least_squares_residuals, x))

                def product(v: torch.Tensor) -> torch.Tensor:
                    moved = normal(torch.where(fixed, 0.0, v)) + weights * v
                    return torch.where(fixed, v, moved)

                return LinearOperator(product, symmetric=True)

            slope = torch.where(fixed, 0.0, gradient + normal(kept))
            step = solve_for_step(self.linear_solve, damped, (x, weights), slope)
            return torch.where(fixed, at, step)

        if problem.is_composite:
            gradient = J.T(r)
            direction = _between(
                minimizer,
                lambda d: gradient + normal(d) + weights * d,
                torch.where(squares > 0, squares, 1.0) + weights,
                lower - x,
                upper - x,
            )
            moved = along(direction)
            predicted = -2 * (gradient @ direction) - moved @ moved
        else:
            direction = minimizer(torch.zeros_like(x, dtype=torch.bool), torch.zeros_like(x))
            predicted = direction @ (weights * direction - gradient)
        new = into(x + direction, lower, upper)
        new_r = problem.least_squares_residuals(new)
        actual = (r - new_r) @ (r + new_r)
        # Rounding of the residuals' terms, which may be much larger than they are. Near the solution
        # both reductions are rounding errors: then the linearization is right, and the step is good.
        size = r.detach().norm()
        noise = 10 * torch.finfo(x.dtype).eps * size * (size + along(x).detach().norm())
        rounding = (predicted <= noise) & (actual >= -noise)
        ratio = torch.where(rounding, 1.0, divide(actual + noise, predicted + noise))
        better = (ratio > 0) & (predicted >= -noise)
        shrink = (1 - (2 * ratio - 1) ** 3).clamp(min=1 / 3)
        # A refused point may be infinite or NaN: it is left out before it meets anything else.
        x = torch.where(better, new, x)
        return x, LevenbergMarquardtState(
            reduced(x, problem.gradient(x), lower, upper),
            torch.where(better, new_r, r),
            damping * torch.where(better, shrink, growth),
            torch.where(better, 2.0, 2 * growth),
            squares,
            ~better & (damping * torch.finfo(x.dtype).eps > 1),
        )


class _Guess(NamedTuple):
    """Which bounds are active, the step by the guess before, and whether that was another one."""

    low: torch.Tensor
    high: torch.Tensor
    step: torch.Tensor
    changed: torch.Tensor


def _between(
    minimizer: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
    gradient: Callable[[torch.Tensor], torch.Tensor],
    curvature: torch.Tensor,
    lower: torch.Tensor,
    upper: torch.Tensor,
) -> torch.Tensor:
    """Minimize a strictly convex quadratic function between bounds, to which zero belongs.

    Guess which bounds are active, minimize over the other unknowns, and guess again by the minimizer
    and its multipliers, until the guess is right.

    Args:
        minimizer: ``minimizer(fixed, at)``, the minimizer where the unknowns that are fixed are ``at``.
        gradient: The gradient of the function.
        curvature: About the diagonal of its Hessian, which says how a multiplier compares to a step.
        lower: The lower bounds, at most zero.
        upper: The upper bounds, at least zero.
    """

    def advance(guess: _Guess) -> _Guess:
        low, high, _, _ = guess
        d = minimizer(low | high, torch.where(low, lower, torch.where(high, upper, 0.0)))
        multiplied = d - torch.where(low | high, gradient(d) / curvature, 0.0)
        new_low, new_high = multiplied < lower, multiplied > upper
        changed = ((new_low != low) | (new_high != high)).any()
        return _Guess(new_low, new_high, d, changed)

    none = torch.zeros_like(lower, dtype=torch.bool)
    start = _Guess(none, none, torch.zeros_like(lower), torch.ones_like(none.any()))
    guess, _ = iterate(advance, start, lambda guess: guess.changed, maxiter=20)
    # A guess may come again for ever; then the point is no minimum, and more damping helps.
    return into(guess.step, lower, upper)


def _matrix(J: LinearOperator, x: torch.Tensor, r: torch.Tensor) -> torch.Tensor:
    """Return the matrix of an operator, by as few products as there are columns or rows."""
    more = len(x) > len(r)
    operator, like = (J.T, r) if more else (J, x)
    fine = r.isfinite().all()  # a problem of a batch that has become NaN is its own
    columns = columns_of(
        LinearOperator(lambda v: torch.where(fine, operator(v), 0.0)),
        torch.eye(len(like), dtype=like.dtype, device=like.device),
        batched=True,
        chunk_size=None,
    )
    return columns.T if more else columns


def _damped_least_squares(
    matrix: torch.Tensor, r: torch.Tensor, weights: torch.Tensor
) -> torch.Tensor:
    """Return the minimizer of ``‖J d + r‖² + ‖√weights d‖²``."""
    stacked = wide(torch.cat([matrix, torch.diag_embed(weights.sqrt())]))
    q, upper = torch.linalg.qr(stacked)
    right = -(q[: len(r)].T @ wide(r))
    step = torch.linalg.solve_triangular(upper, right[:, None], upper=True)[:, 0]
    return narrow(step, r.dtype)
