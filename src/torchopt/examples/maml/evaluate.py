"""Judgement on held-out tasks, of meta-learning and of what it must beat."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import torch

import torchopt
from torchopt.examples.maml.problem import Problem, Tasks, build
from torchopt.nn import functional_call

__all__ = ["Estimate", "Learner", "estimate", "train_from_scratch"]

_CHUNK = 25  # tasks at a time, which bounds the memory


class Learner(Protocol):
    """What both faces offer; see :class:`FunctionalLearner`."""

    def step(self, tasks: Tasks) -> tuple[torch.Tensor, torch.Tensor]:
        """Do one meta-step; return loss and score."""
        ...

    def predict(self, tasks: Tasks, *, steps: int) -> torch.Tensor:
        """Adapt, and return the outputs for the queries."""
        ...

    def state_dict(self) -> dict[str, Any]:
        """Return all that has been learned."""
        ...

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take over what :meth:`state_dict` returned."""
        ...


class Estimate(NamedTuple):
    """A mean over tasks.

    Attributes:
        loss: Mean loss.
        score: Mean score.
        interval: Half width of the 95 % interval of the mean score, over tasks.
        tasks: How many tasks.
    """

    loss: float
    score: float
    interval: float
    tasks: int


def estimate(
    predict: Callable[[Tasks], torch.Tensor], problem: Problem, split: str, *, count: int, seed: int
) -> Estimate:
    """Judge predictions on tasks drawn from a seed, the same ones at each call.

    Args:
        predict: Returns the outputs for the queries of a batch of tasks.
        problem: The tasks.
        split: Where to draw them from.
        count: How many; at least two.
        seed: Of the draw.
    """
    generator = torch.Generator().manual_seed(seed)
    losses, scores = [], []
    for start in range(0, count, _CHUNK):
        tasks = problem.sample(split, min(_CHUNK, count - start), generator)
        for output, target in zip(predict(tasks), tasks.query_y, strict=True):
            losses.append(problem.loss(output, target))
            scores.append(problem.score(output, target))
    score = torch.stack(scores).double()
    return Estimate(
        loss=torch.stack(losses).double().mean().item(),
        score=score.mean().item(),
        interval=1.96 * score.std().item() / math.sqrt(count),
        tasks=count,
    )


def train_from_scratch(
    problem: Problem,
    tasks: Tasks,
    *,
    solver: torchopt.base.GradientTransformation,
    steps: int,
    seed: int,
    dtype: torch.dtype,
) -> torch.Tensor:
    """Train the network on each task from a random start; return the outputs for its queries."""
    network = build(problem, seed=seed, dtype=dtype)
    start: dict[str, torch.Tensor] = dict(network.named_parameters())

    def model(params: dict[str, torch.Tensor], x: torch.Tensor) -> torch.Tensor:
        output: torch.Tensor = functional_call(network, params, x)
        return output

    def one(task: Tasks) -> torch.Tensor:
        solution = torchopt.minimize(
            lambda p: problem.loss(model(p, task.support_x), task.support_y),
            start,
            solver=solver,
            steps=steps,
        )
        return model(solution.params, task.query_x)

    with torch.no_grad():
        return torch.func.vmap(one)(tasks)
