"""Gradient descent with noise."""

from __future__ import annotations

import torch
from typing_extensions import Unpack

from torchopt.optimizers.descent import Common, descend, optimizer
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import add_noise
from torchopt.transform.chaining import GradientTransformation


@optimizer
def noisy_sgd(
    lr: Hyperparameter = 1e-3,
    *,
    eta: Hyperparameter = 0.01,
    gamma: Hyperparameter = 0.55,
    generator: torch.Generator | int | None = 0,
    weight_decay: Hyperparameter = 0.0,
    **common: Unpack[Common],
) -> GradientTransformation:
    r"""Gradient descent with Gaussian noise, whose variance falls with the steps.

    .. math::
        \theta_t = \theta_{t-1} - \alpha \left( g_t + \sqrt{\frac{\eta}{t^\gamma}} \, n_t \right),
        \qquad n_t \sim N(0, 1)

    The noise is a function of the key in the state, the step, and the place in the tree: a step that is
    computed again has the same noise. See :func:`torchopt.transform.add_noise`, also for ``vmap``.

    A hyperparameter may be a number, a schedule, a tensor (which may require grad), or a tree of
    these with the structure of the parameters.

    Args:
        lr: Learning rate :math:`\alpha`, not negative.
        eta: Variance :math:`\eta` at the first step, not negative.
        gamma: The power :math:`\gamma` of the step that divides the variance.
        generator: Where the key comes from: a number is the key itself, a ``torch.Generator`` draws
            one in each ``init``, and None means PyTorch's own generator. By default the key is 0,
            since processes that train one model need the same noise: it is that of each run, too.
        weight_decay: L2 regularization: added to the gradient, times the parameters.
        maximize: Whether to maximize.
        use_accelerated_op: None (the default) uses a compiled kernel if one is available
            (:func:`torchopt.experimental.status`). True also compiles one on the CPU, and warns
            if none is available. False uses PyTorch's operations.

    Returns:
        A gradient transformation with the formula of Optax's ``noisy_sgd``; the random numbers differ.

    Raises:
        TypeError: If ``generator`` is something else.
        ValueError: If a number is out of range.

    Example:
        >>> import torch, torchopt
        >>> opt = torchopt.optimizers.noisy_sgd(lr=0.5, eta=1e-12)
        >>> params = (torch.tensor([1.0, 2.0]),)
        >>> state = opt.init(params)
        >>> updates, state = opt.update((torch.tensor([1.0, -1.0]),), state, params=params)
        >>> torchopt.apply_updates(params, updates)
        (tensor([0.5000, 2.5000]),)

    References:
        Neelakantan et al., *Adding Gradient Noise Improves Learning for Very Deep Networks*, 2015.
    """
    return descend(
        add_noise(eta, gamma, generator), lr=lr, weight_decay=weight_decay, common=common
    )
