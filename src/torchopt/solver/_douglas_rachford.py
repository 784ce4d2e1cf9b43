"""Douglas–Rachford splitting: two proximal operators in turn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch

from torchopt import checks
from torchopt.autodiff.tracking import untracked
from torchopt.diff.flat_problem import FlatProblem
from torchopt.diff.kinds import Composite, Minimum
from torchopt.linear_solve import CG
from torchopt.operators.implicit_function import implicit
from torchopt.pytree.typing import Numeric, TensorTree
from torchopt.solver._newton import Newton
from torchopt.solver._proximal_step import STEP_SIZE
from torchopt.solver._solver import FOR_MINIMA, Solver

_PROX = checks.a_function("`(params, t, *args)`")


class DouglasRachfordState(NamedTuple):
    """The state of Douglas–Rachford splitting.

    Attributes:
        residual: The difference of the two proximal points, divided by the length.
        point: What is iterated, :math:`z`.
        other: The proximal point of the objective; at a solution it is that of the term.
        length: The length of the steps.
    """

    residual: torch.Tensor
    point: torch.Tensor
    other: torch.Tensor
    length: torch.Tensor


@dataclass(frozen=True, kw_only=True, eq=False)
class DouglasRachford(Solver[DouglasRachfordState]):
    r"""Douglas–Rachford splitting, which is the alternating direction method of multipliers (ADMM).

    .. math::
        x_k = \operatorname{prox}_{t g}(z_k), \qquad
        y_k = \operatorname{prox}_{t f}(2 x_k - z_k), \qquad
        z_{k+1} = z_k + \rho \, (y_k - x_k)

    With :math:`u = z - x` and :math:`\rho = 1` these are the steps of ADMM for :math:`f(y) + g(x)`
    with :math:`x = y`.

    Use it where a step on :math:`f` alone is cheap and gradient steps are slow: an objective with very
    different curvatures, such as an ill-conditioned least-squares problem. It converges for convex
    :math:`f` and :math:`g` with any length; :math:`x_k`, which is returned, is in the set, if
    :math:`g` is one.

    The objective's proximal operator is an argument, if there is a formula for it; else another solver
    computes it, by default :class:`Newton` with the matrix :math:`I + t \nabla^2 f`. With a formula,
    :math:`f` need not be smooth: then differentiate by ``diff.Explicit()``, since
    :class:`~torchopt.diff.Implicit` asks for its gradient.

    Args:
        objective_prox: ``objective_prox(params, t, *args)`` returns the proximal operator of the
            objective, in the units of the user, as a tree like ``params``. None for ``inner``.
        inner: The solver for :math:`\min_y t f(y) + \lVert y - v \rVert^2 / 2`, one for minima; None
            for ``Newton()``, for up to a few thousand unknowns. Use ``LBFGS()`` for more.
        step_size: The length :math:`t`: a number or a scalar tensor. None for one over the curvature at
            the start.
        relaxation: The factor :math:`\rho` between 0 and 2.
        **common: Tolerances, on the norm of :math:`(x_k - y_k) / t`, and ``maxiter``; see
            :class:`Solver`.

    Raises:
        ValueError: If an argument is out of its range.
        TypeError: If an argument has the wrong type.

    Example:
        Basis pursuit, the least sum of absolute values on a line: neither part is smooth.

        >>> import torch, torchopt
        >>> term = torchopt.prox.L1(1.0)
        >>> a = torch.tensor([1.0, 2.0])
        >>> def onto_line(x, t):
        ...     return x - (a @ x - 4) / (a @ a) * a
        >>> torchopt.minimize(
        ...     lambda x: 0 * x.sum(), torch.zeros(2), prox=term, diff=torchopt.diff.Explicit(),
        ...     solver=torchopt.solver.DouglasRachford(objective_prox=onto_line, step_size=1.0)
        ... ).params.round(decimals=3)
        tensor([0., 2.])

    References:
        Lions and Mercier, *Splitting Algorithms for the Sum of Two Nonlinear Operators*, 1979. Eckstein
        and Bertsekas, *On the Douglas–Rachford Splitting Method*, 1992, section 5 (ADMM). Parikh and
        Boyd, *Proximal Algorithms*, 2014, section 4.4.
    """

    objective_prox: Callable[..., TensorTree] | None = checks.field(None, checks.or_none(_PROX))
    inner: Solver[Any] | None = checks.field(None, checks.or_none(FOR_MINIMA))
    step_size: Numeric | None = checks.field(None, STEP_SIZE)
    relaxation: float = checks.field(1.0, checks.number(0, 2, ends="()"))
    maxiter: int = 2000
    kinds = frozenset({Composite})

    def init(self, problem: FlatProblem, x: torch.Tensor) -> DouglasRachfordState:
        """Return the state at the starting point."""
        length = problem.step_length(x) if self.step_size is None else self.step_size
        length = length * torch.ones_like(x.sum())
        # At a solution, this is the fixed point that it belongs to.
        z = x - length * problem.gradient(x)
        return self._state(problem, z, x, length)[1]

    def step(
        self, problem: FlatProblem, x: torch.Tensor, state: DouglasRachfordState
    ) -> tuple[torch.Tensor, DouglasRachfordState]:
        """Return the next point, and the state there."""
        z = state.point - self.relaxation * state.length * state.residual
        return self._state(problem, z, state.other, state.length)

    def error(
        self, problem: FlatProblem, x: torch.Tensor, state: DouglasRachfordState
    ) -> torch.Tensor:
        """Return the length of the residual; at the start, of that between it and the next point."""
        return torch.linalg.vector_norm((x - state.other).detach() / state.length)

    def measured(
        self, problem: FlatProblem, x: torch.Tensor, state: DouglasRachfordState
    ) -> tuple[torch.Tensor, Callable[[torch.Tensor], torch.Tensor]]:
        """Return what is iterated, and the change of it that a step makes."""
        return (
            state.point,
            lambda z: self._state(problem, z, state.other, state.length)[1].residual,
        )

    def _state(
        self, problem: FlatProblem, z: torch.Tensor, start: torch.Tensor, length: torch.Tensor
    ) -> tuple[torch.Tensor, DouglasRachfordState]:
        x = problem.prox(z, length)
        y = self._prox_of_objective(problem, 2 * x - z, start, length)
        return x, DouglasRachfordState((x - y) / length, z, y, length)

    def _prox_of_objective(
        self, problem: FlatProblem, v: torch.Tensor, start: torch.Tensor, length: torch.Tensor
    ) -> torch.Tensor:
        if self.objective_prox is not None:
            tree = self.objective_prox(problem.unravel(v), length, *problem.args)
            return problem.ravel(tree).to(v.dtype)

        def objective(y: torch.Tensor) -> torch.Tensor:
            return length * problem.value(y) + (y - v).square().sum() / 2

        def equation(y: torch.Tensor, v: torch.Tensor, length: torch.Tensor) -> torch.Tensor:
            return length * problem.gradient(y) + y - v

        sub = FlatProblem(Minimum(objective))
        with untracked():
            if self.inner is None:
                # From a start within the tolerance, one step more is accurate to rounding errors.
                inner: Solver[Any] = Newton(on_failure="ignore")
                start = inner.step(sub, start, inner.init(sub, start))[0]
            else:
                inner = self.inner
            run = inner.run(sub, start)
            # A solver that meets NaN stays where it is, which must not look like a solution.
            error = run.stats.error
            y = run.x if error is None else torch.where(error.isfinite(), run.x, torch.nan)
        return implicit(equation, y, linear_solve=CG(), inputs=(v, length), symmetric=True)

    def keeps_units(self, problem: FlatProblem) -> bool:
        """Whether the problem is run in the user's units: with a given length or operator."""
        return self.step_size is not None or self.objective_prox is not None
