"""ADOPT."""

from __future__ import annotations

from typing_extensions import Unpack

from torchopt.optimizers.descent import Common, descend, optimizer
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import scale_by_adopt
from torchopt.transform.chaining import GradientTransformation


@optimizer
def adopt(
    lr: Hyperparameter = 1e-3,
    betas: tuple[Hyperparameter, Hyperparameter] = (0.9, 0.9999),
    *,
    eps: Hyperparameter = 1e-6,
    weight_decay: Hyperparameter = 0.0,
    nesterov: bool = False,
    use_clipping: bool = True,
    clip_value_fn: Hyperparameter | None = None,
    **common: Unpack[Common],
) -> GradientTransformation:
    r"""ADOPT: Adam whose second moment does not contain the gradient that it divides.

    .. math::
        n_t &= \operatorname{clip}\left(\frac{g_t}{\max(\sqrt{\nu_{t-1}}, \varepsilon)},
            -c_t, c_t\right) \\
        \mu_t &= \beta_1 \mu_{t-1} + (1 - \beta_1) n_t, \qquad
        \nu_t = \beta_2 \nu_{t-1} + (1 - \beta_2) g_t^2 \\
        \theta_t &= \theta_{t-1} - \eta \mu_t

    The first update of a leaf sets :math:`\nu_1 = g_1^2`, and moves nothing. The method converges for
    any :math:`\beta_2`.

    A hyperparameter may be a number, a schedule, a tensor (which may require grad), or a tree of
    these with the structure of the parameters.

    Args:
        lr: Learning rate, not negative.
        betas: Decay rates of the mean and the second moment, each in ``[0, 1)``.
        eps: The least divisor.
        weight_decay: L2 regularization: added to the gradient, times the parameters.
        nesterov: Whether to look ahead; see :func:`torchopt.transform.scale_by_adopt`.
        use_clipping: Whether normalized gradients are clipped.
        clip_value_fn: The bound :math:`c_t`: a schedule, which is called with the number of earlier
            updates, a number, or a tensor. None, the default, is the fourth root of that number, as
            in the paper's implementation.
        maximize: Whether to maximize.
        use_accelerated_op: None (the default) uses a compiled kernel if one is available
            (:func:`torchopt.experimental.status`). True also compiles one on the CPU, and warns
            if none is available. False uses PyTorch's operations.

    Returns:
        A transformation that matches Optax's ``contrib.adopt``.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch, torchopt
        >>> opt = torchopt.optimizers.adopt(lr=0.5, betas=(0.5, 0.99))
        >>> params = (torch.tensor([1.0, 2.0]),)
        >>> state = opt.init(params)
        >>> for _ in range(2):
        ...     updates, state = opt.update((torch.tensor([4.0, -1.0]),), state, params=params)
        >>> torchopt.apply_updates(params, updates)
        (tensor([0.7500, 2.2500]),)

    References:
        Taniguchi et al., *ADOPT: Modified Adam Can Converge with Any beta2 with the Optimal Rate*,
        2024.
    """
    return descend(
        scale_by_adopt(
            betas,
            eps,
            nesterov=nesterov,
            use_clipping=use_clipping,
            clip_value_fn=clip_value_fn,
        ),
        lr=lr,
        weight_decay=weight_decay,
        common=common,
    )
