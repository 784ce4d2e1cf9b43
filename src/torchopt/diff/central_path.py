"""The central path: a quadratic program whose constraints are smooth barriers."""

from __future__ import annotations

from dataclasses import dataclass

from torchopt import checks
from torchopt.diff.quadratic_problem import QuadraticProblem
from torchopt.diff.solution import Solution
from torchopt.io.calls import CallRepr
from torchopt.prox.term import check_parameter
from torchopt.pytree.typing import Numeric


@dataclass(frozen=True, eq=False)
class CentralPath(checks.ByValue, CallRepr):
    r"""Differentiate the central path of a quadratic program, a smooth approximation of its solution.

    .. math::
        x(\mu) = \arg\min_x \; \tfrac12 x^\top Q x + c^\top x - \mu \sum_i \log(h - G x)_i
        \quad\text{s.t.}\quad A x = b

    The products of slack and multiplier of all inequalities are :math:`\mu` there, instead of zero. The
    point is a smooth function of all blocks wherever the constraints have an interior: also where the
    solution has a kink, or jumps, as that of a linear program. Both value and derivative are those of
    :math:`x(\mu)`, whose objective is at most :math:`m \mu` above the least one.

    Use it if the derivative of the solution is zero or undefined, as for linear programs and where
    complementarity is not strict. Elsewhere the derivative of the solution itself is exact and costs
    less.

    Args:
        mu: The parameter :math:`\mu > 0`, in the units of the objective: a number or a tensor, scalar
            or one for each problem, which may require grad.

    Raises:
        ValueError: If ``mu`` is a number that is not positive.
        TypeError: If it is neither a number nor a floating tensor, or the problem is no quadratic
            program.

    Example:
        The vertex of a linear program does not move with the costs; the central path does:

        >>> import torch, torchopt
        >>> c = torch.tensor([1.0, 2.0], requires_grad=True)
        >>> simplex = dict(G=-torch.eye(2), h=torch.zeros(2), A=torch.ones(1, 2), b=torch.ones(1))
        >>> def least(**options):
        ...     return torchopt.quadratic_program(torch.zeros(2, 2), c, **simplex, **options).params
        >>> torch.autograd.grad(least()[0], c)[0].abs().max() < 1e-9
        tensor(True)
        >>> torch.autograd.grad(least(diff=torchopt.diff.CentralPath(0.5))[0], c)
        (tensor([-0.1464,  0.1464]),)

    References:
        Boyd and Vandenberghe, *Convex Optimization*, 2004, section 11.2. Mandi and Guns, *Interior
        Point Solving for LP-based prediction+optimisation*, 2020.
    """

    mu: Numeric

    def __post_init__(self) -> None:
        check_parameter("mu", self.mu, above=0)

    def differentiate(self, problem: object) -> Solution:
        """Return the point of the central path; see :class:`DifferentiationMode`."""
        if not isinstance(problem, QuadraticProblem):
            raise TypeError(
                "the central path is that of a quadratic program, and this is another problem: use "
                "`torchopt.quadratic_program`, or another mode, such as `diff.Implicit()`."
            )
        return problem.solve(self.mu)
