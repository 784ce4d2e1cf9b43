"""How far a point is from a solution, by the step that Newton's method would take from there.

Solvers judge convergence by it, and the implicit mode the solutions of functions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch

from torchopt.autodiff.line_search import divide
from torchopt.autodiff.loops import wide
from torchopt.linalg import LinearOperator, jacobian_operator
from torchopt.linear_solve import GMRES, MINRES
from torchopt.linear_solve.dense import columns_of

__all__ = ["DENSE", "NewtonStep", "newton_step"]

#: For how many unknowns the whole Jacobian is computed; for more, a few steps of a Krylov method do.
DENSE = 100
_KRYLOV = 10


class NewtonStep(NamedTuple):
    """The step that Newton's method would take.

    Attributes:
        relative: Its largest part relative to the size of an unknown; NaN where the Jacobian is no
            number.
        decrease: By how much it would lower an objective, if its parts of negative curvature were
            turned.
    """

    relative: torch.Tensor
    decrease: torch.Tensor


def newton_step(
    function: Callable[[torch.Tensor], torch.Tensor],
    x: torch.Tensor,
    *,
    largest: torch.Tensor,
    symmetric: bool,
    minimum: bool = False,
) -> NewtonStep:
    r"""Return the step of Newton's method from a point, relative to the size of each unknown.

    .. math:: \max_i \; |d_i| / s_i, \qquad J d = -F(x)

    The size is that of the unknown itself, or, where this is near zero, a small part of what would
    change the residual as much as all others do. So the number is the same in any units of unknowns and
    equations, and a direction that matters little beside a stiff one counts, too. Parts of the residual
    below its rounding errors do not.

    Args:
        function: What is zero at a solution, a function of vectors.
        x: The point.
        largest: The largest magnitude of each unknown so far.
        symmetric: Whether the Jacobian is symmetric.
        minimum: Whether it is a Hessian, of negative curvature in no direction at a solution.
    """
    x = x.detach()
    residual = function(x).detach()
    if x.numel() > DENSE:
        return _by_krylov(function, x, residual, largest, symmetric)
    J = _jacobian(function, x, residual, symmetric)
    eps, n = torch.finfo(x.dtype).eps, x.numel()
    size = torch.maximum(x.abs(), eps * largest)
    # How large the terms of each equation are, by which it is rounded.
    change = function(x + 4 * eps * size).detach() - function(x - 4 * eps * size).detach()
    terms = (change.abs() / (4 * eps)).nan_to_num(0.0, 0.0)
    terms = torch.maximum(terms, J.abs() @ size)
    residual, largest, size, terms, J = map(wide, (residual, largest, size, terms, J))
    fine = J.isfinite().all() & residual.isfinite().all()
    J, residual = torch.where(fine, J, 0.0), torch.where(fine, residual, 0.0)
    rows, columns = _units(J, size, symmetric)
    J = rows[:, None] * J * columns
    U, S, Vh = torch.linalg.svd(J)
    part = U.mT @ (rows * residual)
    noise = 2 * eps * (U.abs().mT @ (rows * terms))
    S = torch.maximum(S, n * eps * S.amax())
    decrease = divide(part.square(), S).sum() / 2
    part = part.sign() * (part.abs() - noise).relu()
    step = columns * (Vh.mT @ divide(part, S))
    none = (S == 0).any() & (part != 0).any()  # a constant, which nothing makes zero
    if minimum:  # nor is a saddle one
        none = none | (((U * Vh.mT).sum(0) < 0) & (eps**0.5 * S.amax() < S)).any()
    # What is zero at the solution has the size of what changes the equations as much as the others do.
    other = columns * (size / columns).norm()
    if not symmetric:  # an equation with unknowns of its own is not compared to the others
        other = torch.minimum(other, largest)
    size = torch.maximum(size, eps**0.2 * other)
    left = torch.where(step == 0, 0.0, step.abs() / size)
    left = torch.where(none, torch.inf, left.amax())
    return NewtonStep(torch.where(fine, left, torch.nan), torch.where(none, torch.inf, decrease))


def _units(
    J: torch.Tensor, size: torch.Tensor, symmetric: bool
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the units of equations and unknowns in which the largest entries are about one (Ruiz)."""
    columns = torch.where(size > 0, size, 1.0)
    rows = columns if symmetric else torch.ones_like(columns)
    for _ in range(8):
        scaled = (rows[:, None] * J * columns).abs()
        by_row, by_column = scaled.amax(1), scaled.amax(0)
        rows = rows / torch.where(by_row > 0, by_row, 1.0).sqrt()
        columns = columns / torch.where(by_column > 0, by_column, 1.0).sqrt()
    return rows, columns


def _jacobian(
    function: Callable[[torch.Tensor], torch.Tensor],
    x: torch.Tensor,
    residual: torch.Tensor,
    symmetric: bool,
) -> torch.Tensor:
    unit = torch.eye(x.numel(), dtype=x.dtype, device=x.device)
    try:
        J = jacobian_operator(function, x, symmetric=symmetric)
        return columns_of(J, unit, batched=True, chunk_size=None).detach()
    except (RuntimeError, ValueError):  # it has no derivative, or none of a batch
        operator = _differences(function, x, residual)
        return columns_of(operator, unit, batched=False, chunk_size=None)


def _differences(
    function: Callable[[torch.Tensor], torch.Tensor], x: torch.Tensor, residual: torch.Tensor
) -> LinearOperator:
    """Return products with the Jacobian by finite differences, for what has no second derivative."""
    tiny = torch.finfo(x.dtype).eps ** 0.5
    scale = torch.where(x.norm() > 0, x.norm(), 1.0)

    def product(v: torch.Tensor) -> torch.Tensor:
        # Relative to the unknowns that move.
        along = (x * v).norm() / v.norm()
        length = tiny * torch.where(along > 0, along, tiny * scale)
        there = function(x + length * divide(v, v.norm())).detach()
        return ((there - residual) / length * v.norm()).nan_to_num(0.0, 0.0, 0.0)

    return LinearOperator(product, product, symmetric=True)


def _by_krylov(
    function: Callable[[torch.Tensor], torch.Tensor],
    x: torch.Tensor,
    residual: torch.Tensor,
    largest: torch.Tensor,
    symmetric: bool,
) -> NewtonStep:
    solver = MINRES if symmetric else GMRES
    residual = residual.nan_to_num(0.0, 0.0, 0.0)
    operator = _differences(function, x, residual)
    step = solver(maxiter=_KRYLOV, rtol=0.01, on_failure="ignore")(operator, residual)
    eps = torch.finfo(x.dtype).eps
    size = torch.maximum(x.norm(), eps * largest.norm())
    left = torch.where((step == 0).all(), 0.0, step.norm() / size)
    return NewtonStep(left, (step @ residual).abs() / 2)
