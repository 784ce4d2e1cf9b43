"""Clip gradients by the norms of the parameters, unit by unit."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch

from torchopt.io.calls import records_call
from torchopt.prox.vectors import length
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import hyperparameters
from torchopt.transform.beyond_elements import leafwise
from torchopt.transform.chaining import GradientTransformation


def _norms(x: torch.Tensor, dim: tuple[int, ...] | None) -> torch.Tensor:
    if dim is None or x.dim() < 2:
        dim = tuple(range(1 if x.dim() > 1 else 0, x.dim()))
    return length(x, dim)


def _clipped(
    g: torch.Tensor, p: torch.Tensor, *, clipping: Any, eps: Any, dim: tuple[int, ...] | None
) -> tuple[torch.Tensor]:
    norm, limit = _norms(g, dim), clipping * _norms(p, dim).clamp(min=eps)
    # The bound keeps the quotient finite where it is not selected.
    return (torch.where(norm < limit, g, limit * (g / norm.clamp(min=1e-6))),)


@records_call
def adaptive_grad_clip(
    clipping: Hyperparameter, eps: Hyperparameter = 1e-3, dim: int | tuple[int, ...] | None = None
) -> GradientTransformation:
    r"""Limit the norm of each unit's gradient to a multiple of the norm of its parameters.

    .. math::
        u_i = \begin{cases}
            g_i \, \lambda \, \frac{\max(\lVert \theta_i \rVert, \varepsilon)}{\lVert g_i \rVert} &
                \text{if } \lVert g_i \rVert \geq \lambda \max(\lVert \theta_i \rVert, \varepsilon) \\
            g_i & \text{otherwise}
        \end{cases}

    A unit ``i`` is an output: an index of the first dimension, as in the weights of PyTorch's linear
    and convolutional layers. A scalar or a vector is one unit. A NaN makes its unit NaN. Optax, whose
    layers have their inputs first, takes the last dimension for the units unless ``dim`` is given.

    Args:
        clipping: Largest ratio :math:`\lambda` of the norms.
        eps: Smallest norm of parameters that is used, so that units at zero can move.
        dim: The dimensions of a unit, over which norms are taken, for leaves with at least two
            dimensions. None takes all but the first.

    Returns:
        A gradient transformation; ``update`` needs ``params``.

    Raises:
        ValueError: If a number is negative.

    Example:
        >>> import torch
        >>> tx = adaptive_grad_clip(0.1)
        >>> params = (torch.tensor([[3.0, 4.0], [6.0, 8.0]]),)
        >>> g = (torch.tensor([[0.0, 1.0], [0.0, 1.0]]),)
        >>> tx.update(g, tx.init(params), params=params, inplace=False)[0]
        (tensor([[0.0000, 0.5000],
                [0.0000, 1.0000]]),)

    References:
        Brock et al., *High-Performance Large-Scale Image Recognition Without Normalization*, 2021,
        equation 3.
    """
    dims = (dim,) if isinstance(dim, int) else dim
    return leafwise(
        partial(_clipped, dim=dims),
        hyper=hyperparameters.checked(clipping=clipping, eps=eps),
        needs_params=True,
    )
