"""Scikit-learn's digits, in disjoint random parts."""

from __future__ import annotations

from typing import NamedTuple

import torch

__all__ = ["Data", "split_digits"]


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
