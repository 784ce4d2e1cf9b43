"""Implicit MAML: the meta-gradient from the solution of the inner problem alone.

MAML learns a start from which few steps lead far, and differentiates the steps. Here the inner
problem is to fit the task and to stay near the start,

    min_w  loss(w) + penalty / 2 * |w - start|^2,

whose solution depends on the start by way of the objective only. Its derivative needs one linear
equation with the Hessian at the solution, however long the way to it was.
"""

from __future__ import annotations

import torch
from torch import nn

import torchopt
from torchopt.examples.imaml.config import Config
from torchopt.examples.maml.functional import FunctionalLearner, Meta, Params
from torchopt.examples.maml.problem import Problem

__all__ = ["ImplicitLearner"]


class ImplicitLearner(FunctionalLearner):
    """MAML's learner with another inner problem, differentiated by its optimality.

    Args:
        config: The settings.
        problem: The tasks.
        network: Where to start from; it is copied.

    References:
        Rajeswaran, Finn, Kakade and Levine, *Meta-Learning with Implicit Gradients*, 2019.
    """

    def __init__(self, config: Config, problem: Problem, network: nn.Module) -> None:
        super().__init__(config.meta_learning(), problem, network)
        self._penalty = config.penalty
        # A few iterations are enough: the penalty bounds the condition number (section 3.2).
        self._mode = torchopt.diff.Implicit(
            linear_solve=torchopt.linear_solve.solve_cg(
                maxiter=config.cg_steps, on_failure="ignore"
            )
        )

    def adapt(self, meta: Meta, x: torch.Tensor, y: torch.Tensor, steps: int) -> Params:
        """Return the parameters after some steps of gradient descent on one task."""

        def objective(
            params: Params, start: Params, x: torch.Tensor, y: torch.Tensor
        ) -> torch.Tensor:
            distance = sum((p - start[name]).square().sum() for name, p in params.items())
            fit = self._problem.loss(self.outputs(params, x), y)
            return fit + 0.5 * self._penalty * distance

        solution = torchopt.minimize(
            objective,
            meta.params,
            (meta.params, x, y),
            solver=torchopt.sgd(self._config.inner_lr),
            steps=steps,
            diff=self._mode,
        )
        return solution.params
