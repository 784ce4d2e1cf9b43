"""The run: both families of tasks, with and without adaptation in meta-training; table, pictures."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from rich.console import Console

from torchopt.examples.es_maml.config import PRESETS, Config
from torchopt.examples.es_maml.learning import (
    adapt,
    adapted_costs,
    draw_noise,
    initial,
    meta_train,
)
from torchopt.examples.es_maml.problems import Navigation, Problem, Sinusoid
from torchopt.examples.tools.command import run_program
from torchopt.examples.tools.report import progress, table

__all__ = ["judge", "main"]

_TEST = 1_000_003  # an offset of the seed: not the tasks of meta-training


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; return the exit status."""
    return run_program(
        _run,
        argv,
        name="es_maml",
        description="Meta-learn from values alone: ES-MAML on 2-D navigation and sine waves.",
        presets=PRESETS,
    )


def judge(
    problem: Problem, theta: torch.Tensor, config: Config, steps: Sequence[int]
) -> list[torch.Tensor]:
    """Return the cost on each held-out task after adaptations of some numbers of steps."""
    found = []
    for count in steps:
        generator = torch.Generator().manual_seed(config.seed + _TEST)
        tasks = problem.sample(config.test_tasks, generator)
        noise = draw_noise(problem, theta, config.test_tasks, count, generator)
        found.append(adapted_costs(problem, theta, tasks, noise, config))
    return found


def _run(config: Config, folder: Path, console: Console) -> None:
    robot = Navigation(config.width, config.horizon, config.robot_pairs)
    waves = Sinusoid(config.width, config.shots, config.wave_pairs)
    curves: dict[str, dict[str, list[float]]] = {}
    starts = {}
    for problem, count in ((robot, config.robot_iterations), (waves, config.wave_iterations)):
        curves[problem.name] = {}
        starts[problem.name] = _run_one(problem, count, config, console, curves[problem.name])
    _draw_curves(curves, folder / "learning_curves.png")
    figure = Figure(figsize=(9, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    _draw_walks(left, robot, starts[robot.name], config)
    _draw_waves(right, waves, starts[waves.name], config)
    figure.savefig(folder / "adaptation.png", dpi=120)


def _run_one(
    problem: Problem,
    iterations: int,
    config: Config,
    console: Console,
    curves: dict[str, list[float]],
) -> torch.Tensor:
    """Train on one family of tasks, print a table, and return the start that ES-MAML found."""
    steps = (0, 1, config.inner_steps)
    rows = [(problem.reference[0], f"{problem.reference[1]:.3f}", *([""] * len(steps)))]

    def add(name: str, theta: torch.Tensor, seconds: str) -> None:
        costs = judge(problem, theta, config, steps)
        spread = [1.96 * float(c.std()) / len(c) ** 0.5 for c in costs]
        cells = [f"{float(c.mean()):.3f} ± {s:.3f}" for c, s in zip(costs, spread, strict=True)]
        rows.append((name, *cells, seconds))

    theta = initial(problem, torch.Generator().manual_seed(config.seed))
    add("a random start", theta, "")
    for name, adaptation in (("ES, no adaptation", False), ("ES-MAML", True)):
        curve = curves.setdefault(name, [])
        began = time.monotonic()
        with progress(console, f"{problem.name}, {name}", iterations) as advance:

            def on_step(cost: float, curve: list[float] = curve) -> None:
                curve.append(cost)
                advance(f"cost {cost:.3f}")

            theta = meta_train(
                problem, config, iterations=iterations, adaptation=adaptation, on_step=on_step
            )
        add(name, theta, f"{(time.monotonic() - began) / iterations:.2f}")
    title = f"{problem.name}: cost on {config.test_tasks} held-out tasks, 95 % interval"
    columns = ("adapted from", *(f"{n} steps" for n in steps), "seconds a meta-step")
    console.print(table(title, columns, rows))
    return theta


def _draw_curves(curves: dict[str, dict[str, list[float]]], path: Path) -> None:
    figure = Figure(figsize=(9, 3.5), layout="constrained")
    for axes, (name, lines) in zip(figure.subplots(1, len(curves)), curves.items(), strict=True):
        for label, values in lines.items():
            axes.plot(values, lw=0.9, label=label)
        axes.set(xlabel="meta-step", ylabel="cost on its tasks", title=name, ylim=(0, None))
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8)
    figure.savefig(path, dpi=120)


def _examples(
    problem: Problem, theta: torch.Tensor, config: Config, count: int
) -> tuple[torch.Tensor, list[torch.Tensor]]:
    """Return the queries of some held-out tasks, and the parameters adapted to each."""
    generator = torch.Generator().manual_seed(config.seed + _TEST + 1)
    tasks = problem.sample(count, generator)
    noise = draw_noise(problem, theta, count, config.inner_steps, generator)
    sigma, lr = config.inner_sigma, config.inner_lr
    near = [
        adapt(problem, theta, support, directions, sigma=sigma, lr=lr)
        for support, directions in zip(tasks.support, noise, strict=True)
    ]
    return tasks.query, near


def _draw_walks(axes: Axes, robot: Navigation, theta: torch.Tensor, config: Config) -> None:
    goals, near = _examples(robot, theta, config, 6)
    start = torch.zeros(1, 2)
    axes.plot(*torch.cat([start, robot.walk(theta)]).T.numpy(), "k:", label="before adaptation")
    for color, (goal, adapted) in enumerate(zip(goals, near, strict=True)):
        walk = torch.cat([start, robot.walk(adapted)])
        axes.plot(*walk.T.numpy(), ".-", color=f"C{color}", lw=1)
        axes.plot(*goal.numpy(), "*", color=f"C{color}", ms=13)
    axes.set(title=f"{robot.name}: walks to hidden goals (stars)", aspect="equal")
    axes.legend(fontsize=8)


def _draw_waves(axes: Axes, waves: Sinusoid, theta: torch.Tensor, config: Config) -> None:
    points, near = _examples(waves, theta, config, 3)
    grid = torch.linspace(-5, 5, 200)[:, None]
    for color, (pairs, adapted) in enumerate(zip(points, near, strict=True)):
        axes.plot(grid[:, 0].numpy(), waves.predict(adapted, grid).numpy(), color=f"C{color}")
        axes.plot(*pairs.T.numpy(), "o", color=f"C{color}", ms=4)
    axes.plot(grid[:, 0].numpy(), waves.predict(theta, grid).numpy(), "k:", label="before")
    axes.set(title=f"{waves.name}: adapted, and points to be judged by")
    axes.legend(fontsize=8)
