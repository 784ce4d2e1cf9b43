"""The forward-difference estimator."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from torchopt.diff.zero_order._estimator import Estimator


@dataclass(frozen=True, kw_only=True, eq=False)
class ForwardDifference(Estimator):
    r"""One evaluation for each direction, against the value at the point itself.

    .. math::
        \frac{1}{n} \sum_i \varepsilon_i \,
        \frac{f(\theta + \sigma \varepsilon_i) - f(\theta)}{\sigma}

    Unbiased for the smoothed function. The arguments are those of :class:`Estimator`.

    The total variance for a quadratic function with gradient :math:`g` and Hessian :math:`H` is

    .. math::
        \frac{1}{n} \Bigl( (d + 1) \lVert g \rVert^2
        + \frac{\sigma^2}{4} (d + 4) (\operatorname{tr}^2 H + 2 \operatorname{tr} H^2) \Bigr).

    Example:
        >>> ForwardDifference(num_samples=100, sigma=0.1).offsets
        (1.0, 0.0)

    References:
        Nesterov and Spokoiny, *Random Gradient-Free Minimization of Convex Functions*, 2017,
        equation 30.
    """

    offsets = (1.0, 0.0)

    def gradient(self, noise: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        """Return the estimate; see :meth:`Estimator.gradient`."""
        return (values[0] - values[1]) @ noise / (self.sigma * noise.shape[0])
