"""Anderson acceleration: combine past iterates so that their residuals cancel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch

from torchopt import checks
from torchopt.autodiff.half import narrow, wide
from torchopt.diff.equations import Root
from torchopt.diff.flat_problem import FlatProblem
from torchopt.solver._solver import Solver, push


class AndersonState(NamedTuple):
    """The state of Anderson acceleration.

    Attributes:
        residual: ``r = x - T(x)``, or ``F(x)`` of a root.
        x_changes: The last changes of ``x``, one a row; zero where there was none yet.
        residual_changes: The changes of the residual that belong to them.
    """

    residual: torch.Tensor
    x_changes: torch.Tensor
    residual_changes: torch.Tensor


@dataclass(frozen=True, kw_only=True, eq=False)
class Anderson(Solver[AndersonState]):
    r"""Anderson acceleration of a fixed-point iteration.

    With the residual :math:`r_k = x_k - T(x_k)` and the last :math:`m` changes :math:`\Delta X_k,
    \Delta R_k` of iterates and residuals,

    .. math::
        \gamma_k &= \arg\min_\gamma \lVert r_k - \Delta R_k \, \gamma \rVert_2 \\
        x_{k+1} &= x_k - \beta \, r_k - (\Delta X_k - \beta \, \Delta R_k) \, \gamma_k

    For smooth fixed points with a costly map, such as deep equilibrium models; on a linear map it
    does what GMRES does, and needs no contraction there. Far from the solution of a strongly
    nonlinear map it may diverge: damp it (``relaxation=0.5``), or use :class:`Newton`. As a root finder
    it takes :math:`x - F(x)` for the map, so that it needs an ``F`` whose Jacobian is near a
    multiple of the identity; :class:`Broyden` is more forgiving. A step costs one evaluation of the
    map, :math:`O(m n)` memory and :math:`O(m^2 n)` work.

    Args:
        history_size: The number :math:`m` of past changes to combine.
        relaxation: The factor :math:`\beta`, positive; one is the undamped method.
        ridge: Tikhonov term of the least-squares problem for :math:`\gamma`, relative to columns of
            unit length, positive. By default ``10 m`` times the machine epsilon of the dtype, a
            little more than the rounding errors.
        **common: Tolerances, on :math:`\lVert r \rVert_2`, and ``maxiter``; see :class:`Solver`.

    Raises:
        ValueError: If a number is out of its range.

    Example:
        >>> import torch, torchopt
        >>> x = torch.tensor(1.0, dtype=torch.float64)
        >>> solution = torchopt.fixed_point(torch.cos, x, solver=torchopt.solver.Anderson())
        >>> solution.params, solution.iterations
        (tensor(0.7391, dtype=torch.float64), tensor(6))

    References:
        Anderson, *Iterative procedures for nonlinear integral equations*, 1965. Walker and Ni,
        *Anderson acceleration for fixed-point iterations*, 2011.
    """

    history_size: int = checks.field(5, checks.count(1))
    relaxation: float = checks.field(1.0, checks.POSITIVE)
    ridge: float | None = checks.field(None, checks.or_none(checks.POSITIVE))
    kinds = frozenset({Root})

    def init(self, problem: FlatProblem, x: torch.Tensor) -> AndersonState:
        """Return the state at the starting point."""
        residual = problem.residual(x)
        empty = torch.zeros_like(residual).expand(self.history_size, -1)
        return AndersonState(residual, empty, empty)

    def step(
        self, problem: FlatProblem, x: torch.Tensor, state: AndersonState
    ) -> tuple[torch.Tensor, AndersonState]:
        """Return the next point, and the state there."""
        r, dx, dr = state
        gamma = self._coefficients(r, dr)
        new = x - self.relaxation * r - gamma @ (dx - self.relaxation * dr)
        residual = problem.residual(new)
        return new, AndersonState(residual, push(dx, new - x), push(dr, residual - r))

    def _coefficients(self, r: torch.Tensor, dr: torch.Tensor) -> torch.Tensor:
        eps, dtype, r, dr = torch.finfo(r.dtype).eps, r.dtype, wide(r), wide(dr)
        # Columns of unit length, so that the ridge has no scale; an empty one gets coefficient zero.
        squares = dr.square().sum(1)
        empty = squares <= torch.finfo(r.dtype).tiny
        lengths = torch.where(empty, 1.0, squares).sqrt()
        unit = dr / lengths[:, None]
        ridge = self.ridge
        if ridge is None:
            ridge = 10 * self.history_size * eps
        gram = unit @ unit.T + torch.diag_embed(ridge + empty.to(r.dtype))
        # Without a check: a problem of a batch that has become NaN is its own.
        factor = torch.linalg.cholesky_ex(gram).L
        return narrow(torch.cholesky_solve((unit @ r)[:, None], factor)[:, 0] / lengths, dtype)
