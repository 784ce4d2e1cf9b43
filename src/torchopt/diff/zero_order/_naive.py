"""The plain estimator of evolution strategies."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from torchopt.diff.zero_order._estimator import Estimator


@dataclass(frozen=True, kw_only=True, eq=False)
class Naive(Estimator):
    r"""One evaluation for each direction.

    .. math:: \frac{1}{n \sigma} \sum_i f(\theta + \sigma \varepsilon_i)\, \varepsilon_i

    Unbiased for the smoothed function. The arguments are those of :class:`Estimator`.

    The total variance for a quadratic function with gradient :math:`g` and Hessian :math:`H` is that
    of :class:`ForwardDifference` plus

    .. math::
        \frac{1}{n} \Bigl( \frac{d}{\sigma^2} f(\theta)^2
        + (d + 2) f(\theta) \operatorname{tr} H \Bigr),

    which a ``baseline`` removes almost completely. Use one in nearly all cases.

    Example:
        >>> Naive(num_samples=100, sigma=0.1, baseline="leave_one_out").offsets
        (1.0,)

    References:
        Salimans et al., *Evolution Strategies as a Scalable Alternative to Reinforcement Learning*,
        2017, algorithm 1.
    """

    offsets = (1.0,)

    def gradient(self, noise: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        """Return the estimate; see :meth:`Estimator.gradient`."""
        return values[0] @ noise / (self.sigma * noise.shape[0])
