"""AdamW with D-Adaptation."""

from __future__ import annotations

from typing_extensions import Unpack

from torchopt.optimizers.descent import Common, descend, optimizer
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import scale, scale_by_dadapt_adam
from torchopt.transform.chaining import GradientTransformation


@optimizer
def dadapt_adamw(
    lr: Hyperparameter = 1.0,
    betas: tuple[Hyperparameter, Hyperparameter] = (0.9, 0.999),
    *,
    eps: Hyperparameter = 1e-8,
    estim_lr0: Hyperparameter = 1e-6,
    weight_decay: Hyperparameter = 0.0,
    **common: Unpack[Common],
) -> GradientTransformation:
    r"""AdamW that estimates its learning rate by D-Adaptation.

    .. math:: \theta_t = \theta_{t-1} - u_t

    with the update of :func:`torchopt.transform.scale_by_dadapt_adam`, which has the formula: Adam's,
    with the rate :math:`d_t \eta`, where :math:`d_t` estimates how far the solution is from the first
    parameters, in the norm of the largest element. The estimate is one for all parameters (of a
    group); it grows, and never falls. :func:`torchopt.optimizers.prodigy` finds it faster.

    A hyperparameter may be a number, a schedule, or a scalar tensor, which may require grad.

    Args:
        lr: Factor of the step: 1, or a schedule whose maximum is 1.
        betas: Decay rates of the first and the second moment, each in ``[0, 1)``.
        eps: Added to the root.
        estim_lr0: Initial estimate, smaller than the right one.
        weight_decay: Decoupled weight decay, scaled with the step.
        maximize: Whether to maximize.
        use_accelerated_op: None (the default) uses a compiled kernel if one is available
            (:func:`torchopt.experimental.status`). True also compiles one, and warns if it
            cannot. False uses PyTorch's operations.

    Returns:
        A transformation that matches Optax's ``contrib.dadapt_adamw``.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch, torchopt
        >>> opt = torchopt.optimizers.dadapt_adamw(estim_lr0=0.5)
        >>> params = (torch.tensor([1.0, 2.0]),)
        >>> state = opt.init(params)
        >>> updates, state = opt.update((torch.tensor([4.0, -2.0]),), state, params=params)
        >>> torchopt.apply_updates(params, updates)
        (tensor([0.5000, 2.5000]),)

    References:
        Defazio and Mishchenko, *Learning-Rate-Free Learning by D-Adaptation*, 2023.
    """
    return descend(
        scale_by_dadapt_adam(lr, betas, eps=eps, estim_lr0=estim_lr0, weight_decay=weight_decay),
        after=(scale(-1.0),),
        common=common,
    )
