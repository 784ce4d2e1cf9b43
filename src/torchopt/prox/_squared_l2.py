"""The sum of squares, which keeps solutions small."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch

from torchopt.prox.term import ProximalTerm, parameter
from torchopt.pytree.typing import Numeric


@dataclass(frozen=True, eq=False)
class SquaredL2(ProximalTerm):
    r"""Half the sum of squares, times a penalty: ridge, or weight decay.

    .. math::
        g(x) = \tfrac{1}{2} \sum_i \lambda_i x_i^2, \qquad
        \operatorname{prox}_{t g}(x)_i = \frac{x_i}{1 + t \lambda_i}

    It is smooth: a solver may as well have it in the objective. As a term it needs no shorter steps
    where the penalty is large.

    Args:
        penalty: The penalty :math:`\lambda \geq 0`: a number, or a tensor that broadcasts with each
            leaf and may require grad.

    Raises:
        ValueError: If ``penalty`` is negative or not finite.
        TypeError: If ``penalty`` is neither a number nor a floating tensor.

    Example:
        >>> import torch, torchopt
        >>> torchopt.prox.SquaredL2(1.0).prox(torch.tensor([3.0, -0.5]))
        tensor([ 1.5000, -0.2500])

    References:
        Hoerl and Kennard, *Ridge Regression: Biased Estimation for Nonorthogonal Problems*, 1970.
    """

    penalty: Numeric = field(metadata=parameter("element"))

    def prox_leaf(self, x: torch.Tensor, step_size: Numeric) -> torch.Tensor:
        """Return the elements, divided by one and the penalty."""
        return x / (1 + step_size * self.penalty)

    def value_leaf(self, x: torch.Tensor) -> torch.Tensor:
        """Return half the weighted sum of squares."""
        return (self.penalty * x.square()).sum() / 2
