"""Scikit-learn's digits: disjoint random parts, and a picture of what is read."""

from __future__ import annotations

from typing import NamedTuple

import torch
from matplotlib.figure import Figure

__all__ = ["Data", "draw_digits", "split_digits"]


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


def draw_digits(data: Data, guesses: torch.Tensor, *, rows: int = 3, columns: int = 8) -> Figure:
    """Draw digits and how they are read; those that are read wrong come first."""
    right = guesses == data.y
    order = right.to(torch.uint8).argsort(stable=True)[: rows * columns].tolist()
    figure = Figure(figsize=(1.1 * columns, 1.1 * rows), layout="constrained")
    for axes, i in zip(figure.subplots(rows, columns).flat, order, strict=False):
        text = f"read {int(guesses[i])}" + ("" if right[i] else f", is {int(data.y[i])}")
        axes.imshow(data.x[i].view(8, 8).numpy(), cmap="gray_r")
        axes.axis("off")
        axes.set_title(text, fontsize=8, color="green" if right[i] else "red")
    return figure
