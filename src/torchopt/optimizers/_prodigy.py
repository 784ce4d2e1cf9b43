"""Prodigy."""

from __future__ import annotations

from typing_extensions import Unpack

from torchopt.optimizers.descent import Common, descend, optimizer
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import scale, scale_by_prodigy
from torchopt.transform.chaining import GradientTransformation


@optimizer
def prodigy(
    lr: Hyperparameter = 1.0,
    betas: tuple[Hyperparameter, Hyperparameter] = (0.9, 0.999),
    *,
    beta3: Hyperparameter | None = None,
    eps: Hyperparameter = 1e-8,
    estim_lr0: Hyperparameter = 1e-6,
    estim_lr_coef: Hyperparameter = 1.0,
    weight_decay: Hyperparameter = 0.0,
    safeguard_warmup: bool = False,
    **common: Unpack[Common],
) -> GradientTransformation:
    r"""Prodigy: AdamW that estimates its learning rate.

    .. math:: \theta_t = \theta_{t-1} - u_t

    with the update of :func:`torchopt.transform.scale_by_prodigy`, which has the formula: Adam's, with
    the rate :math:`d_t \eta`, where :math:`d_t` estimates how far the solution is from the first
    parameters. The estimate is one for all parameters (of a group); it grows, and never falls.

    A hyperparameter may be a number, a schedule, or a scalar tensor, which may require grad.

    Args:
        lr: Factor of the step: 1, or a schedule whose maximum is 1, such as cosine decay.
        betas: Decay rates of the first and the second moment, each in ``[0, 1)``.
        beta3: Decay rate of the sums of the estimate; by default, the root of the second of ``betas``.
        eps: Added to the root, times the estimate.
        estim_lr0: Initial estimate, smaller than the right one.
        estim_lr_coef: Factor of the estimates: less than 1 for smaller steps.
        weight_decay: Decoupled weight decay, scaled with the step.
        safeguard_warmup: Whether to leave ``lr`` out of the estimate's denominator, for learning rates
            that begin near zero.
        maximize: Whether to maximize.
        use_accelerated_op: None (the default) uses a compiled kernel if one is available
            (:func:`torchopt.experimental.status`). True also compiles one, and warns if it
            cannot. False uses PyTorch's operations.

    Returns:
        A transformation that matches Optax's ``contrib.prodigy``. Its state has four
        tensors like the parameters.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch, torchopt
        >>> opt = torchopt.optimizers.prodigy(estim_lr0=0.5)
        >>> params = (torch.tensor([1.0, 2.0]),)
        >>> state = opt.init(params)
        >>> updates, state = opt.update((torch.tensor([4.0, -2.0]),), state, params=params)
        >>> torchopt.apply_updates(params, updates)
        (tensor([0.5000, 2.5000]),)

    References:
        Mishchenko and Defazio, *Prodigy: An Expeditiously Adaptive Parameter-Free Learner*, 2024.
    """
    rescale = scale_by_prodigy(
        lr,
        betas,
        beta3=beta3,
        eps=eps,
        estim_lr0=estim_lr0,
        estim_lr_coef=estim_lr_coef,
        weight_decay=weight_decay,
        safeguard_warmup=safeguard_warmup,
    )
    return descend(rescale, after=(scale(-1.0),), common=common)
