"""Forward gradients: derivatives along directions instead of differences."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from torchopt.diff.zero_order._estimator import Estimator, preset


@dataclass(frozen=True, kw_only=True, eq=False)
class ForwardGradient(Estimator):
    r"""The derivative along each direction, by one pass of forward-mode differentiation.

    .. math:: \frac{1}{n} \sum_i \bigl( \nabla f(\theta) \cdot \varepsilon_i \bigr)\, \varepsilon_i

    Unbiased for the gradient itself: nothing is smoothed. For functions of PyTorch's operations that
    are too deep to keep for a backward pass; the memory is that of one evaluation and its tangents.

    The total variance is :math:`(d + 1) \lVert g \rVert^2 / n` for every function, with
    :math:`g = \nabla f(\theta)`, for normal directions; with random signs, :math:`d - 1` instead of
    :math:`d + 1`.

    Args:
        num_samples: The number of directions.
        distribution: See :class:`Estimator`.
        nonfinite: See :class:`Estimator`.

    Raises:
        ValueError: At a call, if the function's value does not depend on the arguments in a way that
            forward-mode differentiation sees.

    Example:
        >>> import torch, torchopt
        >>> mode = torchopt.diff.ZeroOrder(torchopt.diff.zero_order.ForwardGradient(num_samples=4))
        >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
        >>> mode(lambda x: x.sin().sum())(x).backward()
        >>> x.grad.shape
        torch.Size([2])

    References:
        Baydin et al., *Gradients without Backpropagation*, 2022, algorithm 1.
    """

    sigma: float = preset(1.0)
    baseline: None = preset(None)
    shaping: None = preset(None)

    tangents = True

    def gradient(self, noise: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        """Return the estimate; see :meth:`Estimator.gradient`."""
        return values[0] @ noise / noise.shape[0]
