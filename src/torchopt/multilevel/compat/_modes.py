"""The differentiation modes that Betty's settings name by ``type``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from torchopt import linear_solve
from torchopt.autodiff.loops import any_true
from torchopt.autodiff.tracing import tracing
from torchopt.diff import DifferentiationMode, Explicit, Implicit, OneStep, ValueFunction, ZeroOrder
from torchopt.linear_solve import LinearSystem
from torchopt.multilevel._modes import Descent
from torchopt.operators.linear import MixedHVP
from torchopt.pytree.typing import TensorTree


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


READY: dict[str, Callable[[Any, Callable[[], list[float]], MixedHVP], DifferentiationMode]] = {
    "darts": lambda c, rates, hvp: Descent(rates, hvp, c._difference),
    "sama": lambda c, _, hvp: OneStep(hvp=hvp, eps=c._difference),
    "neumann": lambda c, *_: Implicit(
        Neumann(step_size=c.neumann_alpha, maxiter=c.neumann_iterations + 1, rtol=0.0)
    ),
    "cg": lambda c, *_: Implicit(
        CG(maxiter=c.cg_iterations, on_failure="warn" if c.scale == "betty" else "ignore")
    ),
    "unroll": lambda *_: Explicit(),
    "zero_order": lambda *_: ZeroOrder(),
    "f2sa": lambda c, *_: ValueFunction(c.f2sa_penalty, steps=c.f2sa_steps, detached="moves"),
}
