"""The run: one, two and three levels; a table of what each adds, and pictures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import torch
from matplotlib.figure import Figure
from rich.console import Console

from torchopt.examples.tools.command import run_program
from torchopt.examples.tools.engine import records
from torchopt.examples.tools.report import progress, table
from torchopt.examples.trilevel.config import PRESETS, Config
from torchopt.examples.trilevel.data import KINDS, Digits, load
from torchopt.examples.trilevel.levels import accuracy, one_level, three_levels, two_levels

__all__ = ["NEARNESS", "Result", "compare", "main", "separation"]

NEARNESS = (0.03, 0.1, 0.3, 1.0)
"""How near finetuning stays, in the comparison: it must not decide who wins."""


class Result(NamedTuple):
    """What came of it.

    Attributes:
        pooled: The accuracy of one level.
        weighted: For each kind of weights, the accuracy of two levels for each of ``NEARNESS``.
        weights: What three levels have learned, in [0, 1].
        joint: The accuracy while three levels learn, by their own finetuned network.
    """

    pooled: float
    weighted: dict[str, list[float]]
    weights: torch.Tensor
    joint: list[tuple[int, float]]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; return the exit status."""
    return run_program(
        _run,
        argv,
        name="trilevel",
        description="Learn which doubtful examples to ignore in pretraining, by what finetuning "
        "makes of it: three levels, on scikit-learn's digits.",
        presets=PRESETS,
        resumable=True,
    )


def compare(config: Config, digits: Digits, folder: Path, console: Console) -> Result:
    """Train with one, two and three levels, each from its checkpoint in the folder if there is one.

    What three levels learn are the weights; they are then judged as equal weights are: by two levels
    that finetune on all clean examples.
    """
    runs = folder / "levels"
    top = three_levels(config, digits, runs / "three levels", console)
    top.plan().save(folder / "plan.svg")
    top.run()
    learned = top.problems[0].params.detach().sigmoid()
    weights = {
        "two": torch.ones(len(learned)),
        "three": learned,
        "bound": (digits.kind == 0).float(),
    }
    quiet = Console(quiet=True)
    pool = one_level(config, digits, runs / "one level", quiet)
    weighted: dict[str, list[float]] = {name: [] for name in weights}
    with progress(console, "one and two levels", 1 + len(weights) * len(NEARNESS)) as advance:
        pool.run()
        pooled = accuracy(pool.judged.module, digits.test)
        advance("")
        for name, given in weights.items():
            for nearness in NEARNESS:
                place = runs / f"{name} {nearness}"
                run = two_levels(config, digits, given, nearness, place, quiet)
                run.run()
                weighted[name].append(accuracy(run.judged.module, digits.test))
                advance(f"accuracy {weighted[name][-1]:.3f}")
    joint = records(runs / "three levels", "validation/accuracy")
    return Result(pooled, weighted, learned, joint)


def separation(weights: torch.Tensor, good: torch.Tensor, bad: torch.Tensor) -> float:
    """Return how often a good example has the larger weight: the area under the ROC curve."""
    difference = weights[good][:, None] - weights[bad]
    return ((difference > 0).double() + 0.5 * (difference == 0)).mean().item()


def _run(config: Config, folder: Path, console: Console) -> None:
    digits = load(config)
    result = compare(config, digits, folder, console)
    names = {
        "two": "two: pretrain, finetune",
        "three": "three: and ignore",
        "bound": "(two, told what to ignore)",
    }
    one = ("one: all in one pool", *[f"{100 * result.pooled:.1f} %"] * len(NEARNESS))
    rows = [one] + [
        (text, *(f"{100 * value:.1f} %" for value in result.weighted[name]))
        for name, text in names.items()
    ]
    columns = ("levels", *(f"{nearness}" for nearness in NEARNESS))
    title = f"accuracy on {len(digits.test.y)} held-out digits, by the nearness of finetuning"
    console.print(table(title, columns, rows))
    right = digits.kind == 0
    kinds = []
    for number, kind in enumerate(KINDS):
        of = digits.kind == number
        area = "" if number == 0 else f"{separation(result.weights, right, of):.3f}"
        kinds.append((kind, str(int(of.sum())), f"{result.weights[of].mean():.2f}", area))
    columns = ("example", "count", "mean weight", "area under the curve")
    console.print(table("the weights that three levels have learned", columns, kinds))
    _draw(digits, result, folder / "weights.png")


def _draw(digits: Digits, result: Result, path: Path) -> None:
    figure = Figure(figsize=(11, 5.5), layout="constrained")
    grid = figure.add_gridspec(2, 1, height_ratios=(3, 2))
    top, bottom = figure.add_subfigure(grid[0]), figure.add_subfigure(grid[1])
    left, right = top.subplots(1, 2)
    left.plot(*zip(*result.joint, strict=True), ".-")
    left.set(xlabel="step of three levels", ylabel="accuracy of the finetuned network")
    edges = torch.linspace(0, 1, 21).numpy()
    parts = [result.weights[digits.kind == number].numpy() for number in range(len(KINDS))]
    right.hist(parts, bins=edges, label=KINDS)
    right.set(xlabel="weight", ylabel="examples")
    right.legend()
    order = result.weights.argsort()
    shown = min(10, len(order) // 2)
    images = bottom.subplots(2, shown)
    for row, (word, picked) in enumerate(
        (("ignored", order[:shown]), ("trusted", order.flip(0)[:shown]))
    ):
        for axes, index in zip(images[row], picked, strict=True):
            axes.imshow(digits.source.x[index].reshape(8, 8).numpy(), cmap="gray_r")
            axes.axis("off")
            label, weight = int(digits.source.y[index]), float(result.weights[index])
            axes.set_title(f"{word}: “{label}”, {weight:.2f}", fontsize=6)
    figure.savefig(path, dpi=120)
