"""ES-MAML: meta-learning without gradients, for a robot whose cost is a step function.

A robot walks to a goal that it does not see; then it is told how far it was. It adapts by a few steps
along a gradient estimated from perturbed policies; meta-training estimates the gradient of the
cost after adaptation. Beside it: an evolution strategy (Song et al., *ES-MAML*, 2020).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import torch
from matplotlib.figure import Figure

import torchopt
from examples.tools.command import command
from examples.tools.report import Report
from examples.tools.statistics import interval
from torchopt.diff.zero_order import Orthogonal, Vmap

Tasks = tuple[torch.Tensor, torch.Tensor]  # goals, and the directions that adaptations try


@dataclass(frozen=True)
class Config:
    """Settings, which determine the results."""

    meta_batch: Annotated[int, "tasks in a meta-step"] = 12
    outer_pairs: Annotated[int, "pairs of perturbations of the start, in a meta-step"] = 24
    outer_sigma: Annotated[float, "their scale"] = 0.05
    outer_lr: Annotated[float, "Adam's learning rate; it falls to a tenth along a line"] = 0.04
    inner_steps: Annotated[int, "steps of an adaptation"] = 3
    pairs: Annotated[int, "pairs of perturbations in each"] = 8
    inner_sigma: Annotated[float, "their scale"] = 0.1
    inner_lr: Annotated[float, "the size of a step"] = 0.05
    iterations: Annotated[int, "meta-steps"] = 150
    width: Annotated[int, "of the policy's hidden layer"] = 16
    test_tasks: Annotated[int, "goals in the test"] = 200
    seed: Annotated[int, "of the start, the goals and the perturbations"] = 0
    threads: Annotated[int, "CPU threads"] = 1


def first_policy(config: Config, generator: torch.Generator) -> torch.Tensor:
    """Draw the parameters of a perceptron from position to velocity, as one vector."""
    w = config.width
    layers = ((2 * w, 2), (w, 2), (2 * w, w), (2, w))  # numbers and inputs of weights and biases
    return torch.cat([torch.randn(n, generator=generator) / i**0.5 for n, i in layers])


def walk(policy: torch.Tensor) -> torch.Tensor:
    """Return the positions of the robot, (10, 2); its motors move in clicks of 0.02."""
    w = (len(policy) - 2) // 5
    first, first_bias, second, second_bias = policy.split([2 * w, w, 2 * w, 2])
    position, positions = policy.new_zeros(2), []
    for _ in range(10):
        hidden = (position @ first.reshape(2, w) + first_bias).tanh()
        velocity = (hidden @ second.reshape(w, 2) + second_bias).clamp(-0.1, 0.1)
        position = position + (velocity / 0.02).round() * 0.02
        positions.append(position)
    return torch.stack(positions)


def cost(policy: torch.Tensor, goal: torch.Tensor) -> torch.Tensor:
    """Return the mean distance to the goal in a walk."""
    return (walk(policy) - goal).norm(dim=-1).mean()


def draw_tasks(config: Config, tasks: int, steps: int, generator: torch.Generator) -> Tasks:
    """Draw goals in a square of side one, and directions, (tasks, steps, pairs, parameters)."""
    goals = torch.rand(tasks, 2, generator=generator) - 0.5
    draw = Orthogonal(num_samples=config.pairs).directions
    noise = torch.empty(tasks * steps, config.pairs, 5 * config.width + 2)
    for directions in noise:
        directions.copy_(draw(directions[0], generator))
    return goals, noise.unflatten(0, (tasks, steps))


def adapt(config: Config, policy: torch.Tensor, tasks: Tasks) -> torch.Tensor:
    """Solve the inner problem of each task: steps along estimated gradients; return the policies."""
    estimator = Orthogonal(num_samples=config.pairs, sigma=config.inner_sigma)
    costs = torch.func.vmap(cost, (0, None))

    def adapt_one(policy: torch.Tensor, goal: torch.Tensor, noise: torch.Tensor) -> torch.Tensor:
        for directions in noise:
            points = policy + config.inner_sigma * torch.cat([directions, -directions])
            gradient = estimator.gradient(directions, costs(points, goal).reshape(2, -1))
            policy = policy - config.inner_lr * gradient
        return policy

    return torch.func.vmap(adapt_one, (None, 0, 0))(policy, *tasks)


def adapted_costs(config: Config, policy: torch.Tensor, tasks: Tasks) -> torch.Tensor:
    """Return the cost of each task after an adaptation to it."""
    return torch.func.vmap(cost)(adapt(config, policy, tasks), tasks[0])


def meta_train(config: Config, report: Report, *, steps: int) -> torch.Tensor:
    """Find the policy with the least mean cost after adaptations of some steps."""
    generator = torch.Generator().manual_seed(config.seed)
    policy = first_policy(config, generator).requires_grad_()
    estimator = Orthogonal(num_samples=config.outer_pairs, sigma=config.outer_sigma)
    mode = torchopt.diff.ZeroOrder(estimator, Vmap(), generator=generator)
    mean_cost = mode(lambda *args: adapted_costs(config, *args).mean(), argnums=0)
    optimizer = torch.optim.Adam([policy], config.outer_lr)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.1, config.iterations)
    with report.progress(f"{steps} steps of adaptation", config.iterations) as advance:
        for _ in range(config.iterations):
            goals, noise = draw_tasks(config, config.meta_batch, config.inner_steps, generator)
            optimizer.zero_grad()
            loss = mean_cost(policy, (goals, noise[:, :steps]))
            loss.backward()  # the estimated gradient
            optimizer.step()
            schedule.step()
            advance(f"distance {loss:.3f}")
    return policy.detach()


def run(config: Config, report: Report = Report()) -> dict[str, torch.Tensor]:
    """Meta-train with and without adaptation; return the policies."""
    generator = torch.Generator()
    starts = {"a random start": first_policy(config, generator.manual_seed(config.seed))}
    for name, steps in (("evolution strategy", 0), ("ES-MAML", config.inner_steps)):
        starts[name] = meta_train(config, report, steps=steps)
    counts, seed = (0, 1, config.inner_steps), config.seed + 1_000_003
    tests = [draw_tasks(config, config.test_tasks, k, generator.manual_seed(seed)) for k in counts]
    rows: list[tuple[str, ...]] = [("standing still", "0.383", "", "")]  # (√2 + asinh 1) / 6
    rows += [
        (n, *(interval(adapted_costs(config, p, t)) for t in tests)) for n, p in starts.items()
    ]
    columns = ("adapted from", *(f"{k} steps" for k in counts))
    report.table("distance to held-out goals, 95 % interval", columns, rows)
    figure = Figure(figsize=(5, 5), layout="constrained")
    axes = figure.subplots(subplot_kw={"aspect": "equal"})
    policies = adapt(config, starts["ES-MAML"], (tests[-1][0][:6], tests[-1][1][:6]))
    for k, (goal, policy) in enumerate(zip(tests[-1][0], policies, strict=False)):
        axes.plot(*torch.cat([torch.zeros(1, 2), walk(policy)]).T, ".-", color=f"C{k}")
        axes.plot(*goal, "*", color=f"C{k}", ms=13)
    report.picture("adaptation", figure)
    return starts


PRESETS = {
    "quick": Config(iterations=60, outer_pairs=12, test_tasks=100),
    "default": Config(),
    "full": Config(iterations=500, outer_pairs=48),
}
main = command(run, PRESETS)

if __name__ == "__main__":
    raise SystemExit(main())
