"""The outer problem: find penalties by the gradient of the validation loss, or over a grid."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch

import torchopt
from torchopt.examples.hpo.problems import InnerProblem, Params

__all__ = ["Found", "descend", "evaluate", "grid_search", "train"]


class Found(NamedTuple):
    """Penalties and what comes of training with them.

    Attributes:
        log_penalties: Their natural logarithms.
        params: The trained parameters.
        train: Loss on the training examples.
        validation: Loss on the validation examples.
        test: Loss on the test examples.
    """

    log_penalties: torch.Tensor
    params: Params
    train: float
    validation: float
    test: float


def train(
    problem: InnerProblem,
    log_penalties: torch.Tensor,
    *,
    start: Params | None = None,
    linear_solve: Callable[..., Params] | None = None,
) -> Params:
    """Return the trained parameters, as a differentiable function of the penalties."""
    solution = torchopt.minimize(
        problem.objective,
        problem.start if start is None else start,
        (log_penalties,),
        solver=torchopt.solver.LBFGS(tol=1e-9, maxiter=2000),
        diff=torchopt.diff.Implicit(linear_solve=linear_solve),
    )
    return solution.params


def evaluate(problem: InnerProblem, log_penalties: torch.Tensor, params: Params) -> Found:
    """Judge trained parameters."""
    with torch.no_grad():
        losses = [
            problem.loss(params, data).item()
            for data in (problem.train, problem.validation, problem.test)
        ]
    return Found(log_penalties.detach(), {name: p.detach() for name, p in params.items()}, *losses)


def descend(
    problem: InnerProblem,
    *,
    start: float,
    steps: int,
    lr: float,
    linear_solve: Callable[..., Params],
    on_step: Callable[[Found], None] = lambda found: None,
) -> list[Found]:
    """Move every penalty along the hypergradient of the validation loss.

    Args:
        problem: The inner problem.
        start: The logarithm of each penalty at the start.
        steps: The number of steps.
        lr: Adam's learning rate, on logarithms.
        linear_solve: Solves the linear equation of the implicit derivative.
        on_step: Called after each step.

    Returns:
        What was found before each step, and at the end.
    """
    log_penalties = torch.full(
        (len(problem.labels),), start, dtype=torch.float64, requires_grad=True
    )
    optimizer = torch.optim.Adam([log_penalties], lr=lr)
    params, history = problem.start, []
    for _ in range(steps):
        # From the last solution: an implicit derivative does not depend on the way to the new one.
        params = train(problem, log_penalties, start=params, linear_solve=linear_solve)
        history.append(evaluate(problem, log_penalties.clone(), params))
        optimizer.zero_grad()
        problem.loss(params, problem.validation).backward()
        optimizer.step()
        params = history[-1].params
        on_step(history[-1])
    with torch.no_grad():
        history.append(
            evaluate(problem, log_penalties.clone(), train(problem, log_penalties, start=params))
        )
    return history


def grid_search(
    problem: InnerProblem,
    log_penalties: torch.Tensor,
    *,
    on_step: Callable[[Found], None] = lambda found: None,
) -> list[Found]:
    """Train with each of some values as the penalty of all weights."""
    found = []
    for value in log_penalties:
        same = value.expand(len(problem.labels))
        with torch.no_grad():
            found.append(evaluate(problem, same, train(problem, same)))
        on_step(found[-1])
    return found
