r"""The conditions that a quadratic program's solution meets, by which it is differentiated.

They belong to the problem: whichever solver found the solution, they differentiate it, to any order.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from torchopt.autodiff.tracking import tracking
from torchopt.operators.implicit_function import Equation, Root
from torchopt.quadratic._kkt import Factor, mtv, mv, solve_kkt
from torchopt.quadratic.program import Rows, Units

_Tensors = Sequence[torch.Tensor]


def attach(
    program: Rows,
    mu: torch.Tensor,
    units: Units,
    x: torch.Tensor,
    multipliers: torch.Tensor,
    factor: Factor,
) -> tuple[torch.Tensor, torch.Tensor]:
    r"""Return a solution as a function of its problem, whose equations are solved in units.

    Args:
        program: The problem.
        mu: The parameter of the central path, with an axis of length one; zero for the solution.
        units: Constants, in which the following are.
        x: The solution.
        multipliers: The multiplier of each row.
        factor: Of ``Q`` and the rows that are active.
    """
    if tracking():
        theta = (*units.scale(program), mu / units.objective.unsqueeze(-1), *factor)
        x, multipliers = Root.apply(_Conditions(), 2, x, multipliers, *theta)
    return x * units.x, multipliers * units.multiplier


class _Conditions(Equation):
    r"""The conditions :math:`Q x + c + E^\top \lambda = 0`, and one for each row.

    For rows that are active it is :math:`E x = f` or, on the central path,
    :math:`\lambda (f - E x) = \mu`; for the others :math:`\lambda = 0`. The factor is a constant.
    """

    symmetric = True

    def residual(self, x: _Tensors, theta: _Tensors) -> _Tensors:
        Q, c, E, f, mu, _, weights = theta
        active = weights > 0
        inverse = _inverse(mu, x[1], weights)
        first = mv(Q, x[0]) + c + mtv(E, torch.where(active, x[1], 0.0))
        return [first, torch.where(active, mv(E, x[0]) - f + mu * inverse, -x[1])]

    def solve(self, x: _Tensors, theta: _Tensors, b: _Tensors, transposed: bool) -> _Tensors:
        Q, _, E, _, mu, triangle, weights = theta
        e = mu * _inverse(mu, x[1], weights).square()
        u, t, *_ = solve_kkt(Factor(triangle, weights), Q, E, e, b[0], b[1])
        return [u, torch.where(weights > 0, t, -b[1])]


def _inverse(mu: torch.Tensor, y: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """Return the inverse multipliers where a row is on the central path, and zero elsewhere."""
    on_path = (weights > 0) & (mu > 0)
    return torch.where(on_path, 1 / torch.where(on_path, y, 1.0), 0.0)
