"""The sum of absolute values, which makes solutions sparse."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch

from torchopt.prox.term import ProximalTerm, parameter
from torchopt.pytree.typing import Numeric


@dataclass(frozen=True, eq=False)
class L1(ProximalTerm):
    r"""The sum of absolute values, times a penalty: lasso.

    .. math::
        g(x) = \sum_i \lambda_i |x_i|, \qquad
        \operatorname{prox}_{t g}(x)_i = \operatorname{sign}(x_i) \max(|x_i| - t \lambda_i, 0)

    The derivative of the proximal operator is that of its piece: 1 where an element stays away from
    zero, and 0 where it becomes zero.

    Args:
        penalty: The penalty :math:`\lambda \geq 0`: a number, or a tensor that broadcasts with each
            leaf and may require grad.

    Raises:
        ValueError: If ``penalty`` is negative or not finite.
        TypeError: If ``penalty`` is neither a number nor a floating tensor.

    Example:
        >>> import torch, torchopt
        >>> torchopt.prox.L1(1.0).prox(torch.tensor([3.0, -0.5, -2.0]))
        tensor([ 2., -0., -1.])

    References:
        Tibshirani, *Regression Shrinkage and Selection via the Lasso*, 1996. Daubechies, Defrise and
        De Mol, *An Iterative Thresholding Algorithm for Linear Inverse Problems*, 2004.
    """

    penalty: Numeric = field(metadata=parameter("element"))

    def prox_leaf(self, x: torch.Tensor, step_size: Numeric) -> torch.Tensor:
        """Return the elements, nearer to zero by the penalty."""
        return x.sign() * (x.abs() - step_size * self.penalty).relu()

    def value_leaf(self, x: torch.Tensor) -> torch.Tensor:
        """Return the weighted sum of absolute values."""
        return (self.penalty * x.abs()).sum()
