r"""Proofs that a program has no solution, as projections onto cones.

A program is infeasible if and only if there are :math:`z \ge 0` and :math:`y` with
:math:`G^\top z + A^\top y = 0` and :math:`h^\top z + b^\top y < 0` (Farkas). The projection of
:math:`-(h, b)` onto the cone of all such :math:`(z, y)` is zero, or one of them. It is unbounded if it
is feasible and there is a direction :math:`d` with :math:`Q d = 0`, :math:`G d \le 0`,
:math:`A d = 0` and :math:`c^\top d < 0`: the projection of :math:`-c` onto these.
Both are quadratic programs themselves.
"""

from __future__ import annotations

from typing import NamedTuple

import torch

from torchopt.quadratic._interior_point import follow, follow_again
from torchopt.quadratic._kkt import geometric_mean, largest, lengths, mv
from torchopt.quadratic.program import Rows

#: The least length of a projection of a vector of length one.
_LEAST = 1e-7


class Proof(NamedTuple):
    """Why programs have no solution.

    Attributes:
        infeasible: Whether no point satisfies the constraints.
        unbounded: Whether the objective is unbounded below.
        ray: The direction :math:`d`; zero without one.
        multipliers: The multipliers :math:`(z, y)`; zero without.
    """

    infeasible: torch.Tensor
    unbounded: torch.Tensor
    ray: torch.Tensor
    multipliers: torch.Tensor

    @classmethod
    def none(cls, program: Rows) -> Proof:
        """Return that of programs that may have a solution."""
        no = torch.zeros_like(program.c.sum(-1), dtype=torch.bool)
        return cls(no, no.clone(), torch.zeros_like(program.c), torch.zeros_like(program.f))


def prove(program: Rows, count: int) -> Proof:
    """Look for proofs, for programs in units in which rows have length one.

    Args:
        program: The programs, one leading axis; the last rows are equalities.
        count: The number of inequalities.
    """
    Q, c, E, f = program
    rows = E.shape[-2]
    bound = -torch.eye(rows, dtype=E.dtype, device=E.device)[:count].expand(len(c), count, rows)
    cone = torch.cat([bound, E.mT], -2)
    multipliers, infeasible = _project(f, cone, count)
    multipliers[:, :count].clamp_(min=0)
    flat = torch.cat([E[:, :count], E[:, count:], Q], -2)
    ray, falls = _project(c, flat, count)
    # A small curvature is none only if it may be rounding errors.
    bends = (ray * mv(Q, ray)).sum(-1)
    rounding = 16 * torch.finfo(Q.dtype).eps * (ray.abs() * mv(Q.abs(), ray.abs())).sum(-1)
    unbounded = falls & ~infeasible & (bends <= rounding)
    return Proof(
        infeasible,
        unbounded,
        torch.where(unbounded.unsqueeze(-1), ray, 0.0),
        torch.where(infeasible.unsqueeze(-1), multipliers, 0.0),
    )


def _project(
    away: torch.Tensor, cone: torch.Tensor, count: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Project vectors, negated, onto the cones of some inequalities and equalities with zero.

    Returns:
        The projections, divided by their largest elements, and whether they are not zero.
    """
    # Any metric will do, and in this one no large number hides another.
    size = away.abs()
    there = size > 0
    unit = torch.where(there, size, geometric_mean(size, there).unsqueeze(-1))
    away, cone = away / unit, cone / unit.unsqueeze(-2)
    cone = cone / lengths(cone).unsqueeze(-1)
    one = torch.eye(away.shape[-1], dtype=away.dtype, device=away.device)
    side = away.new_zeros((len(away), cone.shape[-2]))
    program = Rows(one.expand(len(away), *one.shape), away, cone, side)
    outcome = follow(program, count, tol=1e-9, maxiter=25)
    outcome = follow_again(program, count, outcome, ~outcome.converged, tol=1e-9, maxiter=25)
    x = outcome.x
    falls = outcome.converged & ((away * x).sum(-1) < 0) & (largest(x) > _LEAST)
    x = x / unit
    size = largest(x)
    return x / torch.where(size > 0, size, 1.0).unsqueeze(-1), falls
