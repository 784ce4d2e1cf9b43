"""The run: both problems, by the hypergradient and over a grid; tables and a picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from matplotlib.figure import Figure
from rich.console import Console

from torchopt.examples.hpo.agreement import Way, compare
from torchopt.examples.hpo.config import PRESETS, Config
from torchopt.examples.hpo.problems import InnerProblem, logistic_regression, network
from torchopt.examples.hpo.search import Found, descend, grid_search
from torchopt.examples.tools.command import run_program
from torchopt.examples.tools.report import progress, table
from torchopt.linear_solve import solve_cg

__all__ = ["Result", "main", "search"]

_GRID = (1e-3, 1.0)


class Result:
    """What was found for one problem.

    Attributes:
        problem: The inner problem.
        grid: One penalty for all weights, at each point of the grid.
        history: One penalty for each group, at each outer step.
        ways: The hypergradient at the start by several ways.
    """

    def __init__(
        self, problem: InnerProblem, grid: list[Found], history: list[Found], ways: list[Way]
    ) -> None:
        self.problem, self.grid, self.history, self.ways = problem, grid, history, ways

    @property
    def best_of_grid(self) -> Found:
        """The point of the grid with the least validation loss."""
        return min(self.grid, key=lambda found: found.validation)

    @property
    def best(self) -> Found:
        """The outer step with the least validation loss."""
        return min(self.history, key=lambda found: found.validation)


def search(problem: InnerProblem, config: Config, console: Console) -> Result:
    """Find penalties for a problem, by its hypergradient and over a grid."""
    low, high = torch.tensor(_GRID, dtype=torch.float64).log()
    values = torch.linspace(float(low), float(high), config.grid, dtype=torch.float64)
    with progress(console, f"{problem.name}, grid", config.grid) as advance:
        grid = grid_search(problem, values, on_step=lambda found: advance(_loss(found)))
    start = float(torch.tensor(config.start).log())
    with progress(console, problem.name, config.steps) as advance:
        history = descend(
            problem,
            start=start,
            steps=config.steps,
            lr=config.lr,
            linear_solve=solve_cg(rtol=1e-6),
            on_step=lambda found: advance(_loss(found)),
        )
    first = history[0]
    ways = compare(problem, first.log_penalties, first.params, terms=config.terms)
    return Result(problem, grid, history, ways)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; return the exit status."""
    return run_program(
        _run,
        argv,
        name="hpo",
        description="Find a penalty for each weight by the gradient of the validation loss.",
        presets=PRESETS,
    )


def _run(config: Config, folder: Path, console: Console) -> None:
    problems = [
        logistic_regression(
            features=config.features,
            relevant=config.relevant,
            examples=config.examples,
            seed=config.seed,
        ),
        network(
            features=config.network_features,
            relevant=2,
            examples=config.examples,
            width=config.width,
            seed=config.seed,
        ),
    ]
    results = [search(problem, config, console) for problem in problems]
    for result in results:
        _print_result(result, console)
    _draw(results, folder / "penalties.png")


def _loss(found: Found) -> str:
    return f"train {found.train:.3f}  validation {found.validation:.3f}"


def _print_result(result: Result, console: Console) -> None:
    name, grid, best = result.problem.name, result.best_of_grid, result.best
    shared = f"one penalty, best of {len(result.grid)}"
    rows = [
        (row, str(count), f"{f.train:.4f}", f"{f.validation:.4f}", f"{f.test:.4f}")
        for row, count, f in (
            ("the start", 1, result.history[0]),
            (shared, 1, grid),
            ("hypergradient", len(best.log_penalties), best),
        )
    ]
    columns = ("loss", "penalties", "train", "validation", "test")
    console.print(table(f"{name}: loss with penalties chosen on validation", columns, rows))
    headings = ("hypergradient", "cosine to dense", "relative difference", "seconds")
    ways = [
        (w.name, f"{w.cosine:.6f}", f"{w.difference:.1e}", f"{w.seconds:.2f}") for w in result.ways
    ]
    console.print(table(f"{name}: the hypergradient at the start", headings, ways))


def _draw(results: list[Result], path: Path) -> None:
    figure = Figure(figsize=(11, 6.5), layout="constrained")
    for (left, right), result in zip(figure.subplots(len(results), 2), results, strict=True):
        for part, style in (("validation", "-"), ("test", "--")):
            losses = [getattr(found, part) for found in result.history]
            left.plot(losses, style, color="C0", label=f"hypergradient, {part}")
            left.axhline(
                getattr(result.best_of_grid, part),
                ls=style,
                color="C1",
                label=f"best shared penalty, {part}",
            )
        left.set(xlabel="outer step", ylabel="loss", title=result.problem.name)
        left.legend(fontsize=8)
        labels = result.problem.labels
        right.bar(range(len(labels)), result.best.log_penalties.exp().numpy(), bottom=0)
        shared = result.best_of_grid.log_penalties[0].exp().item()
        right.axhline(shared, color="C1", label="best shared penalty")
        right.set(yscale="log", ylabel="penalty", title="penalties found")
        every = max(1, len(labels) // 8)
        right.set_xticks(range(0, len(labels), every), labels[::every], rotation=30, ha="right")
        right.legend(fontsize=8)
    figure.savefig(path, dpi=120)
