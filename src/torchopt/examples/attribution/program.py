"""The run: scores by several ways, retraining without random images; tables and pictures."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import torch
from matplotlib.figure import Figure
from rich.console import Console

from torchopt.diff import Explicit
from torchopt.examples.attribution.config import PRESETS, Config
from torchopt.examples.attribution.retraining import (
    Retrained,
    draw_subsets,
    predict,
    retrain,
    without,
)
from torchopt.examples.attribution.scores import metagradient, ways
from torchopt.examples.attribution.training import Training, load_digits, prepare
from torchopt.examples.tools.command import run_program
from torchopt.examples.tools.digits import Data
from torchopt.examples.tools.report import progress, table

__all__ = ["main"]

_FRACTIONS = (0.01, 0.05, 0.2)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; return the exit status."""
    return run_program(
        _run,
        argv,
        name="attribution",
        description="Predict how digits are read without some of the images that taught it.",
        presets=PRESETS,
    )


def _run(config: Config, folder: Path, console: Console) -> None:
    data, targets, rest = load_digits(config)
    training = prepare(config, data)
    retrained = _retrain(training, targets, console, "retraining")
    scores, seconds = _score(training, targets, console)
    found = {
        name: [truth.agreement(of) for truth in retrained.values()] for name, of in scores.items()
    }
    columns = [f"{100 * fraction:g} % left out" for fraction in retrained]
    title = (
        f"rank correlation of predicted and real change of the loss,\n"
        f"mean and deviation over {config.targets} held-out images; {config.subsets} retrainings each\n"
        "(influence functions with their damping)"
    )
    rows = [(name, *map(_show, found[name]), f"{seconds[name]:.1f}") for name in scores]
    console.print(table(title, ("scores", *columns, "seconds"), rows))
    helpful = _leave_out_most(training, targets, scores["metagradient"], console)
    smooth = {"as above": (_accuracy(training, rest), found["metagradient"])}
    for name, changed in _rougher(config).items():
        rough = prepare(changed, data)
        truths = _retrain(rough, targets, console, name)
        of = metagradient(rough, targets, Explicit(memory=config.memory))
        agreement = [truth.agreement(of) for truth in truths.values()]
        smooth[name] = _accuracy(rough, rest), agreement
    shown = [
        (name, f"{100 * accuracy:.1f} %", *map(_show, agreement))
        for name, (accuracy, agreement) in smooth.items()
    ]
    title = "the exact metagradient of smooth and of less smooth trainings"
    console.print(table(title, ("training", "accuracy", *columns), shown))
    result = {
        "agreement": {name: [a.mean().item() for a in of] for name, of in found.items()},
        "metagradient by smoothness": {
            name: [a.mean().item() for a in of] for name, (_, of) in smooth.items()
        },
        "loss without": helpful,
    }
    (folder / "result.json").write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    _draw(scores, retrained, folder / "predictions.png")
    _draw_images(training, targets, scores["metagradient"], folder / "images.png")


def _retrain(
    training: Training, targets: Data, console: Console, what: str
) -> dict[float, Retrained]:
    """Train without random images, for each fraction of them."""
    config, found = training.config, {}
    generator = torch.Generator().manual_seed(config.seed)
    with progress(console, what, len(_FRACTIONS)) as advance:
        for fraction in _FRACTIONS:
            weights = draw_subsets(training.all_images, fraction, config.subsets, generator)
            found[fraction] = retrain(training, targets, weights)
            advance(f"{100 * fraction:g} % left out")
    return found


def _score(
    training: Training, targets: Data, console: Console
) -> tuple[dict[str, torch.Tensor], dict[str, float]]:
    """Return the scores by each way, and the seconds that they took."""
    scores, seconds = {}, {}
    chosen = ways(training, targets)
    with progress(console, "scores", len(chosen)) as advance:
        for name, find in chosen.items():
            began = time.perf_counter()
            scores[name] = find()
            seconds[name] = time.perf_counter() - began
            advance(name)
    return scores, seconds


