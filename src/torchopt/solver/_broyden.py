"""Broyden's method: a quasi-Newton method for nonlinear equations."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import torch

from torchopt import checks
from torchopt.autodiff.line_search import LineSearch, backtrack, divide
from torchopt.diff.equations import Root
from torchopt.diff.flat_problem import FlatProblem
from torchopt.solver._solver import Solver, push, secant_pair

_SCALE = checks.Word(
    "use a finite number other than zero",
    (int, float),
    lambda scale: scale and math.isfinite(scale),
)


class BroydenState(NamedTuple):
    """The state of Broyden's method: the approximate inverse Jacobian is ``scale I + Uᵀ V``.

    Attributes:
        residual: ``F(x)``, or ``x - T(x)`` of a fixed point.
        scale: The multiple of the identity to start from.
        U: Left factors of the updates, one a row; zero where there was none yet.
        V: Right factors of the updates.
        iterations: The number of steps done.
    """

    residual: torch.Tensor
    scale: torch.Tensor
    U: torch.Tensor
    V: torch.Tensor
    iterations: torch.Tensor


@dataclass(frozen=True, kw_only=True, eq=False)
class Broyden(Solver[BroydenState]):
    r"""Broyden's (good) method with limited memory, for roots and fixed points.

    .. math::
        x_{k+1} = x_k - t_k \, H_k F(x_k), \qquad
        H_{k+1} = H_k + \frac{(s_k - H_k y_k) \, s_k^\top H_k}{s_k^\top H_k y_k}

    with :math:`s_k = x_{k+1} - x_k` and :math:`y_k = F(x_{k+1}) - F(x_k)`. The approximate inverse
    Jacobian :math:`H_k` is a multiple of the identity and up to ``history_size`` updates; when there
    are more, it begins anew.

    For equations whose Jacobian is too large or too costly for :class:`Newton`; converges
    superlinearly while no updates are lost. A step costs one evaluation of :math:`F` (more where
    the line search shortens it), :math:`O(m n)` memory and work.

    Args:
        history_size: The number :math:`m` of updates to keep.
        scale: :math:`H_0` as a multiple of the identity. By default the one that fits the Jacobian at
            the start along :math:`F` best, which costs one product with it.
        line_search: Whether to shorten steps, by the derivative-free rule of Li and Fukushima,
            :math:`\lVert F(x_{k+1}) \rVert \le (1 + \eta_k) \lVert F(x_k) \rVert - \sigma \lVert s_k
            \rVert^2`, with :math:`\eta_k = (k + 1)^{-2}` and :math:`\sigma = 10^{-3}`.
        line_search_maxiter: The most halvings of a step.
        **common: Tolerances, on :math:`\lVert F(x) \rVert_2`, and ``maxiter``; see :class:`Solver`.

    Raises:
        ValueError: If a number is out of its range.

    Example:
        >>> import torch, torchopt
        >>> A = torch.tensor([[4.0, 1.0], [-2.0, 3.0]])
        >>> torchopt.root(
        ...     lambda x: A @ x + x**3 - 1, torch.zeros(2), solver=torchopt.solver.Broyden()
        ... ).params
        tensor([0.1470, 0.4086])

    References:
        Broyden, *A class of methods for solving nonlinear simultaneous equations*, 1965. Nocedal and
        Wright, *Numerical Optimization*, 2006, algorithm 11.3, inverted by Sherman and
        Morrison's formula. Li and Fukushima, *A derivative-free line search and global
        convergence of Broyden-like method*, 2000.
    """

    history_size: int = checks.field(20, checks.count(1))
    scale: float | None = checks.field(None, checks.or_none(_SCALE))
    line_search: bool = True
    line_search_maxiter: int = checks.field(20, checks.count(1))
    maxiter: int = 200
    kinds = frozenset({Root})

    def init(self, problem: FlatProblem, x: torch.Tensor) -> BroydenState:
        """Return the state at the starting point."""
        residual = problem.residual(x)
        if self.scale is None:
            product = problem.jacobian(x)(residual)
            scale = divide(product @ residual, product @ product)
            scale = torch.where(scale == 0, 1.0, scale)
        else:
            scale = torch.full_like(residual.sum(), self.scale)
        empty = torch.zeros_like(residual).expand(self.history_size, -1)
        return BroydenState(
            residual, scale, empty, empty, torch.zeros_like(scale, dtype=torch.int64)
        )

    def step(
        self, problem: FlatProblem, x: torch.Tensor, state: BroydenState
    ) -> tuple[torch.Tensor, BroydenState]:
        """Return the next point, and the state there."""
        residual, scale, U, V, iterations = state
        direction = -(scale * residual + (V @ residual) @ U)
        t, new_residual = self._search(problem, x, direction, residual, iterations)
        change = t * direction
        s, y, moved = secant_pair(change, new_residual - residual)
        Hy = scale * y + (V @ y) @ U
        Hs = scale * s + (U @ s) @ V  # of the transpose
        pivot = s @ Hy
        # Without the update where it would be a division by rounding errors.
        usable = moved & (pivot.abs() > torch.finfo(x.dtype).eps * Hy.norm())
        u = divide(s - Hy, pivot)
        full = (V[0] != 0).any()  # then begin anew: without its oldest update it is no inverse
        U = torch.where(full, 0.0, torch.where(usable, push(U, u), U))
        V = torch.where(full, 0.0, torch.where(usable, push(V, Hs), V))
        return x + change, BroydenState(new_residual, scale, U, V, iterations + 1)

    def _search(
        self,
        problem: FlatProblem,
        x: torch.Tensor,
        direction: torch.Tensor,
        residual: torch.Tensor,
        iterations: torch.Tensor,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the step length and the residual there."""
        if not self.line_search:
            return torch.ones_like(residual.sum()), problem.residual(x + direction)

        def evaluate(t: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            there = problem.residual(x + t * direction)
            return there.detach().norm(), there

        size = residual.detach().norm()
        square = direction.detach().square().sum()
        most = (1 + (iterations + 1).to(size.dtype) ** -2) * size
        t, _, new_residual = backtrack(
            evaluate,
            lambda t: most - 1e-3 * t.square() * square,
            LineSearch(torch.zeros_like(size), size, residual),
            self.line_search_maxiter,
        )
        return t, new_residual
