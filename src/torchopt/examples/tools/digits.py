"""Scikit-learn's digits: random parts and batches, and the accuracy of a network."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import nn
from torch.utils.data import RandomSampler

__all__ = ["Data", "accuracy", "random_batches", "split_digits"]


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