def _rougher(config: Config) -> dict[str, Config]:
    """Return trainings that reach as far, by steps that depend less smoothly on their images."""
    return {
        "with ReLU": replace(config, activation="relu"),
        "5 times the rate": replace(config, lr=5 * config.lr),
    }


def _leave_out_most(
    training: Training, targets: Data, scores: torch.Tensor, console: Console
) -> dict[str, float]:
    """Train for each target without the images that help it, or harm it, most."""
    left_out = len(training.data.y) // 50
    order = scores.argsort(1)
    generator = torch.Generator().manual_seed(training.config.seed)
    anyhow = torch.rand(scores.shape, generator=generator).argsort(1)
    groups = {"at random": anyhow, "that harm most": order.flip(1), "that help most": order}
    loss = training.losses(training.trained(), targets).mean().item()
    means, rows = {"none": loss}, [("none", f"{loss:.3f}", "")]
    for name, places in groups.items():
        weights = without(places[:, :left_out], training.all_images)
        real = retrain(training, targets, weights).change.diagonal().mean().item()
        predicted = predict(scores, weights).diagonal().mean().item()
        means[name] = loss + real
        rows.append((name, f"{loss + real:.3f}", f"{loss + predicted:.3f}"))
    title = f"mean loss of a target, trained without {left_out} images chosen for it"
    console.print(table(title, ("left out", "loss", "predicted"), rows))
    return means


@torch.no_grad()
def _accuracy(training: Training, data: Data) -> float:
    logits = training.model(training.trained(), data.x)
    return (logits.argmax(1) == data.y).double().mean().item()


def _show(agreement: torch.Tensor) -> str:
    return f"{agreement.mean():.3f} ± {agreement.std():.3f}"


def _draw(
    scores: Mapping[str, torch.Tensor], retrained: Mapping[float, Retrained], path: Path
) -> None:
    """Draw predicted against real changes, those of each target in units of their deviation."""
    figure = Figure(figsize=(10, 3.6), layout="constrained")
    truth = retrained[0.05]
    real = truth.change / truth.change.std(0)

    def correlation(name: str) -> float:
        return truth.agreement(scores[name]).mean().item()

    shown = [
        max((name for name in scores if name.startswith(kind)), key=correlation)
        for kind in ("metagradient", "influence", "gradient products")
    ]
    for axes, name in zip(figure.subplots(1, 3), shown, strict=True):
        predicted = predict(scores[name], truth.weights)
        axes.plot(predicted / predicted.std(0), real, ".", ms=2, alpha=0.5)
        axes.axline((0, 0), slope=1, color="gray", lw=0.8)
        axes.set(xlabel="predicted", ylabel="real", xlim=(-4, 4), ylim=(-4, 4))
        axes.set_title(f"{name}: {correlation(name):.2f}", fontsize=9)
    figure.suptitle("change of a loss with 5 % of the images left out (a color is a target)")
    figure.savefig(path, dpi=120)


def _draw_images(
    training: Training, targets: Data, scores: torch.Tensor, path: Path, *, lines: int = 4
) -> None:
    """Draw the targets whose loss is largest, and the images that help and harm them most."""
    losses = training.losses(training.trained(), targets)
    hardest = losses.argsort(descending=True)[:lines].tolist()
    figure = Figure(figsize=(9, 1.2 * len(hardest) + 0.5), layout="constrained")
    for line, j in zip(figure.subplots(len(hardest), 9, squeeze=False), hardest, strict=True):
        order = scores[j].argsort()
        shown = [(targets, j, "black")]
        shown += [(training.data, i, "green") for i in order[:4].tolist()]
        shown += [(training.data, i, "red") for i in order[-4:].flip(0).tolist()]
        for axes, (data, i, color) in zip(line, shown, strict=True):
            axes.imshow(data.x[i].view(8, 8).numpy(), cmap="gray_r")
            axes.set(xticks=[], yticks=[])
            axes.set_title(f"{int(data.y[i])}", fontsize=9, color=color)
    figure.suptitle("a held-out digit, four that help most (green) and four that harm most (red)")
    figure.savefig(path, dpi=120)
