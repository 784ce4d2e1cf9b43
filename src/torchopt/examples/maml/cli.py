"""The command line: a preset, changed by options that are the fields of the configuration."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, get_args

import torch
from rich.console import Console

from torchopt.distributed import get_rank
from torchopt.errors import WorkerLostError
from torchopt.examples.maml.config import PLACE, Config, Preset, recipe
from torchopt.examples.maml.distributed import Spread, by_ranks, spread_of
from torchopt.examples.maml.report import (
    draw_learning_curve,
    draw_predictions,
    result_table,
    show_progress,
)
from torchopt.examples.maml.train import Run
from torchopt.examples.tools.command import add_options
from torchopt.examples.tools.workers import joined

__all__ = ["main"]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m torchopt.examples maml",
        description="Learn to learn: read letters of unseen scripts from one example each.",
        epilog="Options that are left out have the values of the preset.",
    )
    parser.add_argument("--preset", choices=get_args(Preset), default="default")
    parser.add_argument("--name", help="the folder of the run; by default TASK-ALGORITHM-PRESET")
    parser.add_argument("--runs", type=Path, default=Path("runs"), help="the folder of all runs")
    parser.add_argument(
        "--resume", action="store_true", help="go on from the run's last checkpoint"
    )
    add_options(parser, Config)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program.

    Args:
        argv: The arguments; by default the command line's.

    Returns:
        The exit status: 0, 1 for a bad setting, 130 if it was interrupted.
    """
    arguments = vars(_parser().parse_args(argv))
    preset, name, runs, resume = (arguments.pop(k) for k in ("preset", "name", "runs", "resume"))
    chosen = {key: value for key, value in arguments.items() if value is not None}
    try:
        base = recipe(chosen.get("task", "letters"), preset, chosen.get("algorithm", "maml"))
        config = replace(base, **chosen)
    except ValueError as error:
        return _fail(error)
    folder = runs / (name or f"{config.task}-{config.algorithm}-{preset}")
    make = partial(_make, config, folder, chosen if resume else None)
    console = Console()
    try:
        with spread_of(config, _follow, make) as spread:
            if config.distributed == "spmd" and get_rank():
                make(spread).follow()
                return 0
            run = make(spread)
            with show_progress(run, console, what=_what(run, spread)) as callbacks:
                run.train(**callbacks)
    except (FileNotFoundError, ModuleNotFoundError, ValueError) as error:
        return _fail(error)
    except (KeyboardInterrupt, WorkerLostError) as error:
        reason = "interrupted" if isinstance(error, KeyboardInterrupt) else f"error: {error}"
        console.print(
            f"{reason.rstrip('.')}: the same command with --resume goes on from the last checkpoint."
        )
        return 130 if isinstance(error, KeyboardInterrupt) else 1
    console.print(result_table(run, run.test()))
    draw_learning_curve(run, folder / "learning_curve.png")
    draw_predictions(run, folder / "predictions.png")
    console.print(f"{folder}: metrics.jsonl, learning_curve.png, predictions.png, checkpoint.pt")
    return 0


def _make(
    config: Config, folder: Path, chosen: dict[str, Any] | None, spread: Spread | None
) -> Run:
    """Return a new run, or, with the options that were chosen, one that goes on."""
    torch.set_num_threads(config.threads)
    if chosen is None:
        return Run(config, folder, spread=spread)
    run = Run.resume(folder, spread=spread, **{key: getattr(config, key) for key in PLACE})
    _check_unchanged(run, chosen)
    torch.set_num_threads(run.config.threads)
    return run


def _follow(make: Callable[[Spread | None], Run]) -> None:
    """Be another rank of an SPMD run."""
    with joined():
        make(by_ranks()).follow()


def _what(run: Run, spread: Spread | None) -> str:
    algorithm = run.config.algorithm
    return algorithm if spread is None else f"{algorithm} on {spread.parts} workers"


def _fail(error: Exception) -> int:
    print(f"error: {error}", file=sys.stderr)
    return 1


def _check_unchanged(run: Run, chosen: dict[str, Any]) -> None:
    for key, value in chosen.items():
        saved = getattr(run.config, key)
        if saved != value:
            raise ValueError(
                f"the run was started with `{key}` {saved!r}, not {value!r}: leave the option out, or "
                f"start another run with --name."
            )
