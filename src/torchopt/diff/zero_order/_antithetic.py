"""The antithetic estimator."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from torchopt.diff.zero_order._estimator import Estimator


@dataclass(frozen=True, kw_only=True, eq=False)
class Antithetic(Estimator):
    r"""Two evaluations for each direction, one on either side.

    .. math::
        \frac{1}{n} \sum_i \varepsilon_i \,
        \frac{f(\theta + \sigma \varepsilon_i) - f(\theta - \sigma \varepsilon_i)}{2 \sigma}

    Terms that are even in the perturbation (the value and the curvature) cancel: for quadratics the
    mean is the gradient itself. The arguments are those of :class:`Estimator`; ``num_samples`` counts
    pairs.

    The total variance for linear and quadratic functions with gradient :math:`g` is
    :math:`(d + 1) \lVert g \rVert^2 / n`.

    Example:
        >>> Antithetic(num_samples=100, sigma=0.1).offsets
        (1.0, -1.0)

    References:
        Nesterov and Spokoiny, 2017, equation 30. Salimans et al., 2017, section 2.1.
    """

    offsets = (1.0, -1.0)

    def gradient(self, noise: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        """Return the estimate; see :meth:`Estimator.gradient`."""
        return (values[0] - values[1]) @ noise / (2 * self.sigma * noise.shape[0])
