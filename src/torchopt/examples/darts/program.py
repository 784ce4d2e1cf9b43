"""The run: the search, then every architecture; the rank of what was found, a table and a picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import torch
from matplotlib.figure import Figure
from rich.console import Console

from torchopt.examples.darts.cell import (
    ARCHITECTURES,
    EDGES,
    OPERATIONS,
    Architecture,
    name,
    without_dead_edges,
)
from torchopt.examples.darts.config import PRESETS, Config
from torchopt.examples.darts.enumerate import percentile, rank, train_all
from torchopt.examples.darts.search import chosen, make_search
from torchopt.examples.tools.command import run_program
from torchopt.examples.tools.digits import Data, split_digits
from torchopt.examples.tools.engine import records
from torchopt.examples.tools.report import table

__all__ = ["Result", "compare", "main"]


class Result(NamedTuple):
    """What came of it.

    Attributes:
        mixture: The logits that the search found.
        found: The architecture that they choose.
        accuracies: Of every architecture trained alone, one for each start.
        scores: Their means.
    """

    mixture: torch.Tensor
    found: Architecture
    accuracies: dict[Architecture, list[float]]
    scores: dict[Architecture, float]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; return the exit status."""
    return run_program(
        _run,
        argv,
        name="darts",
        description="Search a small cell by gradient on scikit-learn's digits, and compare with all of "
        "its architectures.",
        presets=PRESETS,
        resumable=True,
    )


def compare(config: Config, folder: Path, console: Console) -> Result:
    """Search, then train every architecture, each from its checkpoint in the folder if there is one."""
    train, judge, test = split_digits(config.seed, config.train, config.judge)
    engine = make_search(config, train, judge, folder, console)
    engine.plan().save(folder / "plan.svg")
    engine.run()
    mixture = engine.problems[0].params.detach()
    both = Data(*(torch.cat(parts) for parts in zip(train, judge, strict=True)))
    path = folder / "architectures" / "checkpoint.pt"
    accuracies = train_all(config, both, test, path, console)
    scores = {a: sum(values) / len(values) for a, values in accuracies.items()}
    return Result(mixture, chosen(mixture), accuracies, scores)


def _run(config: Config, folder: Path, console: Console) -> None:
    result = compare(config, folder, console)
    scores, found = result.scores, result.found
    order = sorted(ARCHITECTURES, key=lambda a: scores[a], reverse=True)
    rows = []
    for text, architecture in (
        ("found by gradient", found),
        ("best of all", order[0]),
        ("median", order[len(order) // 2]),
        ("worst of all", order[-1]),
    ):
        rows.append(
            (
                text,
                name(architecture),
                f"{100 * scores[architecture]:.2f} %",
                f"{rank(scores, architecture)}/{len(scores)}",
                f"{percentile(scores, architecture):.0f}",
            )
        )
    edges = ", ".join(f"{start}-{end}" for start, end in EDGES)
    columns = ("architecture", edges, "accuracy", "rank", "percentile")
    different = len({without_dead_edges(a) for a in ARCHITECTURES})
    title = f"{len(scores)} architectures, {different} of them different"
    console.print(table(title, columns, rows))
    parts = [
        (f"{start}-{end}", *(f"{part:.3f}" for part in row))
        for (start, end), row in zip(EDGES, result.mixture.softmax(-1).tolist(), strict=True)
    ]
    console.print(table("the mixture that was found", ("edge", *OPERATIONS), parts))
    _draw(config, result, order, folder)


def _draw(config: Config, result: Result, order: list[Architecture], folder: Path) -> None:
    figure = Figure(figsize=(11, 6), layout="constrained")
    grid = figure.add_gridspec(2, 1)
    top, bottom = figure.add_subfigure(grid[0]), figure.add_subfigure(grid[1])
    for axes, edge in zip(top.subplots(1, len(EDGES), sharey=True), EDGES, strict=True):
        for operation in OPERATIONS:
            points = records(folder, f"validation/{edge[0]}-{edge[1]} {operation}")
            axes.plot(*zip(*points, strict=True), label=operation)
        axes.set(xlabel="step", title=f"edge {edge[0]}-{edge[1]}", ylim=(0, 1))
        axes.axvline(config.warmup, color="gray", lw=0.5)
    top.axes[0].set_ylabel("part of the mixture")
    top.axes[0].legend(fontsize=8)
    axes = bottom.subplots()
    for place, architecture in enumerate(order, 1):
        color = "C3" if architecture == result.found else "C0"
        axes.plot(place, result.scores[architecture], "o", ms=5, color=color)
        values = result.accuracies[architecture]
        axes.plot([place] * len(values), values, "_", color=color, alpha=0.6)
    place = order.index(result.found) + 1
    axes.annotate(
        f"found: {name(result.found)}",
        (place, result.scores[result.found]),
        (0.35, 0.25),
        textcoords="axes fraction",
        color="C3",
        arrowprops={"arrowstyle": "->", "color": "C3"},
    )
    axes.set(xlabel="architectures, the best first", ylabel="accuracy, trained alone")
    figure.savefig(folder / "architectures.png", dpi=120)
