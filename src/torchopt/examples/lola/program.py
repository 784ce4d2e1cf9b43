"""The run: pairs that look ahead beside pairs that do not; a table and a picture."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import torch
from matplotlib.figure import Figure
from rich.console import Console

from torchopt.examples.lola.config import PRESETS, Config
from torchopt.examples.lola.training import mean_reward, train
from torchopt.examples.tools.command import run_program
from torchopt.examples.tools.report import progress, table
from torchopt.examples.tools.workers import executor_of

__all__ = ["main"]

_STATES = ("at the start", "after CC", "after CD", "after DC", "after DD")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; return the exit status."""
    return run_program(
        _run,
        argv,
        name="lola",
        description="LOLA-DiCE beside independent learners, in the iterated prisoner's dilemma.",
        presets=PRESETS,
    )


def _run(config: Config, folder: Path, console: Console) -> None:
    kinds = {"independent": 0, f"LOLA, {config.lookaheads} ahead": config.lookaheads}
    curves: dict[str, list[list[float]]] = {}
    rows, pair = [], []
    with executor_of(config.executor, config.workers, config.threads) as executor:
        for name, lookaheads in kinds.items():
            began = time.monotonic()
            rewards = []
            curves[name] = []
            with progress(console, name, config.iterations * config.seeds) as advance:
                for k in range(config.seeds):
                    curve: list[float] = []

                    def on_step(reward: float, curve: list[float] = curve) -> None:
                        curve.append(reward)
                        advance(f"reward {reward:.2f}")

                    pair = train(
                        config,
                        executor,
                        lookaheads=lookaheads,
                        seed=config.seed + k,
                        on_step=on_step,
                    )
                    curves[name].append(curve)
                    rewards.append(mean_reward(pair, config))
            seconds = (time.monotonic() - began) / (config.iterations * config.seeds)
            shown = ", ".join(f"{reward:.2f}" for reward in rewards)
            cooperates = " ".join(f"{float(p):.2f}" for p in pair[0].sigmoid())
            mean = f"{sum(rewards) / len(rewards):.2f}"
            rows.append((name, mean, shown, cooperates, f"{seconds:.2f} s"))
    title = f"reward of a round after {config.iterations} steps (mutual defection: -2)"
    columns = ("agents", "mean", "of each pair", "P(C) " + ", ".join(_STATES), "a step takes")
    console.print(table(title, columns, rows))
    _draw(curves, folder / "rewards.png")


def _draw(curves: Mapping[str, Sequence[Sequence[float]]], path: Path) -> None:
    figure = Figure(figsize=(6, 3.5), layout="constrained")
    axes = figure.subplots()
    for color, (name, lines) in zip(("tab:gray", "tab:blue"), curves.items(), strict=True):
        for line in lines:
            axes.plot(line, color=color, lw=0.8, alpha=0.5)
        axes.plot(torch.tensor(lines).mean(0).numpy(), color=color, lw=2, label=name)
    axes.axhline(-1, color="black", lw=0.5, ls=":")
    axes.axhline(-2, color="black", lw=0.5, ls=":")
    axes.set(xlabel="step", ylabel="mean reward of a round", title="iterated prisoner's dilemma")
    axes.legend()
    figure.savefig(path, dpi=120)
