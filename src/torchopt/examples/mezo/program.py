"""The run: pre-train, fine-tune by seeds and by backpropagation; tables and a picture."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from matplotlib.figure import Figure
from rich.console import Console

from torchopt.examples.mezo.config import PRESETS, Config
from torchopt.examples.mezo.training import accuracy, fine_tune, peaks, pretrain
from torchopt.examples.tools.command import run_program
from torchopt.examples.tools.report import progress, table

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; return the exit status."""
    return run_program(
        _run,
        argv,
        name="mezo",
        description="Fine-tune a transformer in the memory of inference, beside backpropagation.",
        presets=PRESETS,
    )


def _run(config: Config, folder: Path, console: Console) -> None:
    with progress(console, "pre-training", config.pretraining) as advance:
        model = pretrain(config, on_step=lambda loss: advance(f"loss {loss:.3f}"))
    size = sum(p.numel() for p in model.parameters())
    topics = accuracy(config, model, topics=True)
    console.print(f"{size:,} parameters; {100 * topics:.1f} % of topics are told right")
    curves: dict[str, list[float]] = {}
    rows = [("pre-trained only", "", f"{100 * accuracy(config, model):.1f} %", "")]
    for how, steps in (("MeZO", config.steps), ("backpropagation", config.backprop_steps)):
        curve = curves.setdefault(how, [])
        began = time.monotonic()
        with progress(console, how, steps) as advance:

            def on_step(loss: float, curve: list[float] = curve) -> None:
                curve.append(loss)
                advance(f"loss {loss:.3f}")

            tuned = fine_tune(config, model, how, on_step=on_step)
        seconds = (time.monotonic() - began) / steps
        score = f"{100 * accuracy(config, tuned):.1f} %"
        rows.append((how, str(steps), score, f"{seconds:.2f}"))
    columns = ("fine-tuning", "steps", "accuracy", "seconds a step")
    console.print(table(f"opinions on {config.test_texts} held-out texts", columns, rows))
    found = peaks(config, model)
    least = found["inference"]
    sizes = [(name, f"{n / 2**20:.1f} MiB", f"{n / least:.2f}") for name, n in found.items()]
    title = (
        f"peak of tensors besides the {4 * size / 2**20:.1f} MiB of parameters, "
        f"{config.memory_batch} texts"
    )
    console.print(table(title, ("step", "peak", "of inference"), sizes))
    _draw(curves, found, 4 * size, folder / "loss_and_memory.png")


def _draw(
    curves: Mapping[str, Sequence[float]], found: Mapping[str, int], size: int, path: Path
) -> None:
    figure = Figure(figsize=(10, 3.5), layout="constrained")
    left, right = figure.subplots(1, 2)
    for name, values in curves.items():
        left.plot(range(1, len(values) + 1), values, lw=0.9, label=name)
    left.set(xlabel="step of fine-tuning", ylabel="loss", xscale="log")
    left.grid(alpha=0.3)
    left.legend(fontsize=8)
    names = [*found][::-1]
    right.barh(names, size / 2**20, color="0.8", label="parameters")
    right.barh(names, [found[n] / 2**20 for n in names], left=size / 2**20, label="the step")
    right.set(xlabel="peak of tensors, MiB")
    right.legend(fontsize=8)
    figure.savefig(path, dpi=120)
