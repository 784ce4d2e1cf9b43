"""ES-MAML: a start from which a few estimated steps are enough, found by estimated steps.

References:
    Song et al., *ES-MAML: Simple Hessian-Free Meta Learning*, 2020, algorithms 3 and 4.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import torch

import torchopt
from torchopt.diff.zero_order import Orthogonal, Vmap
from torchopt.examples.es_maml.config import Config
from torchopt.examples.es_maml.problems import Problem, Tasks

__all__ = ["adapt", "adapted_costs", "draw_noise", "initial", "meta_train"]

_CHUNK = 8192  # parameter vectors that are evaluated at once, as memory allows


def initial(problem: Problem, generator: torch.Generator) -> torch.Tensor:
    """Draw parameters, of the usual scale."""
    sizes = problem.sizes
    parts = []
    for i, o in pairwise(sizes):
        parts += [torch.randn(n, generator=generator) / i**0.5 for n in (i * o, o)]
    return torch.cat(parts)


def adapt(
    problem: Problem,
    theta: torch.Tensor,
    support: torch.Tensor,
    noise: torch.Tensor,
    *,
    sigma: float,
    lr: float,
) -> torch.Tensor:
    """Return parameters adapted to one task, by steps along estimated gradients.

    Args:
        problem: The family of tasks.
        theta: The start.
        support: Of the task.
        noise: The directions of each step's estimate, of shape ``(steps, pairs, parameters)``.
        sigma: The scale of the perturbation.
        lr: The size of a step.
    """
    estimator = Orthogonal(num_samples=noise.shape[1], sigma=sigma)
    offsets = sigma * torch.tensor(estimator.offsets)
    costs = torch.func.vmap(lambda point: problem.cost(point, support))
    for directions in noise:
        points = theta + offsets[:, None, None] * directions
        values = costs(points.flatten(0, 1)).reshape(len(offsets), -1)
        theta = theta - lr * estimator.gradient(directions, values)
    return theta


def draw_noise(
    problem: Problem, theta: torch.Tensor, count: int, steps: int, generator: torch.Generator
) -> torch.Tensor:
    """Draw the directions of some adaptations of some steps."""
    estimator = Orthogonal(num_samples=problem.pairs)
    noise = theta.new_empty(count * steps, problem.pairs, theta.numel())
    for directions in noise:
        directions.copy_(estimator.directions(theta.detach(), generator))
    return noise.unflatten(0, (count, steps))


def adapted_costs(
    problem: Problem, theta: torch.Tensor, tasks: Tasks, noise: torch.Tensor, config: Config
) -> torch.Tensor:
    """Return the cost on each task's query after an adaptation to its support.

    Args:
        problem: The family of tasks.
        theta: The start.
        tasks: Some tasks.
        noise: The directions of each adaptation, of shape ``(tasks, steps, pairs, parameters)``.
        config: The settings.
    """

    def cost(support: torch.Tensor, query: torch.Tensor, noise: torch.Tensor) -> torch.Tensor:
        near = adapt(problem, theta, support, noise, sigma=config.inner_sigma, lr=config.inner_lr)
        return problem.cost(near, query)

    return torch.func.vmap(cost)(*tasks, noise)


def meta_train(
    problem: Problem,
    config: Config,
    *,
    iterations: int,
    adaptation: bool = True,
    on_step: Callable[[float], None] = lambda cost: None,
) -> torch.Tensor:
    """Find a start, by estimates of the gradient of the mean cost.

    Args:
        problem: The family of tasks.
        config: The settings.
        iterations: The number of meta-steps.
        adaptation: Whether the cost is that after adaptation; if not, this is an evolution strategy
            that finds one set of parameters for all tasks.
        on_step: Called with the mean cost of each meta-step.
    """
    generator = torch.Generator().manual_seed(config.seed)
    theta = initial(problem, generator).requires_grad_()
    each = config.meta_batch * problem.pairs * 2
    estimated = torchopt.diff.ZeroOrder(
        Orthogonal(num_samples=config.outer_pairs, sigma=config.outer_sigma),
        evaluation=Vmap(chunk_size=max(1, _CHUNK // each)),
        generator=generator,
    )

    def mean_cost(theta: torch.Tensor, tasks: Tasks, noise: torch.Tensor) -> torch.Tensor:
        if adaptation:
            return adapted_costs(problem, theta, tasks, noise, config).mean()
        return torch.func.vmap(problem.cost, in_dims=(None, 0))(theta, tasks.query).mean()

    differentiable = estimated(mean_cost, argnums=0)
    optimizer = torch.optim.Adam([theta], config.outer_lr)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.1, iterations)
    for _ in range(iterations):
        tasks = problem.sample(config.meta_batch, generator)
        noise = draw_noise(problem, theta, config.meta_batch, config.inner_steps, generator)
        optimizer.zero_grad()
        cost = differentiable(theta, tasks, noise)
        cost.backward()
        optimizer.step()
        schedule.step()
        on_step(cost.item())
    return theta.detach()
