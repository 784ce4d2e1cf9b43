"""MADGRAD."""

from __future__ import annotations

from typing_extensions import Unpack

from torchopt.optimizers.descent import Common, descend, optimizer
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import scale_by_madgrad
from torchopt.transform.chaining import GradientTransformation


@optimizer
def madgrad(
    lr: Hyperparameter = 1e-2,
    *,
    momentum: Hyperparameter = 0.9,
    weight_decay: Hyperparameter = 0.0,
    eps: Hyperparameter = 1e-6,
    **common: Unpack[Common],
) -> GradientTransformation:
    r"""MADGRAD: dual averaging with cube roots, and momentum.

    .. math::
        \lambda_t &= (\eta_t + \varepsilon) \sqrt t, \qquad
        s_t = s_{t-1} + \lambda_t g_t, \qquad
        \nu_t = \nu_{t-1} + \lambda_t g_t^2 \\
        \theta_t &= m \, \theta_{t-1} + (1 - m)
            \left( \theta_0 - \frac{s_t}{\sqrt[3]{\nu_t} + \varepsilon} \right)

    The learning rate is often near that of gradient descent, and the weight decay smaller. The state
    keeps :math:`\theta_t - \theta_0`, the sum of all steps.

    A hyperparameter may be a number, a schedule, a tensor (which may require grad), or a tree of
    these with the structure of the parameters.

    Args:
        lr: Learning rate, not negative.
        momentum: The weight :math:`m` of the parameters in the average, in ``[0, 1)``.
        weight_decay: L2 regularization: added to the gradient, times the parameters.
        eps: Added to the cube root, and to the learning rate, as in the paper's implementation.
        maximize: Whether to maximize.
        use_accelerated_op: None (the default) uses a compiled kernel if one is available
            (:func:`torchopt.experimental.status`). True also compiles one on the CPU, and warns
            if none is available. False uses PyTorch's operations.

    Returns:
        A transformation that matches ``MADGRAD`` of pytorch_optimizer.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch, torchopt
        >>> opt = torchopt.optimizers.madgrad(lr=1.0, momentum=0.0)
        >>> params = (torch.tensor([1.0, 2.0]),)
        >>> state = opt.init(params)
        >>> updates, state = opt.update((torch.tensor([8.0, 0.0]),), state, params=params)
        >>> torchopt.apply_updates(params, updates)
        (tensor([-1.0000,  2.0000]),)

    References:
        Defazio and Jelassi, *Adaptivity without Compromise: A Momentumized, Adaptive, Dual Averaged
        Gradient Method for Stochastic Optimization*, 2021.
    """
    return descend(scale_by_madgrad(lr, momentum, eps), weight_decay=weight_decay, common=common)
