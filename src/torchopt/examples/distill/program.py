"""The run: learn ten images, and teach with them, with real ones and with averages."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import torch
from matplotlib.figure import Figure
from rich.console import Console

from torchopt.examples.distill.config import PRESETS, Config
from torchopt.examples.distill.problems import Distillation, load_digits, taught
from torchopt.examples.tools.command import run_program
from torchopt.examples.tools.digits import Data
from torchopt.examples.tools.engine import records
from torchopt.examples.tools.report import table

__all__ = ["main"]

_RATES = (0.1, 0.2, 0.5, 1.0, 2.0)
_LONG = 10  # times as many steps, for real images


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; return the exit status."""
    return run_program(
        _run,
        argv,
        name="distill",
        description="Learn ten images that teach a fresh network to read digits in a few steps.",
        presets=PRESETS,
        resumable=True,
    )


def _run(config: Config, folder: Path, console: Console) -> None:
    real, test = load_digits(config)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(config.seed)  # of the students, whose state is in the checkpoint
        run = Distillation(config, real, test, folder, console)
        means = run.found[0].clone()
        console.print(str(run.plan()), soft_wrap=True)
        run.plan().save(folder / "plan.svg")
        run.run()
    images, rate = run.found
    ten = _draw_real(config, real)
    few, many = config.inner_steps, config.inner_steps * _LONG
    rows = {
        "ten real images": _best(config, ten, real, test, few),
        "the same, for longer": _best(config, ten, real, test, many),
        "ten averages": _best(config, means, real, test, few),
        "ten learned images": (few, rate, *taught(config, images, rate, test)),
    }
    title = f"accuracy of {config.networks} fresh networks on {len(test.y)} held-out digits"
    columns = ("taught with", "steps", "learning rate", "accuracy", "deviation")
    shown = [
        (name, f"{steps}", f"{rate:.2f}", f"{100 * mean:.1f} %", f"{100 * deviation:.1f}")
        for name, (steps, rate, mean, deviation) in rows.items()
    ]
    console.print(table(title, columns, shown))
    result = {name: {"accuracy": row[2], "deviation": row[3]} for name, row in rows.items()}
    (folder / "result.json").write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    _draw(ten[0], means, images, folder / "images.png")
    real_score = rows["ten real images"][2]
    _draw_curve(records(folder, "validation/accuracy"), config, real_score, folder / "accuracy.png")


def _draw_real(config: Config, real: Data) -> torch.Tensor:
    """Return ten real images at random, one of each digit, for each network."""
    generator = torch.Generator().manual_seed(config.seed)
    of_digit = [real.x[real.y == label] for label in range(10)]
    places = [torch.randint(len(x), (config.networks,), generator=generator) for x in of_digit]
    return torch.stack([x[i] for x, i in zip(of_digit, places, strict=True)], 1)


def _best(
    config: Config, images: torch.Tensor, real: Data, test: Data, steps: int
) -> tuple[int, float, float, float]:
    """Return how well images teach at the learning rate that suits them best, on real images."""
    rate = max(_RATES, key=lambda rate: taught(config, images, rate, real, steps=steps)[0])
    return steps, rate, *taught(config, images, rate, test, steps=steps)


def _draw(ten: torch.Tensor, means: torch.Tensor, images: torch.Tensor, path: Path) -> None:
    figure = Figure(figsize=(9, 3.2), layout="constrained")
    rows = {"real": ten, "averages": means, "learned": images}
    for line, (name, row) in zip(figure.subplots(3, 10), rows.items(), strict=True):
        for digit, axes in enumerate(line):
            axes.imshow(row[digit].view(8, 8).numpy(), cmap="gray_r", vmin=0, vmax=1)
            axes.set(xticks=[], yticks=[], title=f"{digit}" if row is ten else "")
        line[0].set_ylabel(name)
    figure.savefig(path, dpi=120)


def _draw_curve(
    curve: list[tuple[int, float]], config: Config, real_score: float, path: Path
) -> None:
    figure = Figure(figsize=(5, 3.5), layout="constrained")
    axes = figure.subplots()
    steps, scores = zip(*curve, strict=True)
    axes.plot([s // config.inner_steps for s in steps], scores, "o-", ms=3, label="learned images")
    axes.axhline(real_score, color="C1", label="ten real images")
    axes.set(xlabel="step of the images", ylabel="test accuracy of fresh networks")
    axes.legend()
    figure.savefig(path, dpi=120)
