"""Vectors in order: isotonic regression."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass

import torch

from torchopt import checks
from torchopt.prox.taut_string import taut_string
from torchopt.prox.vectors import DIM, Dim, along
from torchopt.sets.base import Set


@dataclass(frozen=True, eq=False)
class Monotone(Set):
    r"""Vectors whose elements increase, or decrease: isotonic regression.

    .. math:: C = \{x : x_1 \leq x_2 \leq \dots \leq x_n\}

    The projection replaces blocks of elements by their means. The blocks are those of the lower convex
    hull of the cumulative sums, found for all vectors of a batch at once in about as many rounds of
    :math:`O(n)` as the logarithm of the number of blocks; pooling adjacent violators finds the same
    ones. Compiled code for one vector, such as SciPy's, is tens of times faster and has no derivative.
    The derivative is that of the blocks: the mean over each.

    Args:
        increasing: Whether elements increase along ``dim``; else they decrease.
        dim: The axis along which the vectors lie. A tuple of axes, or None for all, is one vector in
            that order.

    Raises:
        TypeError: If ``dim`` is no integers.
        ValueError: In use, if a leaf has no such axis.

    Example:
        >>> import torch, torchopt
        >>> torchopt.sets.Monotone().project(torch.tensor([1.0, 3.0, 2.0, 4.0, 0.0]))
        tensor([1.0000, 2.2500, 2.2500, 2.2500, 2.2500])

    References:
        Barlow et al., *Statistical Inference under Order Restrictions*, 1972. Blondel et al., *Fast
        Differentiable Sorting and Ranking*, 2020 (the derivative).
    """

    _: KW_ONLY
    increasing: bool = True
    dim: Dim = checks.field(-1, DIM)

    def project_leaf(self, x: torch.Tensor) -> torch.Tensor:
        """Return the nearest vectors in order."""
        if not self.increasing:
            return -along(_increase, -x, self.dim)
        return along(_increase, x, self.dim)


def _increase(x: torch.Tensor) -> torch.Tensor:
    return taut_string(x, 0.0, math.inf)
