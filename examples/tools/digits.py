"""Scikit-learn's digits: random parts and batches, accuracy, and pictures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from matplotlib.figure import Figure
from torch import nn
from torch.utils.data import RandomSampler

__all__ = [
    "Data",
    "accuracy",
    "draw_digits",
    "draw_extremes",
    "draw_images",
    "random_batches",
    "split_digits",
]


class Data(NamedTuple):
    """Images as rows of 64 numbers in [0, 1], and the digits that they show."""

    x: torch.Tensor
    y: torch.Tensor


def split_digits(seed: int, *sizes: int) -> list[Data]:
    """Return parts of the 1797 digits.

    Args:
        seed: Of the order in which they are dealt.
        *sizes: The size of each part but the last, which is all that is left.
    """
    from sklearn import datasets  # type: ignore[import-not-found,import-untyped,unused-ignore]

    data = datasets.load_digits()
    order = torch.randperm(len(data.target), generator=torch.Generator().manual_seed(seed))
    x = torch.as_tensor(data.data, dtype=torch.float32)[order] / 16
    y = torch.as_tensor(data.target)[order]
    counts = [*sizes, len(y) - sum(sizes)]
    return [Data(*part) for part in zip(x.split(counts), y.split(counts), strict=True)]


def random_batches(count: int, size: int, steps: int, seed: int) -> list[torch.Tensor]:
    """Return the indices of each step's batch, in a new random order in each epoch.

    Args:
        count: The number of images.
        size: Of a batch; the last one of an epoch may be smaller.
        steps: The number of batches.
        seed: Of the order.
    """
    sampler = RandomSampler(range(count), generator=torch.Generator().manual_seed(seed))
    batches: list[torch.Tensor] = []
    while len(batches) < steps:
        batches += torch.tensor([*sampler]).split(size)
    return batches[:steps]


@torch.no_grad()
def accuracy(net: nn.Module, data: Data) -> float:
    """Return the fraction of images that a network reads right."""
    return (net(data.x).argmax(1) == data.y).double().mean().item()


def draw_digits(data: Data, guesses: torch.Tensor, *, shown: int = 24, columns: int = 8) -> Figure:
    """Draw digits and how they are read; those that are read wrong come first."""
    right = guesses == data.y
    order = right.to(torch.uint8).argsort(stable=True)[:shown]
    texts, colors = [], []
    for guess, truth in zip(guesses[order].tolist(), data.y[order].tolist(), strict=True):
        texts.append(f"read {guess}" if guess == truth else f"read {guess}, is {truth}")
        colors.append("green" if guess == truth else "red")
    return draw_images(data.x[order], texts, colors, columns=columns)


def draw_extremes(targets: Data, data: Data, scores: torch.Tensor, *, rows: int = 4) -> Figure:
    """Draw some targets, each before the images whose scores help (below zero) and harm most."""
    order = scores[:rows].argsort(1)
    places = torch.cat([order[:, :4], order[:, -4:].flip(1)], 1)
    x = torch.cat([targets.x[:rows, None], data.x[places]], 1).flatten(0, 1)
    y = torch.cat([targets.y[:rows, None], data.y[places]], 1).flatten().tolist()
    colors = rows * ["black", *4 * ["green"], *4 * ["red"]]
    title = "a held-out digit, four that help most (green) and four that harm most (red)"
    return draw_images(x, y, colors, columns=9, title=title)


def draw_images(
    x: torch.Tensor,
    texts: Sequence[object],
    colors: Sequence[str],
    *,
    columns: int,
    title: str = "",
) -> Figure:
    """Draw images, rows of 64 numbers, each below a text of its own color."""
    rows = -(-len(x) // columns)
    figure = Figure(figsize=(1.1 * columns, 1.1 * rows), layout="constrained")
    figure.suptitle(title)
    grid = figure.subplots(rows, columns, squeeze=False).flat
    for axes, image, text, color in zip(grid, x, texts, colors, strict=False):
        axes.imshow(image.view(8, 8).numpy(), cmap="gray_r")
        axes.axis("off")
        axes.set_title(str(text), fontsize=8, color=color)
    return figure
