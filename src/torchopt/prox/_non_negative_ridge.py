"""The sum of squares of elements that must not be negative."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch

from torchopt.prox.term import ProximalTerm, parameter
from torchopt.pytree.typing import Numeric


@dataclass(frozen=True, eq=False)
class NonNegativeRidge(ProximalTerm):
    r"""Half the sum of squares, times a penalty, where no element may be negative.

    .. math::
        g(x) = \tfrac{1}{2} \sum_i \lambda_i x_i^2 \text{ for } x \geq 0, \qquad
        \operatorname{prox}_{t g}(x)_i = \frac{\max(x_i, 0)}{1 + t \lambda_i}

    Elsewhere the term is infinite; ``value`` does not look at whether an element is negative.

    Args:
        penalty: The penalty :math:`\lambda \geq 0`: a number, or a tensor that broadcasts with each
            leaf and may require grad.

    Raises:
        ValueError: If ``penalty`` is negative or not finite.
        TypeError: If ``penalty`` is neither a number nor a floating tensor.

    Example:
        >>> import torch, torchopt
        >>> torchopt.prox.NonNegativeRidge(1.0).prox(torch.tensor([3.0, -2.0]))
        tensor([1.5000, 0.0000])

    References:
        Parikh and Boyd, *Proximal Algorithms*, 2014, section 6.1.
    """

    penalty: Numeric = field(metadata=parameter("element"))

    def prox_leaf(self, x: torch.Tensor, step_size: Numeric) -> torch.Tensor:
        """Return the positive elements, divided by one and the penalty."""
        return x.relu() / (1 + step_size * self.penalty)

    def value_leaf(self, x: torch.Tensor) -> torch.Tensor:
        """Return half the weighted sum of squares."""
        return (self.penalty * x.square()).sum() / 2
