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

    Hyperparameters are numbers, schedules, tensors, or trees of these like the parameters.

    Args:
        lr: Learning rate, not negative.
        momentum: Decay rate of the momentum buffer, not negative. The number 0 keeps no buffer.
        dampening: Dampening of the gradient in the momentum, from the second update on.
        weight_decay: L2 regularization: added to the gradient, times the parameters.
        nesterov: Whether to look ahead; needs momentum, and no dampening.
        moment_requires_grad: Whether the initial moments require grad.
        maximize: Whether to maximize.
        use_accelerated_op: As for :func:`torchopt.adam`.

    Returns:
        A transformation that matches ``torch.optim.SGD`` for the same arguments.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch, torchopt
        >>> opt = torchopt.sgd(0.5)
        >>> x, g = torch.tensor([1.0, 2.0]), torch.tensor([1.0, -1.0])
        >>> updates, state = opt.update(g, opt.init(x), params=x)
        >>> torchopt.apply_updates(x, updates)
        tensor([0.5000, 2.5000])

    References:
        Sutskever et al., *On the importance of initialization and momentum in deep learning*, 2013.
    """
    return descend(
        trace(momentum, dampening, nesterov, moment_requires_grad),
        lr=lr,
        weight_decay=weight_decay,
        common=common,
    )
