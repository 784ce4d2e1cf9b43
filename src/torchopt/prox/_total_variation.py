"""Differences of neighbours, which makes solutions piecewise constant."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field

import torch

from torchopt import checks
from torchopt.prox.taut_string import taut_string
from torchopt.prox.term import ProximalTerm, parameter
from torchopt.prox.vectors import DIM, Dim, along, last, vectors
from torchopt.pytree.typing import Numeric


@dataclass(frozen=True, eq=False)
class TotalVariation(ProximalTerm):
    r"""The absolute differences of neighbours along an axis, times a penalty: the fused lasso.

    .. math:: g(x) = \lambda \sum_i |x_{i+1} - x_i|

    The proximal operator denoises a signal to a piecewise constant one. It is exact: the taut string
    through a tube of width :math:`t \lambda` around the cumulative sums, found for all vectors of a
    batch at once in about as many rounds of :math:`O(n)` as the logarithm of the number of pieces. The
    derivative is that of the pieces: the mean over each, and :math:`\pm t \lambda` over its length.

    It is of one dimension: the proximal operator of an image's total variation has no such formula.

    Args:
        penalty: The penalty :math:`\lambda \geq 0`: a number, or a tensor that broadcasts with the
            shape of a leaf without ``dim``; it may require grad.
        dim: The axis along which the signals lie. A tuple of axes, or None for all, is one signal
            in that order.

    Raises:
        ValueError: If ``penalty`` is negative or not finite; in use, if a leaf has no such axis.
        TypeError: If ``penalty`` is neither a number nor a floating tensor, or ``dim`` no integers.

    Example:
        >>> import torch, torchopt
        >>> torchopt.prox.TotalVariation(1.0).prox(torch.tensor([0.0, 1.0, 0.5, 9.0, 9.0]))
        tensor([0.8333, 0.8333, 0.8333, 8.5000, 8.5000])

    References:
        Davies and Kovac, *Local Extremes, Runs, Strings and Multiresolution*, 2001. Condat, *A Direct
        Algorithm for 1D Total Variation Denoising*, 2013. Tibshirani et al., *Sparsity and Smoothness
        via the Fused Lasso*, 2005.
    """

    penalty: Numeric = field(metadata=parameter("vector"))
    _: KW_ONLY
    dim: Dim = checks.field(-1, DIM)

    def prox_leaf(self, x: torch.Tensor, step_size: Numeric) -> torch.Tensor:
        """Return the piecewise constant signals."""
        width = step_size * last(self.penalty)
        return along(lambda v: taut_string(v, width, width), x, self.dim)

    def value_leaf(self, x: torch.Tensor) -> torch.Tensor:
        """Return the weighted sum of absolute differences."""
        return (self.penalty * vectors(x, self.dim).diff(dim=-1).abs().sum(-1)).sum()
