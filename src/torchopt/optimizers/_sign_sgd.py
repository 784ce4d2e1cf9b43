"""Descent by the signs of gradients."""

from __future__ import annotations

from typing_extensions import Unpack

from torchopt.optimizers.descent import Common, descend, optimizer
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import scale_by_sign
from torchopt.transform.chaining import GradientTransformation


@optimizer
def sign_sgd(
    lr: Hyperparameter = 1e-3,
    *,
    weight_decay: Hyperparameter = 0.0,
    smooth: Hyperparameter | None = None,
    **common: Unpack[Common],
) -> GradientTransformation:
    r"""Gradient descent by signs.

    .. math::
        \theta_t = \theta_{t-1} - \eta \left(
            \operatorname{sign}(g_t) + \lambda \theta_{t-1} \right)

    The derivative of the sign is zero almost everywhere: a meta-gradient reaches the learning rate, but
    nothing flows back through gradients. ``smooth`` takes :math:`\tanh(g_t / w)` instead, which has a
    derivative. NaN in a gradient changes nothing, unless ``smooth`` is given.

    A hyperparameter may be a number, a schedule, a tensor (which may require grad), or a tree of
    these with the structure of the parameters.

    Args:
        lr: Learning rate, not negative.
        weight_decay: Decoupled weight decay, scaled by the learning rate.
        smooth: The width :math:`w` of a hyperbolic tangent in the place of the sign, whose limit for
            small widths is the sign. None, the default, and 0 are the sign itself.
        maximize: Whether to maximize.
        use_accelerated_op: None (the default) uses a compiled kernel if one is available
            (:func:`torchopt.experimental.status`). True also compiles one on the CPU, and warns
            if none is available. False uses PyTorch's operations.

    Returns:
        A transformation that matches Optax's ``sign_sgd``.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch, torchopt
        >>> opt = torchopt.optimizers.sign_sgd(lr=0.5)
        >>> params = (torch.tensor([1.0, 2.0]),)
        >>> state = opt.init(params)
        >>> updates, state = opt.update((torch.tensor([0.1, -3.0]),), state, params=params)
        >>> torchopt.apply_updates(params, updates)
        (tensor([0.5000, 2.5000]),)

    References:
        Bernstein et al., *signSGD: Compressed Optimisation for Non-Convex Problems*, 2018,
        algorithm 1.
    """
    return descend(scale_by_sign(smooth), lr=lr, decoupled_weight_decay=weight_decay, common=common)
