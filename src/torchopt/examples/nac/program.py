"""The run: train a meta-solver on random games, judge it on held-out ones; tables and a picture."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import torch
from matplotlib.figure import Figure
from rich.console import Console

from torchopt.examples.nac.config import PRESETS, Config
from torchopt.examples.nac.curriculum import (
    MetaSolver,
    curriculum,
    latest,
    network,
    psro,
    uniform,
)
from torchopt.examples.nac.games import random_games
from torchopt.examples.nac.training import meta_train
from torchopt.examples.tools.command import run_program
from torchopt.examples.tools.report import progress, table

__all__ = ["judge", "main"]

_TEST = 1_000_004  # an offset of the seed: not the games of meta-training


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; return the exit status."""
    return run_program(
        _run,
        argv,
        name="nac",
        description="Neural auto-curricula beside fictitious play and PSRO, on random games of skill.",
        presets=PRESETS,
    )


def judge(
    config: Config, meta_solvers: Mapping[str, MetaSolver], strategies: int
) -> dict[str, torch.Tensor]:
    """Return each meta-solver's exploitability on held-out games, ``(growth + 1, games)``."""
    generator = torch.Generator().manual_seed(config.seed + _TEST)
    games = random_games(config.test_games, strategies, skill=config.skill, generator=generator)
    return {
        name: curriculum(games, meta_solver, config.growth)
        for name, meta_solver in meta_solvers.items()
    }


def _run(config: Config, folder: Path, console: Console) -> None:
    curve: list[float] = []
    began = time.monotonic()
    with progress(console, "meta-training", config.iterations) as advance:

        def on_step(value: float) -> None:
            curve.append(value)
            advance(f"exploitability {value:.3f}")

        theta = meta_train(config, on_step=on_step)
    seconds = time.monotonic() - began
    console.print(f"{seconds / config.iterations:.2f} seconds a meta-step")
    meta_solvers = {
        "self-play": latest,
        "uniform": uniform,
        "PSRO": psro(config.nash_steps),
        "neural auto-curricula": network(theta, config.width, config.rounds),
    }
    shown = sorted({config.growth // 4, config.growth // 2, config.growth})
    results = {}
    for size in (config.strategies, config.large):
        found = results[size] = judge(config, meta_solvers, size)
        rows = [
            (name, *(_interval(values[k]) for k in shown), _interval(values.mean(0)))
            for name, values in found.items()
        ]
        title = f"exploitability in {config.test_games} held-out games of {size} strategies"
        columns = ("meta-solver", *(f"after {k}" for k in shown), "mean over the growth")
        console.print(table(title, columns, rows))
    _draw(curve, results, folder / "exploitability.png")


def _interval(values: torch.Tensor) -> str:
    return f"{float(values.mean()):.3f} ± {1.96 * float(values.std()) / len(values) ** 0.5:.3f}"


def _draw(
    curve: Sequence[float], results: Mapping[int, Mapping[str, torch.Tensor]], path: Path
) -> None:
    figure = Figure(figsize=(11, 3.5), layout="constrained")
    left, *others = figure.subplots(1, 1 + len(results))
    left.plot(curve, lw=0.9)
    left.set(xlabel="meta-step", ylabel="mean exploitability", title="meta-training")
    for axes, (size, found) in zip(others, results.items(), strict=True):
        for name, values in found.items():
            axes.plot(values.mean(1).numpy(), label=name)
        title = f"held-out games of {size} strategies"
        axes.set(xlabel="best responses added", ylabel="exploitability", title=title)
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8)
    figure.savefig(path, dpi=120)
