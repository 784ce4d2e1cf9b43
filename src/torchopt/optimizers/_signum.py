"""Signum."""

from __future__ import annotations

from typing_extensions import Unpack

from torchopt.optimizers.descent import Common, descend, optimizer
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import scale_by_signum
from torchopt.transform.chaining import GradientTransformation


@optimizer
def signum(
    lr: Hyperparameter = 1e-3,
    *,
    momentum: Hyperparameter = 0.9,
    weight_decay: Hyperparameter = 0.0,
    smooth: Hyperparameter | None = None,
    **common: Unpack[Common],
) -> GradientTransformation:
    r"""Signum: descent by the signs of a momentum.

    .. math::
        \mu_t = m \, \mu_{t-1} + (1 - m) g_t, \qquad
        \theta_t = \theta_{t-1} - \eta \left(
            \operatorname{sign}(\mu_t) + \lambda \theta_{t-1} \right)

    The derivative of the sign is zero almost everywhere: a meta-gradient reaches the learning rate, but
    nothing flows back through gradients and momentum. ``smooth`` takes :math:`\tanh(\mu_t / w)`, which
    has a derivative. The sign of NaN is 0: NaN in a gradient stops its elements, and with ``smooth``
    makes them NaN.

    A hyperparameter may be a number, a schedule, a tensor (which may require grad), or a tree of
    these with the structure of the parameters.

    Args:
        lr: Learning rate, not negative.
        momentum: Decay rate of the mean :math:`m`, in ``[0, 1)``.
        weight_decay: Decoupled weight decay, scaled by the learning rate.
        smooth: The width :math:`w` of a hyperbolic tangent in the place of the sign, whose limit for
            small widths is the sign. None, the default, and 0 are the sign itself.
        maximize: Whether to maximize.
        use_accelerated_op: None (the default) uses a compiled kernel if one is available
            (:func:`torchopt.experimental.status`). True also compiles one on the CPU, and warns
            if none is available. False uses PyTorch's operations.

    Returns:
        A transformation that matches ``SignSGD`` of pytorch_optimizer.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch, torchopt
        >>> opt = torchopt.optimizers.signum(lr=0.5)
        >>> params = (torch.tensor([1.0, 2.0]),)
        >>> state = opt.init(params)
        >>> updates, state = opt.update((torch.tensor([0.1, -3.0]),), state, params=params)
        >>> torchopt.apply_updates(params, updates)
        (tensor([0.5000, 2.5000]),)

    References:
        Bernstein et al., *signSGD: Compressed Optimisation for Non-Convex Problems*, 2018,
        algorithm 2.
    """
    return descend(
        scale_by_signum(momentum, smooth), lr=lr, decoupled_weight_decay=weight_decay, common=common
    )
