"""Absolute values and squares together."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field

import torch

from torchopt.prox.term import ProximalTerm, parameter
from torchopt.pytree.typing import Numeric


@dataclass(frozen=True, eq=False)
class ElasticNet(ProximalTerm):
    r"""The sum of absolute values and half the sum of squares, each times a penalty.

    .. math::
        g(x) = \sum_i \lambda_i |x_i| + \tfrac{1}{2} \mu_i x_i^2, \qquad
        \operatorname{prox}_{t g}(x)_i
        = \frac{\operatorname{sign}(x_i) \max(|x_i| - t \lambda_i, 0)}{1 + t \mu_i}

    Solutions are sparse, as with :class:`L1`, and features that go together stay together. The
    penalties :math:`\alpha` and ``l1_ratio`` :math:`\rho` of scikit-learn are
    :math:`\lambda = \alpha \rho` and :math:`\mu = \alpha (1 - \rho)`.

    Args:
        l1: The penalty :math:`\lambda \geq 0` of absolute values: a number, or a tensor that
            broadcasts with each leaf and may require grad.
        l2: The penalty :math:`\mu \geq 0` of squares, of the same kinds.

    Raises:
        ValueError: If a penalty is negative or not finite.
        TypeError: If a penalty is neither a number nor a floating tensor.

    Example:
        >>> import torch, torchopt
        >>> torchopt.prox.ElasticNet(l1=1.0, l2=1.0).prox(torch.tensor([3.0, -0.5, -2.0]))
        tensor([ 1.0000, -0.0000, -0.5000])

    References:
        Zou and Hastie, *Regularization and Variable Selection via the Elastic Net*, 2005.
    """

    _: KW_ONLY
    l1: Numeric = field(metadata=parameter("element"))
    l2: Numeric = field(metadata=parameter("element"))

    def prox_leaf(self, x: torch.Tensor, step_size: Numeric) -> torch.Tensor:
        """Return the elements, nearer to zero by the one penalty and divided by the other."""
        return x.sign() * (x.abs() - step_size * self.l1).relu() / (1 + step_size * self.l2)

    def value_leaf(self, x: torch.Tensor) -> torch.Tensor:
        """Return the sum of both."""
        return (self.l1 * x.abs() + self.l2 * x.square() / 2).sum()
