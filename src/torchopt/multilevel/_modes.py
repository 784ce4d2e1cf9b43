"""The ready-made differentiation modes: the meaning of each name in ``Config(type=...)``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import torch

from torchopt import linear_solve
from torchopt.autodiff.loops import any_true
from torchopt.autodiff.tracing import tracing
from torchopt.diff import DifferentiationMode, Explicit, Implicit, ZeroOrder
from torchopt.diff.one_step import OneStep
from torchopt.diff.problem import InnerProblem
from torchopt.diff.protocols import Differentiates
from torchopt.diff.solution import Solution
from torchopt.linear_solve import LinearSystem
from torchopt.multilevel._config import Config
from torchopt.operators.linear import MixedHVP
from torchopt.optimizers import sgd
from torchopt.pytree.typing import TensorTree


def mode_of(
    config: Config,
    rates: Callable[[], list[float]],
    *,
    has_lower: bool = False,
    adam: bool = False,
    sharded: bool = False,
) -> DifferentiationMode:
    """Return the mode of a problem.

    Args:
        config: The problem's settings.
        rates: Returns the present learning rates of its optimizer, one for each tensor.
        has_lower: Whether there are problems below it. Their solutions do not move with the points
            of a finite difference, so mixed derivatives are always computed by autograd there.
        adam: Whether its optimizer is an Adam, which ``scale="betty"`` asks for.
        sharded: Whether modules may be sharded, so that they have first derivatives only.
    """
    if config.diff is not None:
        return config.diff
    kind = config.type or "darts"
    differs = sharded or config.scale == "betty" or config._difference is not None
    hvp: MixedHVP = "finite_difference" if differs and not has_lower else "reverse"
    if config.scale == "betty" and (kind == "darts" or (kind == "sama" and not adam)):
        return OneStep(1.0, hvp=hvp, eps=config._difference, detached="moves")
    return _READY[kind](config, rates, hvp)


@dataclass(frozen=True, repr=False)
class Descent:
    """``"darts"``: one step of gradient descent with the present learning rates."""

    differentiates: ClassVar[Differentiates] = "solution"

    rates: Callable[[], list[float]]
    hvp: MixedHVP
    eps: float | None

    def differentiate(self, problem: InnerProblem) -> Solution:
        """See :class:`torchopt.diff.DifferentiationMode`."""
        rates = self.rates()
        if rates[0] > 0 and len(set(rates)) == 1:
            return OneStep(rates[0], hvp=self.hvp, eps=self.eps).differentiate(problem)
        descent = replace(problem, solver=sgd(rates), state=None)
        return OneStep(hvp=self.hvp, eps=self.eps).differentiate(descent)

    def __repr__(self) -> str:
        return f"OneStep(step_size=learning rate, hvp={self.hvp!r})"


@dataclass(frozen=True, kw_only=True, eq=False)
class _Truncated(linear_solve.IterativeLinearSolver):
    """A solve of a given number of steps: it is meant to be inexact, and only a breakdown is told."""

    def __call__(
        self, matvec: Any, b: TensorTree, *, x0: TensorTree = None, **options: Any
    ) -> TensorTree:
        # A residual that the solver has not computed would cost a product.
        return self._differentiable(matvec, b, x0, measured=False)[0]


# Under the names of the solvers that they are.


@dataclass(frozen=True, kw_only=True, eq=False)
class Neumann(_Truncated, linear_solve.Neumann):
    """See :class:`torchopt.linear_solve.Neumann`; the end of a series that overflows is told."""

    def solve_flat(
        self, system: LinearSystem
    ) -> tuple[torch.Tensor, torch.Tensor | None, torch.Tensor]:
        x, r, iterations = super().solve_flat(system)
        if r is not None and not tracing():
            cut = ~torch.isfinite(torch.linalg.vector_norm(r))
            if any_true(cut):
                why = "its terms grow until they overflow: lower `neumann_alpha`"
                self._fail("has fewer terms than `neumann_iterations`", why, cut)
        return x, None, iterations


@dataclass(frozen=True, kw_only=True, eq=False)
class CG(_Truncated, linear_solve.CG):
    """See :class:`torchopt.linear_solve.CG`; that there is no first step is told."""

    def solve_flat(
        self, system: LinearSystem
    ) -> tuple[torch.Tensor, torch.Tensor | None, torch.Tensor]:
        x, _, iterations = super().solve_flat(system)
        if not tracing() and not any_true(x != 0) and any_true(system.b != 0):
            why = (
                "the Hessian is not positive definite: add a penalty to the lower loss, or pass "
                "`diff=Implicit(MINRES())`"
            )
            self._fail("has no first step, and the hypergradient is zero", why, x.sum() == 0)
        return x, None, iterations


_READY: dict[str, Callable[[Config, Callable[[], list[float]], MixedHVP], DifferentiationMode]] = {
    "darts": lambda c, rates, hvp: Descent(rates, hvp, c._difference),
    "sama": lambda c, _, hvp: OneStep(hvp=hvp, eps=c._difference),
    "neumann": lambda c, *_: Implicit(
        Neumann(step_size=c.neumann_alpha, maxiter=c.neumann_iterations, rtol=0.0)
    ),
    "cg": lambda c, *_: Implicit(
        CG(maxiter=c.cg_iterations, on_failure="warn" if c.scale == "betty" else "ignore")
    ),
    "unroll": lambda *_: Explicit(),
    "zero_order": lambda *_: ZeroOrder(),
}
