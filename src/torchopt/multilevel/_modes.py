"""The ready-made differentiation modes: the meaning of each name in ``Config(type=...)``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from torchopt.diff import DifferentiationMode, Explicit, Implicit, ZeroOrder
from torchopt.diff.one_step import OneStep
from torchopt.diff.problem import InnerProblem
from torchopt.diff.protocols import Differentiates
from torchopt.diff.solution import Solution
from torchopt.linear_solve import solve_cg, solve_neumann
from torchopt.multilevel._config import Config
from torchopt.operators.linear import MixedHVP
from torchopt.transform.chaining import EmptyState, GradientTransformation

__all__ = ["Descent", "mode_of"]


def mode_of(
    config: Config, rates: Callable[[], list[float]], *, has_lower: bool = False, adam: bool = False
) -> DifferentiationMode:
    """Return the mode of a problem.

    Args:
        config: The problem's settings.
        rates: Returns the present learning rates of its optimizer, one for each tensor.
        has_lower: Whether there are problems below it. Their solutions do not move with the points
            of a finite difference, so mixed derivatives are then computed by autograd.
        adam: Whether its optimizer is an Adam, which ``scale="betty"`` asks for.
    """
    if config.diff is not None:
        return config.diff
    kind = config.type or "darts"
    hvp: MixedHVP = "reverse" if has_lower else "finite_difference"
    if config.scale == "betty" and (kind == "darts" or (kind == "sama" and not adam)):
        return OneStep(1.0, hvp=hvp, epsilon=config._difference, detached="moves")
    return _READY[kind](config, rates, hvp)


@dataclass(frozen=True, repr=False)
class Descent:
    """``"darts"``: one step of gradient descent with the present learning rates."""

    differentiates: ClassVar[Differentiates] = "solution"

    rates: Callable[[], list[float]]
    hvp: MixedHVP
    epsilon: float | None

    def solve(self, problem: InnerProblem) -> Solution:
        """See :class:`torchopt.diff.DifferentiationMode`."""
        rates = self.rates()
        if rates[0] > 0 and len(set(rates)) == 1:
            return OneStep(rates[0], hvp=self.hvp, epsilon=self.epsilon).solve(problem)
        descent = replace(problem, solver=_descent(rates), state=EmptyState())
        return OneStep(hvp=self.hvp, epsilon=self.epsilon).solve(descent)

    def __repr__(self) -> str:
        return f"OneStep(step_size=learning rate, hvp={self.hvp!r})"


def _descent(rates: list[float]) -> GradientTransformation:
    """Return gradient descent with a learning rate for each of the tensors of a list."""

    def update(updates: Any, state: Any, *, params: Any = None, inplace: bool = True) -> Any:
        steps = [g if g is None else -r * g for r, g in zip(rates, updates, strict=True)]
        return steps, state

    return GradientTransformation(lambda _: EmptyState(), update)


# A truncated solve is meant to be inexact.
_READY: dict[str, Callable[[Config, Callable[[], list[float]], MixedHVP], DifferentiationMode]] = {
    "darts": lambda c, rates, hvp: Descent(rates, hvp, c._difference),
    "sama": lambda c, _, hvp: OneStep(hvp=hvp, epsilon=c._difference),
    "neumann": lambda c, *_: Implicit(
        solve_neumann(
            alpha=c.neumann_alpha, maxiter=c.neumann_iterations, rtol=0.0, on_failure="ignore"
        )
    ),
    "cg": lambda c, *_: Implicit(solve_cg(maxiter=c.cg_iterations, on_failure="ignore")),
    "unroll": lambda *_: Explicit(),
    "zero_order": lambda *_: ZeroOrder(),
}
