"""Yogi."""

from __future__ import annotations

from typing_extensions import Unpack

from torchopt.optimizers.descent import Common, descend, optimizer
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import scale_by_yogi
from torchopt.transform.chaining import GradientTransformation


@optimizer
def yogi(
    lr: Hyperparameter = 1e-2,
    betas: tuple[Hyperparameter, Hyperparameter] = (0.9, 0.999),
    *,
    eps: Hyperparameter = 1e-3,
    weight_decay: Hyperparameter = 0.0,
    eps_root: Hyperparameter = 0.0,
    initial_accumulator_value: Hyperparameter = 1e-6,
    smooth: Hyperparameter | None = None,
    **common: Unpack[Common],
) -> GradientTransformation:
    r"""Yogi: Adam, whose second moment changes by at most a share of the squared gradient.

    .. math::
        \theta_t &= \theta_{t-1} - \eta \frac{\mu_t / (1 - \beta_1^t)}
            {\sqrt{\nu_t / (1 - \beta_2^t) + \varepsilon_{root}} + \varepsilon} \\
        \nu_t &= \nu_{t-1} - (1 - \beta_2) \operatorname{sign}(\nu_{t-1} - g_t^2) \, g_t^2

    with the first moment of :func:`torchopt.adam`. The second moment jumps where
    :math:`g_t^2 = \nu_{t-1}`; derivatives are those of either side.

    A hyperparameter may be a number, a schedule, a tensor (which may require grad), or a tree of
    these with the structure of the parameters.

    Args:
        lr: Learning rate, not negative.
        betas: Decay rates of the first and the second moment, each in ``[0, 1)``.
        eps: Added outside the root.
        weight_decay: L2 regularization: added to the gradient, times the parameters.
        eps_root: Added inside the root.
        initial_accumulator_value: Initial value of both moments, as in Optax.
        smooth: Width :math:`w` of a smooth sign :math:`\tanh(\cdot / w)`, in the unit of squared
            gradients. None (the default) is the sign.
        maximize: Whether to maximize.
        use_accelerated_op: None (the default) uses a compiled kernel if the package has one. True
            also compiles one for this chain when it is first used. False uses PyTorch's operations.

    Returns:
        A transformation that matches Optax's ``yogi`` for the same arguments; Optax
        has no weight decay.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch, torchopt
        >>> opt = torchopt.optimizers.yogi(lr=0.5, eps=0.0, initial_accumulator_value=0.0)
        >>> params = (torch.tensor([1.0, 2.0]),)
        >>> state = opt.init(params)
        >>> updates, state = opt.update((torch.tensor([1.0, -1.0]),), state, params=params)
        >>> torchopt.apply_updates(params, updates)
        (tensor([0.5000, 2.5000]),)

    References:
        Zaheer et al., *Adaptive Methods for Nonconvex Optimization*, 2018, algorithm 2.
    """
    return descend(
        scale_by_yogi(
            betas,
            eps,
            eps_root=eps_root,
            initial_accumulator_value=initial_accumulator_value,
            smooth=smooth,
        ),
        lr=lr,
        weight_decay=weight_decay,
        common=common,
    )
