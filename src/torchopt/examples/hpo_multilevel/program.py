"""The run: hyperparameters by the engine, and by a random search of the same cost."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path

import torch
from matplotlib.figure import Figure
from rich.console import Console

from torchopt.examples.hpo_multilevel.config import PRESETS, Config
from torchopt.examples.hpo_multilevel.problems import Tuning, load_parts, start_of
from torchopt.examples.hpo_multilevel.search import Trial, random_search, train
from torchopt.examples.tools.command import run_program
from torchopt.examples.tools.engine import records
from torchopt.examples.tools.report import progress, table
from torchopt.multilevel import Plan

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; return the exit status."""
    return run_program(
        _run,
        argv,
        name="hpo_multilevel",
        description="Find 67 hyperparameters of a network while it trains, by the hypergradient.",
        presets=PRESETS,
        resumable=True,
    )


def evaluations(plan: Plan) -> int:
    """Return the evaluations of gradients from turn to turn of the upper problem.

    A product with second derivatives counts as two.
    """
    total = 0
    for entry in plan.entries:
        assert entry.cost is not None, "all ready-made modes are known"
        total += (entry.cost.gradients or 0) + 2 * (entry.cost.products or 0)
    return total


def _run(config: Config, folder: Path, console: Console) -> None:
    parts = load_parts(config)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(
            config.seed
        )  # of the start and the noise, whose state is in the checkpoint
        run = Tuning(config, parts, folder, console)
        console.print(str(run.plan()), soft_wrap=True)
        run.plan().save(folder / "plan.svg")
        run.run()
    each = evaluations(run.plan()) / config.unroll_steps
    cost = round(each * config.steps)
    trials = max(1, round(cost / config.trial_steps))
    with progress(console, "random search", trials) as advance:
        searched = random_search(
            config,
            parts,
            trials,
            on_step=lambda trial: advance(f"validation {trial.score.validation:.3f}"),
        )
    best = min(searched, key=lambda trial: trial.score.validation)
    start = start_of(torch.full((65,), config.penalty), config.smoothing, config.noise)
    rows = {
        "nobody: the start": (start, 4, config.trial_steps),
        f"random, best of {trials}": (best.hyperparameters, 4, trials * config.trial_steps),
        f"engine, {config.type}": (run.found, 67, cost),
    }
    shown, result = [], {}
    for name, (hyperparameters, count, spent) in rows.items():
        score = train(
            config, parts, hyperparameters, networks=config.networks, seed=config.seed
        ).score
        result[name] = score._asdict()
        losses = (f"{score.validation:.4f}", f"{score.test:.4f}", f"{100 * score.accuracy:.1f} %")
        shown.append((name, f"{count}", f"{spent:,}", *losses))
    title = f"loss and test accuracy, the mean of {config.networks} fresh networks"
    columns = ("found by", "count", "gradients", "validation", "test", "accuracy")
    console.print(table(title, columns, shown))
    (folder / "result.json").write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    curve = [(each * step, loss) for step, loss in records(folder, "validation/validation")]
    _draw(config, curve, searched, run.found, folder / "hyperparameters.png")


def _draw(
    config: Config,
    curve: list[tuple[float, float]],
    searched: list[Trial],
    found: dict[str, torch.Tensor],
    path: Path,
) -> None:
    figure = Figure(figsize=(9, 3.5), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.plot(*zip(*curve, strict=True), "o-", ms=3, label=f"the engine, {config.type}")
    best = list(accumulate((trial.score.validation for trial in searched), min))
    spent = [config.trial_steps * (index + 1) for index in range(len(best))]
    left.step(spent, best, where="post", label="random search, best so far")
    left.set(xlabel="evaluations of gradients", ylabel="validation loss")
    left.legend()
    pixels = found["log_penalties"][:-1].view(8, 8).exp().log10()
    image = right.imshow(pixels.numpy(), cmap="viridis")
    right.set(xticks=[], yticks=[], title="penalty of the weights of each pixel")
    figure.colorbar(image, ax=right, label="its decimal logarithm")
    figure.savefig(path, dpi=120)
