"""What solvers with bounds share: the start in the box, and a residual in units of the gradient."""

from __future__ import annotations

from collections.abc import Callable

import torch

from torchopt.diff.flat_problem import FlatProblem
from torchopt.prox.term import passed
from torchopt.solver._solver import Run, S, Solver


class BoundedSolver(Solver[S]):
    r"""The base of solvers whose points lie between bounds, if the problem has some.

    The ``residual`` of their states is the reduced gradient, which is zero where the problem's
    residual :math:`x - P(x - \nabla f(x))` is; unlike that, it changes its unit with the gradient.
    """

    def check_kind(self, problem: FlatProblem) -> None:
        """Raise ``ValueError`` if this solver is not for such a problem."""
        super().check_kind(problem)
        if problem.is_composite and not problem.term.is_box:
            raise ValueError(
                f"{passed(problem.term)}, but `{type(self).__name__}` takes bounds only: use "
                f"`torchopt.sets.Box`, `torchopt.sets.NonNegative` or a tree of them, or a solver for "
                f"other terms."
            )

    def run(self, problem: FlatProblem, x: torch.Tensor) -> Run:
        """Step until the tolerance is met, from the start's projection; see :class:`Solver`."""
        self.check_kind(problem)
        return super().run(problem, problem.prox(x))

    def keeps_units(self, problem: FlatProblem) -> bool:
        """Whether the problem is run in the user's units: it never is."""
        return False

    def measured(
        self, problem: FlatProblem, x: torch.Tensor, state: S
    ) -> tuple[torch.Tensor, Callable[[torch.Tensor], torch.Tensor]]:
        """Return the point, and the gradient less what pushes against a bound that is active there."""
        lower, upper = problem.bounds(x)
        fixed = ((x <= lower) | (x >= upper)) & (state.residual == 0)
        return x, lambda point: torch.where(
            fixed, 0.0, problem.gradient(torch.where(fixed, x, point))
        )

    def _newton_function(
        self, problem: FlatProblem, x: torch.Tensor, state: S
    ) -> Callable[[torch.Tensor], torch.Tensor]:
        """Return the gradient as a function of the unknowns that are at no bound."""
        return self.measured(problem, x, state)[1]


def reduced(
    x: torch.Tensor, gradient: torch.Tensor, lower: torch.Tensor, upper: torch.Tensor
) -> torch.Tensor:
    """Return the gradient, without its parts that push against a bound."""
    against = ((x <= lower) & (gradient > 0)) | ((x >= upper) & (gradient < 0))
    return torch.where(against, 0.0, gradient)


def into(x: torch.Tensor, lower: torch.Tensor, upper: torch.Tensor) -> torch.Tensor:
    """Return a point of the box; what is within rounding of a bound is there."""
    rounding = 4 * torch.finfo(x.dtype).eps
    for bound, past in ((lower, x <= lower), (upper, x >= upper)):
        finite = torch.where(bound.isfinite(), bound, 0.0)
        near = bound.isfinite() & ((x - finite).abs() <= rounding * finite.abs())
        x = torch.where(past | near, bound, x)
    return x
