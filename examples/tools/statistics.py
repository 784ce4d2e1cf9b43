"""Statistics of results."""

from __future__ import annotations

import torch
from torch.nn.functional import cosine_similarity

__all__ = ["interval", "rank_correlation"]


def interval(values: torch.Tensor, z: float = 1.96, *, percent: bool = False) -> str:
    """Write the mean of some values with its confidence interval, as ``0.164 ± 0.007``.

    Args:
        values: Independent values, such as the scores of tasks.
        z: Half of the interval, in standard errors; by default it is one of 95 %.
        percent: Write ``93.17 ± 0.64 %`` for 0.9317.
    """
    mean, error = values.double().mean(), z * values.double().std() / len(values) ** 0.5
    return f"{100 * mean:.2f} ± {100 * error:.2f} %" if percent else f"{mean:.3f} ± {error:.3f}"


def rank_correlation(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Return Spearman's correlation of the columns of two matrices; ties share their mean rank."""
    # How many entries of a column are smaller, less how many are larger, is a rank.
    ranks_x, ranks_y = ((t[:, None] - t).sign().sum(1).double() for t in (x, y))
    return cosine_similarity(ranks_x, ranks_y, dim=0)
