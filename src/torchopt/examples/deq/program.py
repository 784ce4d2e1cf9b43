"""The run: train with the exact and with the Jacobian-free gradient, and count what is kept."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import torch
from matplotlib.figure import Figure
from rich.console import Console

from torchopt.diff import DifferentiationMode, Explicit, Implicit
from torchopt.examples.deq.config import PRESETS, Config
from torchopt.examples.deq.model import Equilibrium
from torchopt.examples.deq.training import (
    Digits,
    accuracy,
    fit,
    load_digits,
    make_model,
    saved_bytes,
    steps_of,
)
from torchopt.examples.tools.command import run_program
from torchopt.examples.tools.report import progress, table
from torchopt.linear_solve import solve_gmres, solve_jacobian_free

__all__ = ["MODES", "main", "memory"]

MODES: dict[str, DifferentiationMode] = {
    "exact (GMRES)": Implicit(linear_solve=solve_gmres(rtol=1e-3)),
    "Jacobian-free": Implicit(linear_solve=solve_jacobian_free()),
}

_STEPS = (10, 100, 1000)
_IMAGES = 16  # for the count: unrolling a thousand steps of a whole batch would need gigabytes


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; return the exit status."""
    return run_program(
        _run,
        argv,
        name="deq",
        description="Classify scikit-learn's digits by a deep equilibrium network.",
        presets=PRESETS,
    )


def memory(config: Config, digits: Digits) -> dict[str, list[int]]:
    """Return the bytes kept for the backward pass, implicit and unrolled, for some solver steps."""
    modes = {"implicit": MODES["exact (GMRES)"], "unrolled": Explicit()}
    x = digits.train_x[:_IMAGES]
    return {
        name: [saved_bytes(make_model(config, diff), x, steps=steps) for steps in _STEPS]
        for name, diff in modes.items()
    }


def _run(config: Config, folder: Path, console: Console) -> None:
    digits = load_digits(config)
    models, losses, rows = {}, {}, []
    for name, diff in MODES.items():
        began = time.monotonic()
        with progress(console, name, steps_of(config, digits)) as advance:
            models[name], losses[name] = fit(
                config, digits, diff, on_step=lambda loss: advance(f"loss {loss:.3f}")
            )
        seconds = time.monotonic() - began
        score = accuracy(models[name], digits)
        rows.append((name, f"{100 * score:.2f} %", f"{seconds:.1f}"))
    kept = memory(config, digits)
    title = f"accuracy on {len(digits.test_y)} held-out digits"
    console.print(table(title, ("gradient", "accuracy", "seconds of training"), rows))
    columns = ("steps of the solver", *(f"{steps:,}" for steps in _STEPS))
    sizes = [(name, *(f"{n / 2**20:.2f} MiB" for n in counts)) for name, counts in kept.items()]
    console.print(table(f"kept for the backward pass, {_IMAGES} images", columns, sizes))
    _draw(losses, kept, folder / "training_and_memory.png")
    _draw_digits(models["exact (GMRES)"], digits, folder / "predictions.png")


def _draw(losses: dict[str, list[float]], kept: dict[str, list[int]], path: Path) -> None:
    figure = Figure(figsize=(9, 3.5), layout="constrained")
    left, right = figure.subplots(1, 2)
    for name, values in losses.items():
        left.plot(values, lw=0.8, label=name)
    left.set(xlabel="step", ylabel="training loss", yscale="log")
    left.legend()
    for name, counts in kept.items():
        right.loglog(_STEPS, [n / 2**20 for n in counts], "o-", label=name)
    right.set(xlabel="steps of the solver", ylabel="kept for the backward pass, MiB")
    right.legend()
    figure.savefig(path, dpi=120)


def _draw_digits(model: Equilibrium, digits: Digits, path: Path, *, shown: int = 24) -> None:
    with torch.no_grad():
        guesses = model(digits.test_x).argmax(-1)
    # What is read wrong comes first.
    order = (guesses == digits.test_y).to(torch.uint8).argsort(stable=True)[:shown]
    figure = Figure(figsize=(9, 3.4), layout="constrained")
    for axes, i in zip(figure.subplots(3, 8).flat, order.tolist(), strict=False):
        guess, truth = int(guesses[i]), int(digits.test_y[i])
        axes.imshow(digits.test_x[i, 0].numpy(), cmap="gray_r")
        axes.axis("off")
        text = f"read {guess}" if guess == truth else f"read {guess}, is {truth}"
        axes.set_title(text, fontsize=8, color="green" if guess == truth else "red")
    figure.savefig(path, dpi=120)
