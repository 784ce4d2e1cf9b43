"""The run: a common start, then MAML and implicit MAML with the same tasks; a table and pictures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from matplotlib.figure import Figure
from rich.console import Console

from torchopt.examples.imaml.config import PRESETS, Config
from torchopt.examples.imaml.learner import ImplicitLearner
from torchopt.examples.imaml.warmup import warm_up
from torchopt.examples.maml.evaluate import Estimate, Learner, estimate
from torchopt.examples.maml.functional import FunctionalLearner
from torchopt.examples.maml.letters import Letters
from torchopt.examples.maml.problem import build
from torchopt.examples.maml.report import draw_predictions, show_progress
from torchopt.examples.maml.train import Run, make_problem
from torchopt.examples.tools.command import run_program
from torchopt.examples.tools.report import progress, table

__all__ = ["compare", "main"]

_TEST = 1_000_002  # an offset of the seed: not the tasks of meta-training


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; return the exit status."""
    return run_program(
        _run,
        argv,
        name="imaml",
        description="Implicit MAML beside MAML: 5-way 1-shot letters of unseen scripts.",
        presets=PRESETS,
    )


def compare(
    config: Config, folder: Path, problem: Letters, console: Console
) -> tuple[dict[str, Run], dict[str, Estimate]]:
    """Meta-train both learners from one start, on the same tasks.

    Returns:
        The runs, and the results on held-out tasks, of the start too.
    """
    settings = config.meta_learning()
    network = build(problem, seed=config.seed, dtype=getattr(torch, config.dtype))
    with progress(console, "warm-up", config.warmup) as advance:
        warm_up(
            network,
            problem.splits["train"],
            steps=config.warmup,
            lr=config.warmup_lr,
            seed=config.seed,
            on_step=lambda loss: advance(f"loss {loss:.3f}"),
        )

    def judge(learner: Learner) -> Estimate:
        return estimate(
            lambda tasks: learner.predict(tasks, steps=config.inner_steps),
            problem,
            "test",
            count=config.test_tasks,
            seed=config.seed + _TEST,
        )

    learners: dict[str, Learner] = {
        "MAML": FunctionalLearner(settings, problem, network),
        "implicit MAML": ImplicitLearner(config, problem, network),
    }
    results = {"their start": judge(learners["MAML"])}
    runs = {}
    for name, learner in learners.items():
        runs[name] = Run(settings, folder / name.replace(" ", "-").lower(), problem, learner)
        with show_progress(runs[name], console, what=name) as callbacks:
            runs[name].train(**callbacks)
        results[name] = judge(learner)
    return runs, results


def _run(config: Config, folder: Path, console: Console) -> None:
    problem = make_problem(config.meta_learning())
    assert isinstance(problem, Letters)
    runs, results = compare(config, folder, problem, console)
    rows = [(*problem.reference[:1], f"{100 * problem.reference[1]:.2f} %", "")]
    for name, result in results.items():
        seconds = runs[name].records[-1]["seconds"] / config.iterations if name in runs else None
        rows.append(
            (
                f"{name}, {config.inner_steps} steps",
                f"{100 * result.score:.2f} ± {100 * result.interval:.2f} %",
                "" if seconds is None else f"{seconds:.2f}",
            )
        )
    title = f"accuracy on {config.test_tasks} tasks of letters of held-out scripts"
    columns = ("method", "accuracy, 95 % interval", "seconds a meta-step")
    console.print(table(title, columns, rows))
    _draw(runs, folder / "learning_curves.png")
    draw_predictions(runs["implicit MAML"], folder / "predictions.png")


def _draw(runs: dict[str, Run], path: Path) -> None:
    figure = Figure(figsize=(6, 3.5), layout="constrained")
    axes = figure.subplots()
    for color, (name, run) in enumerate(runs.items()):
        for split, style in (("train", ":"), ("validation", "o-")):
            points = [(r["iteration"], r["score"]) for r in run.records if r["split"] == split]
            label = f"{name}, {split}"
            axes.plot(*zip(*points, strict=True), style, color=f"C{color}", label=label)
    axes.set(xlabel="meta-step", ylabel="accuracy")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    figure.savefig(path, dpi=120)
