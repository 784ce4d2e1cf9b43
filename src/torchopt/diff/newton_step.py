"""How far a point is from a solution, by the step that Newton's method would take from there.

Solvers judge convergence by it, and the implicit mode the solutions of functions.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TypeVar

import torch

from torchopt.autodiff.line_search import divide
from torchopt.autodiff.loops import all_true, any_true
from torchopt.autodiff.tracing import gathered
from torchopt.linalg import LinearOperator, jacobian_operator
from torchopt.linear_solve import GMRES, MINRES
from torchopt.linear_solve.dense import columns_of

T = TypeVar("T")

#: For how many unknowns the whole Jacobian is computed; for more, a few steps of a Krylov method do.
DENSE = 100
_KRYLOV = 30


def newton_step(
    function: Callable[[torch.Tensor], torch.Tensor],
    x: torch.Tensor,
    residual: torch.Tensor,
    *,
    largest: torch.Tensor,
    tolerance: float,
    symmetric: bool,
    minimum: bool = False,
    held: Callable[[torch.Tensor], torch.Tensor] | None = None,
) -> torch.Tensor:
    r"""Return the step of Newton's method from a point, relative to the size of each unknown.

    .. math:: \max_i \; |d_i| / s_i, \qquad J d = -F(x)

    The size is that of the unknown itself, or, where this is near zero, a small part of what would
    change the residual as much as all others do. So the number is the same in any units of unknowns and
    equations, and a direction that matters little beside a stiff one counts, too. To a short step is
    added by how much the rounding errors of the residual would change it: what they hide is not known.

    It takes one evaluation, and one more where the step is short.

    Args:
        function: What is zero at a solution, a function of vectors.
        x: The point.
        residual: The value of the function there.
        largest: The largest magnitude of each unknown so far.
        tolerance: What is a short step.
        symmetric: Whether the Jacobian is symmetric.
        minimum: Whether it is a Hessian, of negative curvature in no direction at a solution.
        held: Returns the Jacobian's products with rows from the left, on a graph that is held; None for
            those of an evaluation.

    Returns:
        A scalar: NaN where the Jacobian is no number, infinite where no step leads to a solution.
    """
    x, residual = x.detach(), residual.detach()
    eps, n = torch.finfo(x.dtype).eps, x.numel()
    size = torch.maximum(x.abs(), eps * largest)

    def errors(product: Callable[[torch.Tensor], torch.Tensor], step: torch.Tensor) -> torch.Tensor:
        """Return by how much the residual after the step is not what it were if it was linear.

        That is a sample of its rounding errors, or of its curvature where this is larger.
        """
        sign = torch.where(torch.arange(n, device=x.device) % 2 == 0, 1.0, -0.75).to(x)
        there = x - step.to(x) + 4 * eps * size * sign
        return function(there).detach() - residual - product(there - x)

    if n > DENSE:
        solver = (MINRES if symmetric else GMRES)(maxiter=_KRYLOV, rtol=0.001, on_failure="ignore")
        A, step = _differentiated(
            function, x, symmetric, lambda A, batched: (A, solver(A, residual))
        )
        left = step.norm() / size.norm()
        if any_true(left <= tolerance):
            # They lie in all directions, what is left of the residual in those of large steps.
            left = left * (1 + divide(errors(A, step).norm(), residual.norm()))
        return torch.where((step == 0).all(), 0.0, left)

    unit = torch.eye(n, dtype=x.dtype, device=x.device)
    J = _differentiated(
        function,
        x,
        symmetric,
        lambda A, batched: (
            (held(unit) if held else columns_of(A.T, unit, batched=True, chunk_size=None).mT)
            if batched
            else columns_of(A, unit, batched=False, chunk_size=None)
        ),
    ).detach()
    fine = J.isfinite().all() & residual.isfinite().all()
    J, F = torch.where(fine, J, 0.0).double(), torch.where(fine, residual, 0.0).double()
    unknowns, largest = size.double(), largest.double()
    # At most this, by a factorization: enough to see that it is short beside each unknown.
    inverse, singular = torch.linalg.inv_ex(J)
    step = inverse @ F
    if all_true((singular == 0) & fine & (step.abs() <= tolerance * unknowns).all()):
        doubt = inverse @ errors(lambda v: (J @ v.double()).to(v), step).double()
        most = ((step.abs() + doubt.abs()) / unknowns).amax()
        definite = torch.linalg.cholesky_ex(J)[1] == 0 if minimum else most == most
        if all_true((most <= tolerance) & definite):
            return most.to(x.dtype)
    rows, columns = _units(J, unknowns, symmetric)
    U, S, Vh = torch.linalg.svd(rows[:, None] * J * columns)
    known = 4 * n * eps * S.amax() < S
    other = columns * (unknowns / columns).norm()
    if not symmetric:  # an equation with unknowns of its own is not compared to the others
        other = torch.where(largest > 0, torch.minimum(other, largest), other)
    floor = eps**0.25 * other
    measure = torch.maximum(unknowns, torch.minimum(eps**0.2 * other, 20 * unknowns))

    def relative(step: torch.Tensor) -> torch.Tensor:
        nothing = torch.maximum(step, unknowns)  # of an unknown that is zero beside the others
        each = torch.minimum(step / measure, nothing / floor)
        return torch.where(step > 0, each, 0.0).amax()

    def parts_and_step(F: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        parts = U.mT @ (rows * F)
        step = columns * (Vh.mT @ torch.where(known, divide(parts, S), 0.0))
        return torch.where(known, 0.0, parts).norm(), step

    hidden, step = parts_and_step(F)
    left = relative(step.abs())
    if any_true(left <= tolerance):
        noise, doubt = parts_and_step(errors(lambda v: (J @ v.double()).to(v), step).double())
        left = relative(step.abs() + doubt.abs())
        # Where the Jacobian may be zero, no step makes zero what is more than rounding errors.
        terms = torch.where(size.norm() <= eps**0.5 * largest.norm(), J.abs() @ unknowns, F)
        none = hidden > 10 * (noise + n * eps * (rows * terms).norm())
        left = torch.where(none, torch.inf, left)
    if minimum:
        saddle = ((U * Vh.mT).sum(0) < 0) & (eps**0.5 * S.amax() < S)
        left = torch.where(saddle.any(), torch.inf, left)
    return torch.where(fine, left, torch.nan).to(x.dtype)


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


def _differentiated(
    function: Callable[[torch.Tensor], torch.Tensor],
    x: torch.Tensor,
    symmetric: bool,
    compute: Callable[[LinearOperator, bool], T],
) -> T:
    """Return what is computed with the Jacobian: by autograd, or else by finite differences.

    The second argument says whether its transpose takes a batch of vectors, on one graph.
    """
    try:
        with gathered(apart=True):
            return compute(jacobian_operator(function, x, symmetric=symmetric), True)
    except (RuntimeError, ValueError):  # it has no derivative, or none of a batch
        product = functools.partial(_difference, function, x, function(x).detach())
        return compute(LinearOperator(product, product, symmetric=symmetric), False)


def _difference(
    function: Callable[[torch.Tensor], torch.Tensor],
    x: torch.Tensor,
    residual: torch.Tensor,
    v: torch.Tensor,
) -> torch.Tensor:
    """Return a product with the Jacobian as a difference, of whatever the function holds constant."""
    tiny = torch.finfo(x.dtype).eps ** 0.5
    # Relative to the unknowns that move.
    along = (x * v).norm() / v.norm()
    scale = torch.where(x.norm() > 0, x.norm(), 1.0)
    length = tiny * torch.where(along > 0, along, tiny * scale)
    there = function(x + length * divide(v, v.norm())).detach()
    return ((there - residual) / length * v.norm()).nan_to_num(0.0, 0.0, 0.0)
