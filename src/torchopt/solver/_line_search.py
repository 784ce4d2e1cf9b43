"""How far a step goes: the strong Wolfe conditions, and a first length, with no curvature to go by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch

from torchopt import checks
from torchopt.autodiff.line_search import LineSearch, zoom
from torchopt.diff.flat_problem import FlatProblem
from torchopt.diff.kinds import Minimum
from torchopt.solver._solver import S, Solver

_FRACTION = checks.number(0, 1, ends="()")


@dataclass(frozen=True, kw_only=True, eq=False)
class LineSearchSolver(Solver[S]):
    """A solver whose steps satisfy the strong Wolfe conditions."""

    c1: float = checks.field(1e-4, _FRACTION)
    c2: float = checks.field(0.9, _FRACTION)
    line_search_maxiter: int = checks.field(30, checks.count(1))
    kinds = frozenset({Minimum})

    def __post_init__(self) -> None:
        """Check that the second condition is the weaker one."""
        super().__post_init__()
        checks.check("c2", self.c2, checks.number(self.c1, 1, ends="()"))

    def _along(
        self,
        problem: FlatProblem,
        place: Callable[[torch.Tensor], torch.Tensor],
        direction: torch.Tensor,
        start: tuple[torch.Tensor, torch.Tensor],
        first: torch.Tensor,
        *,
        slope: torch.Tensor | None = None,
        most: torch.Tensor | None = None,
    ) -> LineSearch:
        """Search along a direction from a point of which the value and the gradient are known."""

        def evaluate(t: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
            value, gradient = problem.value_and_gradient(place(t))
            return value, gradient @ direction, gradient

        return zoom(
            evaluate,
            LineSearch(torch.zeros_like(start[0]), *start),
            start[1] @ direction if slope is None else slope,
            first,
            c1=self.c1,
            c2=self.c2,
            maxiter=self.line_search_maxiter,
            most=most,
        )


def first_length(x: torch.Tensor, value: torch.Tensor, direction: torch.Tensor) -> torch.Tensor:
    """Return a factor of the first direction, down the gradient.

    The step is no longer than one, and changes the value, if it goes on falling as it does here, no
    more than twice; and, from zero, which has no scale, by more than rounding errors.
    """
    square = direction.square().sum()
    short = square < torch.finfo(x.dtype).tiny ** 0.5
    one = torch.where(short, 0.0, value.abs()) / torch.where(short, 1.0, square)  # to zero
    least = torch.where((x == 0).all(), 100 * torch.finfo(x.dtype).eps * one, 0.0)
    most = torch.where(one > 0, 2 * one, 1.0).clamp(max=1)
    return torch.maximum(least, torch.minimum(most, square.clamp(min=1).rsqrt()))
