"""Stochastic gradient descent."""

from __future__ import annotations

from typing_extensions import Unpack

from torchopt.optimizers.descent import Common, descend, optimizer
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import trace
from torchopt.transform.chaining import GradientTransformation


@optimizer
def sgd(
    lr: Hyperparameter = 1e-3,
    momentum: Hyperparameter = 0.0,
    dampening: Hyperparameter = 0.0,
    weight_decay: Hyperparameter = 0.0,
    nesterov: bool = False,
    *,
    moment_requires_grad: bool = False,
    **common: Unpack[Common],
) -> GradientTransformation:
    r"""Stochastic gradient descent, with momentum.

    .. math::
        g_t &\leftarrow \nabla f(\theta_{t-1}) + \lambda \theta_{t-1}, \qquad
        b_1 = g_1, \qquad b_t = m \, b_{t-1} + (1 - d) \, g_t \\
        \theta_t &= \theta_{t-1} - \eta
            \begin{cases} g_t + m \, b_t & \text{Nesterov} \\ b_t & \text{otherwise} \end{cases}

    A hyperparameter may be a number, a schedule, a tensor (which may require grad), or a tree of
    these with the structure of the parameters.

    Args:
        lr: Learning rate, not negative.
        momentum: Decay rate of the momentum buffer, not negative. The number 0 keeps no buffer.
        dampening: Dampening of the gradient in the momentum, from the second update on.
        weight_decay: L2 regularization: added to the gradient, times the parameters.
        nesterov: Whether to look ahead; needs momentum, and no dampening.
        moment_requires_grad: Whether the initial moments are leaves that require grad.
        maximize: Whether to maximize instead of to minimize.
        use_accelerated_op: None (the default) uses a compiled kernel if one is available
            (:func:`torchopt.experimental.status`). True does the same, and warns if none is.
            False uses PyTorch's operations.

    Returns:
        A gradient transformation with the numbers of ``torch.optim.SGD`` for the same arguments.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch, torchopt
        >>> opt = torchopt.sgd(0.5)
        >>> params = (torch.tensor([1.0, 2.0]),)
        >>> state = opt.init(params)
        >>> updates, state = opt.update((torch.tensor([1.0, -1.0]),), state, params=params)
        >>> torchopt.apply_updates(params, updates)
        (tensor([0.5000, 2.5000]),)

    References:
        Sutskever et al., *On the importance of initialization and momentum in deep learning*, 2013.
    """
    return descend(
        trace(momentum, dampening, nesterov, moment_requires_grad),
        lr=lr,
        weight_decay=weight_decay,
        common=common,
    )
