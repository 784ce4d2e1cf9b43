"""The logarithmic barrier, which keeps elements positive."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch

from torchopt.prox.term import ProximalTerm, parameter
from torchopt.pytree.typing import Numeric


@dataclass(frozen=True, eq=False)
class LogBarrier(ProximalTerm):
    r"""The negative sum of logarithms, times a penalty: solutions are positive.

    .. math::
        g(x) = -\sum_i \lambda_i \log x_i, \qquad
        \operatorname{prox}_{t g}(x)_i = \tfrac{1}{2} \bigl(x_i + \sqrt{x_i^2 + 4 t \lambda_i}\bigr)

    The proximal operator is smooth, and approaches the projection onto non-negative elements as the
    penalty approaches zero. For negative elements the same root is computed without cancellation.

    Args:
        penalty: The penalty :math:`\lambda > 0`: a number, or a tensor that broadcasts with each leaf
            and may require grad.

    Raises:
        ValueError: If ``penalty`` is a number that is not positive.
        TypeError: If ``penalty`` is neither a number nor a floating tensor.

    Example:
        >>> import torch, torchopt
        >>> torchopt.prox.LogBarrier(1.0).prox(torch.tensor([1.5, 0.0, -1.5]))
        tensor([2.0000, 1.0000, 0.5000])

    References:
        Parikh and Boyd, *Proximal Algorithms*, 2014, section 6.1.
    """

    penalty: Numeric = field(metadata=parameter("element", positive=True))

    def prox_leaf(self, x: torch.Tensor, step_size: Numeric) -> torch.Tensor:
        """Return the positive root of ``z**2 - x z = step_size * penalty``."""
        product = step_size * self.penalty
        # Not `abs`, whose derivative at zero is not that of either side.
        size = torch.where(x < 0, -x, x)
        # Halves, and no square: neither the sum nor a square overflows.
        root = product**0.5 + torch.zeros_like(x)
        larger = size / 2 + torch.hypot(x / 2, root)
        return torch.where(x < 0, product / larger, larger)

    def value_leaf(self, x: torch.Tensor) -> torch.Tensor:
        """Return the negative weighted sum of logarithms; infinite at zero, and NaN below."""
        return -(self.penalty * x.log()).sum()
