"""The sum of elements that must not be negative."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch

from torchopt.prox.term import ProximalTerm, parameter
from torchopt.pytree.typing import Numeric


@dataclass(frozen=True, eq=False)
class NonNegativeLasso(ProximalTerm):
    r"""The sum of elements, times a penalty, where none may be negative: sparse non-negative solutions.

    .. math::
        g(x) = \sum_i \lambda_i x_i \text{ for } x \geq 0, \qquad
        \operatorname{prox}_{t g}(x)_i = \max(x_i - t \lambda_i, 0)

    Elsewhere the term is infinite; ``value`` does not look at whether an element is negative.

    Args:
        penalty: The penalty :math:`\lambda \geq 0`: a number, or a tensor that broadcasts with each
            leaf and may require grad.

    Raises:
        ValueError: If ``penalty`` is negative or not finite.
        TypeError: If ``penalty`` is neither a number nor a floating tensor.

    Example:
        >>> import torch, torchopt
        >>> torchopt.prox.NonNegativeLasso(1.0).prox(torch.tensor([3.0, 0.5, -2.0]))
        tensor([2., 0., 0.])

    References:
        Parikh and Boyd, *Proximal Algorithms*, 2014, section 6.5.
    """

    penalty: Numeric = field(metadata=parameter("element"))

    def prox_leaf(self, x: torch.Tensor, step_size: Numeric) -> torch.Tensor:
        """Return the elements, less the penalty, where that is positive."""
        return (x - step_size * self.penalty).relu()

    def value_leaf(self, x: torch.Tensor) -> torch.Tensor:
        """Return the weighted sum."""
        return (self.penalty * x).sum()
