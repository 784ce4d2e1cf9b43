"""Optimistic gradient descent."""

from __future__ import annotations

from typing_extensions import Unpack

from torchopt.optimizers.descent import Common, descend, optimizer
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import scale_by_optimistic_gradient
from torchopt.transform.chaining import GradientTransformation


@optimizer
def optimistic_gradient_descent(
    lr: Hyperparameter = 1e-3,
    *,
    alpha: Hyperparameter = 1.0,
    beta: Hyperparameter = 1.0,
    weight_decay: Hyperparameter = 0.0,
    **common: Unpack[Common],
) -> GradientTransformation:
    r"""Optimistic gradient descent, for games: it takes the last gradient for a guess of the next.

    .. math::
        \theta_t = \theta_{t-1} - \eta \left( (\alpha + \beta) g_t - \beta g_{t-1} \right),
        \qquad g_0 = g_1

    On a bilinear game plain descent moves away from the solution, and this converges to it.

    A hyperparameter may be a number, a schedule, a tensor (which may require grad), or a tree of
    these with the structure of the parameters.

    Args:
        lr: Learning rate, not negative.
        alpha: Weight of the gradient.
        beta: Weight of the extrapolation, a negative momentum.
        weight_decay: L2 regularization: added to the gradient, times the parameters.
        maximize: Whether to maximize.
        use_accelerated_op: None (the default) uses a compiled kernel if one is available
            (:func:`torchopt.experimental.status`). True also compiles one on the CPU, and warns
            if none is available. False uses PyTorch's operations.

    Returns:
        A transformation that matches Optax's ``optimistic_gradient_descent``.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch, torchopt
        >>> opt = torchopt.optimizers.optimistic_gradient_descent(lr=0.5)
        >>> params = (torch.tensor([1.0, 2.0]),)
        >>> state = opt.init(params)
        >>> updates, state = opt.update((torch.tensor([1.0, -1.0]),), state, params=params)
        >>> torchopt.apply_updates(params, updates)
        (tensor([0.5000, 2.5000]),)

    References:
        Mokhtari, Ozdaglar and Pattathil, *A Unified Analysis of Extra-gradient and Optimistic
        Gradient Methods for Saddle Point Problems*, 2020.
    """
    return descend(
        scale_by_optimistic_gradient(alpha, beta), lr=lr, weight_decay=weight_decay, common=common
    )
