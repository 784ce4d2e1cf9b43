r"""Linear equations of the optimality conditions, by one factorization.

.. math::
    \begin{pmatrix} Q & E^\top \\ E & -\operatorname{diag}(e) \end{pmatrix}
    \begin{pmatrix} u \\ t \end{pmatrix} = \begin{pmatrix} r \\ q \end{pmatrix}

for the rows :math:`E` that are active; :math:`t = 0` for the others. With weights
:math:`d \approx 1/e`, at most :data:`LARGEST`, the first part is
:math:`u = M^{-1} (r + E^\top d\, q)` with :math:`M = Q + E^\top \operatorname{diag}(d)\, E`. What
the bound on the weights changes, refinement repairs: it is the method of multipliers, also for
rows that depend on each other. That is fast, and exact as long as curvatures and rows are of like sizes
in the units of :class:`~torchopt.quadratic.program.Units`. Where they are not, the whole matrix is
inverted, with weights of up to :data:`LARGEST_INVERTED`.
"""

from __future__ import annotations

from typing import NamedTuple

import torch

#: The largest weight of a row of length one, for an objective of the order of one.
LARGEST = 1e6

#: What is added to the diagonal of the matrix, so that a semi-definite one has a factor.
RIDGE = 1e-9

#: The same where the whole matrix is inverted.
LARGEST_INVERTED, RIDGE_INVERTED = 1e12, 1e-12


class Factor(NamedTuple):
    """The factorization of :math:`M`, or the inverse of the whole matrix.

    Attributes:
        triangle: The lower Cholesky factor, ``(..., n, n)``; or the inverse, with an axis for the rows.
        weights: The weight of each row; 0 for rows that are not active.
    """

    triangle: torch.Tensor
    weights: torch.Tensor


def mv(matrix: torch.Tensor, vector: torch.Tensor) -> torch.Tensor:
    """Return the products of matrices and vectors."""
    column = vector.unsqueeze(-1)
    product = torch.bmm(matrix, column) if _flat(matrix, column) else matrix @ column
    return product.squeeze(-1)


def mtv(matrix: torch.Tensor, vector: torch.Tensor) -> torch.Tensor:
    """Return the products of transposed matrices and vectors."""
    return mv(matrix.mT, vector)


def plus_mv(addend: torch.Tensor, matrix: torch.Tensor, vector: torch.Tensor) -> torch.Tensor:
    """Return vectors plus the products of matrices and others."""
    return _plus_columns(addend, matrix, vector).squeeze(-1)


def _plus_columns(addend: torch.Tensor, matrix: torch.Tensor, vector: torch.Tensor) -> torch.Tensor:
    first, column = addend.unsqueeze(-1), vector.unsqueeze(-1)
    if _flat(matrix, first) and _flat(matrix, column):
        return torch.baddbmm(first, matrix, column)
    return first + matrix @ column


