"""Centralize gradients."""

from __future__ import annotations

import torch

from torchopt.io.calls import records_call
from torchopt.transform.beyond_elements import leafwise
from torchopt.transform.chaining import GradientTransformation


def _centered(g: torch.Tensor) -> tuple[torch.Tensor]:
    if g.dim() < 2:
        return (g,)
    return (g - g.mean(dim=tuple(range(1, g.dim())), keepdim=True),)


@records_call
def centralize() -> GradientTransformation:
    r"""Subtract from the gradient of each output unit its mean.

    .. math::
        u_i = g_i - \frac{1}{n} \sum_{j=1}^{n} g_{ij}

    ``i`` is the first dimension, that of the outputs in PyTorch's layers, and ``j`` runs through all
    others. Gradients of scalars and vectors pass unchanged. A NaN makes its unit NaN.

    Returns:
        A transformation that matches Optax's ``centralize``.

    Example:
        >>> import torch
        >>> tx = centralize()
        >>> g = (torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 9.0]]),)
        >>> tx.update(g, tx.init(g), inplace=False)[0]
        (tensor([[-1.,  0.,  1.],
                [-2., -1.,  3.]]),)

    References:
        Yong et al., *Gradient Centralization: A New Optimization Technique for Deep Neural Networks*,
        2020, equation 1.
    """
    return leafwise(_centered)
