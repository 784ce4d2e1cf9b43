"""Fixed-point iteration: apply the map again and again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch

from torchopt import checks
from torchopt.diff.equations import FixedPoint
from torchopt.diff.flat_problem import FlatProblem
from torchopt.solver._solver import Solver


class FixedPointState(NamedTuple):
    """The state of fixed-point iteration.

    Attributes:
        residual: ``x - T(x)``.
    """

    residual: torch.Tensor


@dataclass(frozen=True, kw_only=True, eq=False)
class FixedPointIteration(Solver[FixedPointState]):
    r"""Fixed-point iteration, plain or damped.

    .. math:: x_{k+1} = (1 - \beta) \, x_k + \beta \, T(x_k)

    For contractions: the error shrinks by the contraction factor in each step (Banach, 1922), so
    that a factor near one needs thousands of steps, where :class:`Anderson` needs tens. Damping makes
    some maps converge that are no contractions: those whose Jacobian has eigenvalues with real part
    less than one. A step costs one evaluation of the map.

    Args:
        relaxation: The factor :math:`\beta`, in (0, 1]; one is the plain iteration.
        **common: Tolerances, on :math:`\lVert x - T(x) \rVert_2`, and ``maxiter``; see :class:`Solver`.

    Raises:
        ValueError: If a number is out of its range.

    Example:
        >>> import torch, torchopt
        >>> x = torch.tensor(1.0, dtype=torch.float64)
        >>> solution = torchopt.fixed_point(torch.cos, x, solver=torchopt.solver.FixedPointIteration())
        >>> solution.params, solution.iterations
        (tensor(0.7391, dtype=torch.float64), tensor(49))

    References:
        Krasnoselskii, *Two remarks on the method of successive approximations*, 1955.
    """

    relaxation: float = checks.field(1.0, checks.number(0, 1, ends="(]"))
    maxiter: int = 1000
    kinds = frozenset({FixedPoint})

    def init(self, problem: FlatProblem, x: torch.Tensor) -> FixedPointState:
        """Return the state at the starting point."""
        return FixedPointState(problem.residual(x))

    def step(
        self, problem: FlatProblem, x: torch.Tensor, state: FixedPointState
    ) -> tuple[torch.Tensor, FixedPointState]:
        """Return the next point, and the state there."""
        x = x - self.relaxation * state.residual
        return x, FixedPointState(problem.residual(x))
