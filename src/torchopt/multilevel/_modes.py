"""The mode of a problem whose settings name none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

from torchopt.diff.one_step import OneStep
from torchopt.diff.problem import InnerProblem
from torchopt.diff.protocols import Differentiates
from torchopt.diff.solution import Solution
from torchopt.operators.linear import MixedHVP
from torchopt.optimizers import sgd


@dataclass(frozen=True, repr=False)
class Descent:
    """One step of gradient descent with the present learning rates."""

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
