"""Optimistic Adam."""

from __future__ import annotations

from typing_extensions import Unpack

from torchopt.optimizers.descent import Common, descend, optimizer
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import scale_by_adam, scale_by_optimistic_gradient
from torchopt.transform.chaining import GradientTransformation


@optimizer
def optimistic_adam(
    lr: Hyperparameter = 1e-3,
    betas: tuple[Hyperparameter, Hyperparameter] = (0.9, 0.999),
    *,
    eps: Hyperparameter = 1e-8,
    weight_decay: Hyperparameter = 0.0,
    alpha: Hyperparameter = 1.0,
    beta: Hyperparameter = 1.0,
    eps_root: Hyperparameter = 0.0,
    nesterov: bool = True,
    **common: Unpack[Common],
) -> GradientTransformation:
    r"""Optimistic Adam, for games: it extrapolates Adam's updates.

    .. math::
        \theta_t = \theta_{t-1} - \eta \left( (\alpha + \beta) r_t - \beta r_{t-1} \right),
        \qquad r_0 = r_1

    where :math:`r_t` is the update of :func:`torchopt.transform.scale_by_adam`. The paper has no
    Nesterov momentum, and :math:`\alpha = \beta`; Nesterov momentum is Optax's default.

    A hyperparameter may be a number, a schedule, a tensor (which may require grad), or a tree of
    these with the structure of the parameters.

    Args:
        lr: Learning rate, not negative.
        betas: Decay rates of the first and the second moment, each in ``[0, 1)``.
        eps: Added outside the root.
        weight_decay: L2 regularization: added to the gradient, times the parameters.
        alpha: Weight of the update.
        beta: Weight of the extrapolation.
        eps_root: Added inside the root.
        nesterov: Whether Adam looks ahead, too.
        maximize: Whether to maximize.
        use_accelerated_op: None (the default) uses a compiled kernel if one is available
            (:func:`torchopt.experimental.status`). True also compiles one on the CPU, and warns
            if none is available. False uses PyTorch's operations.

    Returns:
        A transformation that matches Optax's ``optimistic_adam_v2``.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch, torchopt
        >>> opt = torchopt.optimizers.optimistic_adam(lr=0.5, nesterov=False)
        >>> params = (torch.tensor([1.0, 2.0]),)
        >>> state = opt.init(params)
        >>> updates, state = opt.update((torch.tensor([1.0, -1.0]),), state, params=params)
        >>> torchopt.apply_updates(params, updates)
        (tensor([0.5000, 2.5000]),)

    References:
        Daskalakis et al., *Training GANs with Optimism*, 2018, algorithm 1.
    """
    return descend(
        scale_by_adam(betas=betas, eps=eps, eps_root=eps_root, nesterov=nesterov),
        scale_by_optimistic_gradient(alpha, beta),
        lr=lr,
        weight_decay=weight_decay,
        common=common,
    )
