"""The run: readers that learn while they read, and one that does not; a table and a picture."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import torch
from matplotlib.figure import Figure
from rich.console import Console

from torchopt.examples.tools.command import run_program
from torchopt.examples.tools.report import progress, table
from torchopt.examples.ttt.config import PRESETS, Config
from torchopt.examples.ttt.documents import entropy, split_words, write
from torchopt.examples.ttt.learning import Reader

__all__ = ["Comparison", "compare", "main"]

_RATES = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)
_FROZEN, _ADAPTED, _FIRST_ORDER, _THROUGH = (
    "frozen",
    "frozen, adapted",
    "first order",
    "through the steps",
)


class Comparison(NamedTuple):
    """What came out.

    Attributes:
        bits: Per character, of shape ``(test documents, chunks)``, of each reader.
        curves: Of each reader that was trained, bits per character at each step.
        seconds: Of each of these, for a step.
        validation: Of the frozen reader, bits per character of validation documents, for each rate
            of inner steps.
        rate: The best of these.
        least: The bits per character of who knows the words of a document.
    """

    bits: dict[str, torch.Tensor]
    curves: dict[str, list[float]]
    seconds: dict[str, float]
    validation: dict[float, float]
    rate: float
    least: float


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; return the exit status."""
    return run_program(
        _run,
        argv,
        name="ttt",
        description="A transformer that learns from a text while it reads it, beside a frozen one.",
        presets=PRESETS,
    )


def compare(config: Config, console: Console) -> Comparison:
    """Train readers on the same documents, from the same start, and let them read held-out ones."""
    words = split_words(config.seed)

    def documents(of: list[str], count: int, generator: torch.Generator) -> torch.Tensor:
        return write(of, count, config.length + 1, of=config.words, generator=generator)

    generator = torch.Generator().manual_seed(config.seed)
    validation = documents(words.validation, config.validation_documents, generator)
    test = documents(words.test, config.test_documents, generator)
    readers = {
        _FROZEN: Reader(config, learns=False),
        _FIRST_ORDER: Reader(config, learns=True, first_order=True),
        _THROUGH: Reader(config, learns=True),
    }
    curves: dict[str, list[float]] = {}
    seconds = {}
    for name, reader in readers.items():
        generator = torch.Generator().manual_seed(config.seed + 1)
        curve = curves.setdefault(name, [])
        began = time.monotonic()
        with progress(console, name, config.steps) as advance:
            for _ in range(config.steps):
                texts = documents(words.train, config.batch, generator)
                curve.append(reader.train_step(texts))
                advance(f"{curve[-1]:.3f} bits")
        seconds[name] = (time.monotonic() - began) / config.steps
    frozen = readers[_FROZEN]
    tried = {rate: frozen.bits(validation, frozen.with_rate(rate)).mean().item() for rate in _RATES}
    best = min(tried, key=tried.__getitem__)
    bits = {
        _FROZEN: frozen.bits(test),
        _ADAPTED: frozen.bits(test, frozen.with_rate(best)),
        _FIRST_ORDER: readers[_FIRST_ORDER].bits(test),
        _THROUGH: readers[_THROUGH].bits(test),
    }
    return Comparison(bits, curves, seconds, tried, best, entropy(words.test, of=config.words))


def _run(config: Config, folder: Path, console: Console) -> None:
    found = compare(config, console)
    console.print(
        f"{_ADAPTED}: inner steps at test time only, of rate {found.rate:g}, the best on "
        f"{config.validation_documents} validation documents",
        soft_wrap=True,
    )
    shown = sorted({0, max(config.chunks // 2 - 1, 0), config.chunks - 1})
    rows = []
    for name, bits in found.bits.items():
        mean, error = _mean_and_error(bits)
        total, spread = _mean_and_error(bits.mean(1))
        places = (f"{mean[k]:.2f} ± {error[k]:.2f}" for k in shown)
        rows.append((name, *places, f"{total:.3f} ± {spread:.3f}"))
    columns = ("reader", *(f"chunk {k + 1}" for k in shown), "all")
    title = (
        f"bits per character, ± standard error, of {config.test_documents} held-out documents of "
        f"{config.chunks} chunks of {config.chunk} characters"
    )
    console.print(table(title, columns, rows))
    for name in (_FROZEN, _ADAPTED, _FIRST_ORDER):
        less = found.bits[_THROUGH] - found.bits[name]
        total, spread = _mean_and_error(less.mean(1))
        console.print(f"{_THROUGH}, less {name}: {total:+.3f} ± {spread:.3f} bits", soft_wrap=True)
    times = ", ".join(f"{name} {seconds:.2f}" for name, seconds in found.seconds.items())
    console.print(f"seconds a step of training: {times}", soft_wrap=True)
    console.print(f"the least, of who knows a document's words: {found.least:.3f} bits")
    result = {
        "bits": {name: bits.mean(0).tolist() for name, bits in found.bits.items()},
        "errors": {name: _mean_and_error(bits)[1].tolist() for name, bits in found.bits.items()},
        "seconds a step": found.seconds,
        "validation": found.validation,
        "least": found.least,
    }
    (folder / "result.json").write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    _draw(config, found, folder / "loss_by_position.png")


def _mean_and_error(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the mean over documents, and its standard error."""
    return x.mean(0), x.std(0) / len(x) ** 0.5


def _draw(config: Config, found: Comparison, path: Path) -> None:
    figure = Figure(figsize=(11, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    places = [config.chunk * (k + 0.5) for k in range(config.chunks)]
    colors = dict(zip(found.bits, ("C0", "C1", "C2", "C3"), strict=True))
    for name, bits in found.bits.items():
        mean, error = _mean_and_error(bits)
        left.errorbar(
            places, mean.numpy(), error.numpy(), fmt="o-", ms=3, color=colors[name], label=name
        )
    left.axhline(found.least, color="0.5", ls="--", lw=0.9, label="who knows the words")
    left.set(
        xlabel="place in the document, characters", ylabel="bits per character", ylim=(0, None)
    )
    for name, curve in found.curves.items():
        right.plot(range(1, len(curve) + 1), curve, lw=0.9, color=colors[name], label=name)
    right.set(xlabel="step of training", ylabel="bits per character, training documents")
    for axes in (left, right):
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8)
    figure.savefig(path, dpi=120)
