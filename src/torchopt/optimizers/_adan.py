"""Adan."""

from __future__ import annotations

from typing_extensions import Unpack

from torchopt.optimizers.descent import Common, descend, optimizer
from torchopt.pytree.typing import Hyperparameter, Mask
from torchopt.transform import scale_by_adan
from torchopt.transform.chaining import GradientTransformation


@optimizer
def adan(
    lr: Hyperparameter = 1e-3,
    betas: tuple[Hyperparameter, Hyperparameter, Hyperparameter] = (0.98, 0.92, 0.99),
    *,
    eps: Hyperparameter = 1e-8,
    weight_decay: Hyperparameter = 0.0,
    eps_root: Hyperparameter = 1e-8,
    mask: Mask | None = None,
    **common: Unpack[Common],
) -> GradientTransformation:
    r"""Adan: adaptive Nesterov momentum from differences of gradients, with decoupled weight decay.

    .. math::
        \theta_t = \theta_{t-1} - \eta \left(
            \frac{m_t / (1 - \beta_1^t) + (1 - \beta_2) \, v_t / (1 - \beta_2^t)}
            {\sqrt{n_t / (1 - \beta_3^t) + \varepsilon_{root}} + \varepsilon}
            + \lambda \theta_{t-1} \right)

    with the moments :math:`m_t`, :math:`v_t` and :math:`n_t` of
    :func:`torchopt.transform.scale_by_adan`.

    A hyperparameter may be a number, a schedule, a tensor (which may require grad), or a tree of
    these with the structure of the parameters.

    Args:
        lr: Learning rate, not negative.
        betas: Decay rates of the means of gradients, of their differences, and of squares, each in
            ``[0, 1)``: one minus those of the paper.
        eps: Added outside the root.
        weight_decay: Decoupled weight decay, scaled by the learning rate. The paper divides by
            :math:`1 + \lambda \eta` instead.
        eps_root: Added inside the root.
        mask: A tree of booleans, or a function from the parameters to one: True where weights decay.
            By default, everywhere.
        maximize: Whether to maximize.
        use_accelerated_op: None (the default) uses a compiled kernel if the package has one. True
            also compiles one for this chain when it is first used. False uses PyTorch's operations.

    Returns:
        A transformation that matches Optax's ``adan`` for the same arguments.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch, torchopt
        >>> opt = torchopt.optimizers.adan(lr=0.5, weight_decay=0.5)
        >>> params = (torch.tensor([1.0, 2.0]),)
        >>> state = opt.init(params)
        >>> updates, state = opt.update((torch.tensor([1.0, -1.0]),), state, params=params)
        >>> torchopt.apply_updates(params, updates)
        (tensor([0.2500, 2.0000]),)

    References:
        Xie et al., *Adan: Adaptive Nesterov Momentum Algorithm for Faster Optimizing Deep Models*,
        2022, algorithm 1.
    """
    return descend(
        scale_by_adan(betas, eps, eps_root),
        lr=lr,
        decoupled_weight_decay=weight_decay,
        mask=mask,
        common=common,
    )
