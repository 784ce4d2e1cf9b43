"""Central differences along the axes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch

from torchopt.diff.zero_order._estimator import Estimator, preset


@dataclass(frozen=True, kw_only=True, eq=False)
class Coordinate(Estimator):
    r"""Central differences along each axis: no randomness, two evaluations for each unknown.

    .. math::
        \sum_{j=1}^d e_j \,
        \frac{f(\theta + \sigma e_j) - f(\theta - \sigma e_j)}{2 \sigma}

    Exact for quadratic functions; its error otherwise is of order :math:`\sigma^2`, its variance is
    zero. For few unknowns, and to check other estimators.

    Args:
        sigma: The step. In float64 about 1e-5 for values of order one.

    Example:
        >>> import torch, torchopt
        >>> mode = torchopt.diff.ZeroOrder(torchopt.diff.zero_order.Coordinate(sigma=0.5))
        >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
        >>> mode(lambda x: (x**2).sum())(x).backward()
        >>> x.grad
        tensor([2., 4.])

    References:
        Berahas et al., *A Theoretical and Empirical Comparison of Gradient Approximations in
        Derivative-Free Optimization*, 2022, section 2.1.
    """

    # A direction that is left out would leave a zero in the gradient.
    nonfinite: Literal["raise"] = preset("raise")
    num_samples: int = preset(1)
    distribution: None = preset(None)
    baseline: None = preset(None)
    shaping: None = preset(None)

    offsets = (1.0, -1.0)

    def directions(self, like: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
        """Return the axes."""
        return torch.eye(like.numel(), dtype=like.dtype, device="cpu")

    def gradient(self, noise: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        """Return the estimate; see :meth:`Estimator.gradient`."""
        return (values[0] - values[1]) @ noise / (2 * self.sigma)
