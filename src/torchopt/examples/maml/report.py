"""What a run shows: progress, a table at the end, a learning curve, a picture of predictions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from matplotlib.figure import Figure
from rich.console import Console
from rich.table import Table

from torchopt.examples.maml.evaluate import Estimate
from torchopt.examples.maml.problem import Problem, Tasks
from torchopt.examples.maml.train import Record, Run
from torchopt.examples.tools.report import bar as make_bar

__all__ = ["draw_learning_curve", "draw_predictions", "result_table", "show_progress"]


@contextmanager
def show_progress(
    run: Run, console: Console, *, what: str | None = None
) -> Iterator[dict[str, Any]]:
    """Show a bar with loss, score and time left; plain lines where there is no terminal.

    Args:
        run: The run.
        console: Where to show it.
        what: What is running; by default, the algorithm.

    Yields:
        The callbacks for :meth:`Run.train`.
    """
    name, total = run.problem.score_name, run.config.iterations
    if not console.is_terminal:
        yield {
            "on_record": lambda record: console.print(_line(record, name, total), soft_wrap=True)
        }
        return
    text = f"loss {{task.fields[loss]:.3f}}  {name} {{task.fields[score]:.3f}}"
    with make_bar(console, what or run.config.algorithm, text) as progress:
        bar = progress.add_task(
            "", total=total, completed=run.iteration, loss=float("nan"), score=float("nan")
        )
        smooth: dict[str, float] = {}

        def on_step(iteration: int, loss: float, score: float) -> None:
            for key, value in (("loss", loss), ("score", score)):
                smooth[key] = 0.9 * smooth.get(key, value) + 0.1 * value
            progress.update(bar, completed=iteration, **smooth)  # type: ignore[arg-type]

        def on_record(record: Record) -> None:
            if record["split"] == "validation":
                progress.print(_line(record, name, total))

        yield {"on_step": on_step, "on_record": on_record}


def _line(record: Record, name: str, total: int) -> str:
    done = record["iteration"]
    line = f"{done:6d}/{total} {record['split']:10}"
    line += f" loss {record['loss']:.3f}  {name} {record['score']:.3f}"
    if record["split"] == "validation":
        return f"{line} ± {record['interval']:.3f}"
    left = record["seconds"] / done * (total - done)
    return f"{line}  {left:.0f} s left"


def result_table(run: Run, results: dict[str, Estimate]) -> Table:
    """Return the table of scores on held-out tasks."""
    tasks = next(iter(results.values())).tasks
    held_out = "held-out waves" if run.config.task == "sinusoid" else "letters of held-out scripts"
    table = Table(title=f"{run.problem.score_name} on {tasks} tasks of {held_out}")
    table.add_column("method")
    table.add_column(f"{run.problem.score_name}, 95 % interval", justify="right")
    reference, value = run.problem.reference
    table.add_row(reference, _number(run, value))
    for name, result in results.items():
        table.add_row(name, f"{_number(run, result.score)} ± {_number(run, result.interval)}")
    return table


def _number(run: Run, value: float) -> str:
    return f"{value:.3f}" if run.config.task == "sinusoid" else f"{100 * value:.2f} %"


def draw_learning_curve(run: Run, path: Path) -> None:
    """Draw loss and score against the iteration."""
    figure = Figure(figsize=(9, 3.5), layout="constrained")
    panels = zip(figure.subplots(1, 2), ("loss", "score"), strict=True)
    for axes, key in panels:
        for split, style in (("train", "-"), ("validation", "o-")):
            points = [(r["iteration"], r[key]) for r in run.records if r["split"] == split]
            axes.plot(*zip(*points, strict=True), style, label=split, markersize=4)
        axes.set(xlabel="meta-step", ylabel=run.problem.score_name if key == "score" else key)
        axes.grid(alpha=0.3)
        axes.legend()
    figure.savefig(path, dpi=120)


def draw_predictions(run: Run, path: Path, *, count: int = 3) -> None:
    """Draw some held-out tasks: what was learned from, and what was made of the queries."""
    generator = torch.Generator().manual_seed(run.config.seed)
    tasks = run.problem.sample("test", count, generator)
    outputs = run.learner.predict(tasks, steps=run.config.test_steps)
    if run.config.task == "sinusoid":
        _draw_waves(run.problem, tasks, outputs, path)
    else:
        _draw_letters(tasks, outputs, path)


def _draw_letters(tasks: Tasks, outputs: torch.Tensor, path: Path, *, shown: int = 10) -> None:
    ways = outputs.shape[-1]
    figure = Figure(figsize=(0.8 * (ways + 1 + shown), 1.25 * len(outputs)), layout="constrained")
    grid = figure.subplots(len(outputs), ways + 1 + shown, squeeze=False)
    for row, (x, y, query_x, query_y, output) in enumerate(zip(*tasks, outputs, strict=True)):
        first = [int((y == way).nonzero()[0]) for way in range(ways)]
        picked = torch.linspace(0, len(query_x) - 1, min(shown, len(query_x))).long().tolist()
        for column, axes in enumerate(grid[row]):
            axes.axis("off")
            if column < ways:
                axes.imshow(x[first[column], 0].numpy(), cmap="gray_r")
                axes.set_title(f"learn {column}", fontsize=8)
            elif 0 <= column - ways - 1 < len(picked):
                query = picked[column - ways - 1]
                guess = int(output[query].argmax())
                right = guess == int(query_y[query])
                axes.imshow(query_x[query, 0].numpy(), cmap="gray_r")
                axes.set_title(
                    f"read {guess}" if right else f"read {guess}, is {int(query_y[query])}",
                    fontsize=8,
                    color="green" if right else "red",
                )
    figure.savefig(path, dpi=120)


def _draw_waves(problem: Problem, tasks: Tasks, outputs: torch.Tensor, path: Path) -> None:
    figure = Figure(figsize=(4 * len(outputs), 3), layout="constrained")
    grid = figure.subplots(1, len(outputs), squeeze=False)[0]
    for axes, (x, y, query_x, query_y, output) in zip(
        grid, zip(*tasks, outputs, strict=True), strict=True
    ):
        order = query_x[:, 0].argsort()
        at, truth, learned = (t[order, 0].numpy() for t in (query_x, query_y, output))
        axes.plot(at, truth, label="truth")
        axes.plot(at, learned, "--", label="after adaptation")
        axes.plot(x[:, 0].numpy(), y[:, 0].numpy(), "k^", label="learned from")
        axes.set_title(f"{problem.score_name} {float(problem.score(output, query_y)):.2f}")
    grid[0].legend()
    figure.savefig(path, dpi=120)
