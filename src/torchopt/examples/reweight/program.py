"""The run: networks trained on weighted and on unweighted images; tables and pictures."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import torch
from matplotlib.figure import Figure
from rich.console import Console

from torchopt.examples.reweight.config import PRESETS, Config
from torchopt.examples.reweight.problems import (
    Labels,
    Reweighting,
    accuracy,
    area_under_curve,
    load_labels,
    train,
)
from torchopt.examples.tools.command import run_program
from torchopt.examples.tools.engine import records
from torchopt.examples.tools.report import table

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; return the exit status."""
    return run_program(
        _run,
        argv,
        name="reweight",
        description="Learn to read digits half of whose labels are wrong, by one weight for each.",
        presets=PRESETS,
        resumable=True,
    )


def _run(config: Config, folder: Path, console: Console) -> None:
    labels = load_labels(config)
    run = Reweighting(config, labels, folder, console)
    console.print(str(run.plan()), soft_wrap=True)
    run.plan().save(folder / "plan.svg")
    run.run()
    weights, wrong = run.found, labels.wrong
    same, ones = torch.full_like(weights, 0.5), torch.full((len(labels.clean.y),), 0.5)
    plain: list[tuple[int, float, float]] = []  # step, accuracy on clean and on test images

    def note(step: int, net: torch.nn.Module) -> None:
        if step % config.validate_every == 0:
            plain.append((step, accuracy(net, labels.clean), accuracy(net, labels.test)))

    train(config, labels.noisy, same, on_step=note)
    count, few = len(same), len(ones)
    rows = {
        "noisy labels": (count, plain[-1][2]),
        "noisy labels, stopped early": (count, max(plain, key=lambda noted: noted[1])[2]),
        "the clean images alone": (few, accuracy(train(config, labels.clean, ones), labels.test)),
        "noisy labels, with weights": (count, accuracy(run.classifier.module, labels.test)),
        "the same, anew": (count, accuracy(train(config, labels.noisy, weights), labels.test)),
    }
    area = area_under_curve(weights, wrong)
    title = f"accuracy on {len(labels.test.y)} held-out digits"
    shown = [(name, f"{n}", f"{100 * score:.1f} %") for name, (n, score) in rows.items()]
    console.print(table(title, ("trained on", "images", "accuracy"), shown))
    kinds = {"right": ~wrong, "wrong": wrong}
    means = [(k, f"{int(of.sum())}", f"{weights[of].mean():.3f}") for k, of in kinds.items()]
    console.print(table("the weights found", ("label", "images", "mean weight"), means))
    console.print(f"area under the ROC curve of right against wrong labels: {area:.3f}")
    scores = {name: score for name, (_, score) in rows.items()}
    result = {"accuracy": scores, "area under the curve": area}
    (folder / "result.json").write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    curves = {
        "with weights": records(folder, "validation/accuracy"),
        "without weights": [(step, score) for step, _, score in plain],
    }
    _draw(curves, weights, wrong, folder / "weights.png")
    _draw_lightest(weights, labels, folder / "labels.png")


def _draw(
    curves: dict[str, list[tuple[int, float]]],
    weights: torch.Tensor,
    wrong: torch.Tensor,
    path: Path,
) -> None:
    figure = Figure(figsize=(9, 3.5), layout="constrained")
    left, right = figure.subplots(1, 2)
    for name, curve in curves.items():
        left.plot(*zip(*curve, strict=True), "o-", ms=3, label=name)
    left.set(xlabel="step", ylabel="test accuracy")
    left.legend()
    parts = [weights[~wrong].numpy(), weights[wrong].numpy()]
    right.hist(
        parts, bins=20, range=(0, 1), label=["right label", "wrong label"], color=["C2", "C3"]
    )
    right.set(xlabel="weight", ylabel="images")
    right.legend()
    figure.savefig(path, dpi=120)


def _draw_lightest(weights: torch.Tensor, labels: Labels, path: Path, *, shown: int = 24) -> None:
    figure = Figure(figsize=(9, 3.4), layout="constrained")
    lightest = weights.argsort(stable=True)[:shown].tolist()
    for axes, i in zip(figure.subplots(3, 8).flat, lightest, strict=True):
        label, truth = int(labels.noisy.y[i]), int(labels.truth[i])
        axes.imshow(labels.noisy.x[i].view(8, 8).numpy(), cmap="gray_r")
        axes.axis("off")
        text = f"labelled {label}" + ("" if label == truth else f", is {truth}")
        axes.set_title(text, fontsize=8, color="red" if label == truth else "green")
    figure.suptitle("the lightest images (in red: the label is right)", fontsize=9)
    figure.savefig(path, dpi=120)
