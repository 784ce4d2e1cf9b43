"""AdamaxW."""

from __future__ import annotations

from typing_extensions import Unpack

from torchopt.optimizers.descent import Common, descend, optimizer
from torchopt.pytree.typing import Hyperparameter, Mask
from torchopt.transform import scale_by_adamax
from torchopt.transform.chaining import GradientTransformation


@optimizer
def adamaxw(
    lr: Hyperparameter = 2e-3,
    betas: tuple[Hyperparameter, Hyperparameter] = (0.9, 0.999),
    *,
    eps: Hyperparameter = 1e-8,
    weight_decay: Hyperparameter = 1e-4,
    mask: Mask | None = None,
    **common: Unpack[Common],
) -> GradientTransformation:
    r"""Adamax with decoupled weight decay.

    .. math::
        \theta_t = \theta_{t-1} - \eta \left( \frac{\mu_t}{(1 - \beta_1^t) \nu_t}
            + \lambda \theta_{t-1} \right), \qquad
        \nu_t = \max(\beta_2 \nu_{t-1}, |g_t| + \varepsilon)

    with the first moment of :func:`torchopt.adam`.

    A hyperparameter may be a number, a schedule, a tensor (which may require grad), or a tree of
    these with the structure of the parameters.

    Args:
        lr: Learning rate, not negative.
        betas: Decay rates of the first moment and of the norm, each in ``[0, 1)``.
        eps: Added to the absolute gradient.
        weight_decay: Decoupled weight decay, scaled by the learning rate.
        mask: A tree of booleans, or a function from the parameters to one: True where weights decay.
            By default, everywhere.
        maximize: Whether to maximize.
        use_accelerated_op: None (the default) uses a compiled kernel if the package has one. True
            also compiles one for this chain when it is first used. False uses PyTorch's operations.

    Returns:
        A transformation that matches Optax's ``adamaxw`` for the same arguments.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch, torchopt
        >>> opt = torchopt.optimizers.adamaxw(lr=0.5, weight_decay=0.5)
        >>> params = (torch.tensor([1.0, 2.0]),)
        >>> state = opt.init(params)
        >>> updates, state = opt.update((torch.tensor([1.0, -1.0]),), state, params=params)
        >>> torchopt.apply_updates(params, updates)
        (tensor([0.2500, 2.0000]),)

    References:
        Kingma and Ba, *Adam*, 2015, algorithm 2; Loshchilov and Hutter, *Decoupled Weight Decay
        Regularization*, 2019.
    """
    return descend(
        scale_by_adamax(betas=betas, eps=eps),
        lr=lr,
        decoupled_weight_decay=weight_decay,
        mask=mask,
        common=common,
    )