def _flat(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Return whether tensors have one leading axis of one length: for these there are fast calls."""
    return a.dim() == b.dim() == 3 and a.size(0) == b.size(0)


def largest(t: torch.Tensor) -> torch.Tensor:
    """Return the largest magnitude along the last axis; of nothing, zero."""
    return t.abs().amax(-1) if t.shape[-1] else t.sum(-1)


def or_one(t: torch.Tensor) -> torch.Tensor:
    """Return sizes that something is divided by: one for what is no positive number."""
    return torch.where((t > 0) & t.isfinite(), t, 1.0)


def lengths(rows: torch.Tensor) -> torch.Tensor:
    """Return the lengths of rows; of zero, one."""
    size = or_one(largest(rows))  # squares of large entries are infinite, of small ones zero
    return size * or_one(torch.linalg.vector_norm(rows / size.unsqueeze(-1), dim=-1))


def geometric_mean(t: torch.Tensor, there: torch.Tensor) -> torch.Tensor:
    """Return that of some elements along the last axis; of none, one."""
    logarithms = torch.where(there, t, 1.0).log().sum(-1)
    return (logarithms / there.sum(-1).clamp(min=1)).exp()


def least(t: torch.Tensor) -> torch.Tensor:
    """Return the least element along the last axis; of nothing, one."""
    return t.amin(-1) if t.shape[-1] else t.sum(-1) + 1


def factorize(
    Q: torch.Tensor,
    E: torch.Tensor,
    weights: torch.Tensor,
    *,
    ridge: float = 0.0,
    inverted: bool = False,
) -> Factor:
    """Return the factor of flat programs.

    Args:
        Q: The matrices.
        E: The rows.
        weights: Their weights.
        ridge: What is added to the diagonal of the matrices.
        inverted: Whether to invert the whole matrix.
    """
    if inverted:
        return Factor(_inverse(Q, E, weights, ridge), weights)
    matrix = torch.baddbmm(Q, (E * weights.unsqueeze(-1)).mT, E)
    if ridge:
        matrix.diagonal(dim1=-2, dim2=-1).add_(ridge)
    return Factor(torch.linalg.cholesky_ex(matrix)[0], weights)


def _inverse(Q: torch.Tensor, E: torch.Tensor, weights: torch.Tensor, ridge: float) -> torch.Tensor:
    """Invert the whole matrix, in units in which rows of small weights are as small."""
    size = weights.clamp(max=1.0).sqrt()
    diagonal = -torch.where(weights > 1, 1 / weights, 1.0)
    rows = E * size.unsqueeze(-1)
    matrix = torch.cat(
        [torch.cat([Q, rows.mT], -1), torch.cat([rows, torch.diag_embed(diagonal)], -1)], -2
    )
    matrix.diagonal(dim1=-2, dim2=-1)[..., : Q.shape[-1]].add_(ridge)
    unit = torch.cat([torch.ones_like(Q[..., 0]), size], -1)
    return torch.linalg.inv_ex(matrix)[0] * unit.unsqueeze(-1) * unit.unsqueeze(-2)


def solve_once(
    factor: Factor, E: torch.Tensor, r: torch.Tensor, q: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return the solution with the inverse weights in the place of :math:`e`, and :math:`E u`."""
    triangle, d = factor
    n = E.shape[-1]
    if triangle.shape[-1] > n:
        u, t = mv(triangle, torch.cat(_alike(r, q), -1)).tensor_split([n], -1)
        return u, t, mv(E, u)
    u = _plus_columns(r, E.mT, d * q)
    u = torch.linalg.solve_triangular(triangle, u, upper=False)
    u = torch.linalg.solve_triangular(triangle.mT, u, upper=True).squeeze(-1)
    reach = mv(E, u)
    return u, d * (reach - q), reach


def _alike(r: torch.Tensor, q: torch.Tensor) -> list[torch.Tensor]:
    batch = torch.broadcast_shapes(r.shape[:-1], q.shape[:-1])
    return [t.expand(*batch, t.shape[-1]) for t in (r, q)]


def solve_kkt(
    factor: Factor,
    Q: torch.Tensor,
    E: torch.Tensor,
    e: torch.Tensor,
    r: torch.Tensor,
    q: torch.Tensor,
    *,
    refinements: int = 3,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Solve the equations.

    Args:
        factor: Of the same matrices; rows of weight 0 are not active.
        Q: The matrix, without a ridge.
        E: The rows.
        e: The diagonal, not negative.
        r: The first part of the right-hand side.
        q: The second part.
        refinements: How many steps of refinement to do: a cheap one first.

    Returns:
        Both parts of the solution, and the last corrections to them, which are as large as its errors.
    """
    active = factor.weights > 0
    gap = torch.where(active, e - 1 / torch.where(active, factor.weights, 1.0), 0.0)
    u, t, reach = solve_once(factor, E, r, q)
    du, dt = u, t
    inverted = factor.triangle.shape[-1] > E.shape[-1]
    for k in range(2 * refinements if inverted else refinements):
        # What the bound on the weights leaves; but for the first step, what rounding leaves, too.
        first, second = torch.zeros_like(r), gap * dt
        if k or inverted:
            first = r - plus_mv(mv(Q, u), E.mT, t)
            second = torch.where(active, q - reach + e * t, 0.0)
        du, dt, more = solve_once(factor, E, first, second)
        u, t, reach = u + du, t + dt, reach + more
    return u, t, du, dt
