"""AdEMAMix."""

from __future__ import annotations

from typing_extensions import Unpack

from torchopt.optimizers.descent import Common, descend, optimizer
from torchopt.pytree.typing import Hyperparameter, Mask
from torchopt.transform import scale_by_ademamix
from torchopt.transform.chaining import GradientTransformation


@optimizer
def ademamix(
    lr: Hyperparameter = 1e-3,
    betas: tuple[Hyperparameter, Hyperparameter, Hyperparameter] = (0.9, 0.999, 0.9999),
    *,
    alpha: Hyperparameter = 5.0,
    eps: Hyperparameter = 1e-8,
    weight_decay: Hyperparameter = 0.0,
    eps_root: Hyperparameter = 0.0,
    mask: Mask | None = None,
    **common: Unpack[Common],
) -> GradientTransformation:
    r"""AdEMAMix: Adam with decoupled weight decay and a second, slow momentum.

    .. math::
        m^1_t &= \beta_1 m^1_{t-1} + (1 - \beta_1) g_t, \qquad
        m^2_t = \beta_3 m^2_{t-1} + (1 - \beta_3) g_t, \qquad
        \nu_t = \beta_2 \nu_{t-1} + (1 - \beta_2) g_t^2 \\
        \theta_t &= \theta_{t-1} - \eta \left(
            \frac{m^1_t / (1 - \beta_1^t) + \alpha m^2_t}
            {\sqrt{\nu_t / (1 - \beta_2^t) + \varepsilon_{root}} + \varepsilon}
            + \lambda \theta_{t-1} \right)

    The paper raises :math:`\alpha` from 0 and :math:`\beta_3` from :math:`\beta_1` during the first
    steps, which large values need. Pass schedules for that, as in the example. With few
    steps, or data that change, a smaller :math:`\beta_3` is better.

    A hyperparameter may be a number, a schedule, a tensor (which may require grad), or a tree of
    these with the structure of the parameters.

    Args:
        lr: Learning rate, not negative.
        betas: Decay rates of the fast first moment, the second moment and the slow first moment, each
            in ``[0, 1)``.
        alpha: Weight of the slow moment, not negative.
        eps: Added outside the root.
        weight_decay: Decoupled weight decay, scaled by the learning rate.
        eps_root: Added inside the root.
        mask: A tree of booleans, or a function from the parameters to one: True where weights decay.
            By default, everywhere.
        maximize: Whether to maximize.
        use_accelerated_op: None (the default) uses a compiled kernel if one is available
            (:func:`torchopt.experimental.status`). True also compiles one on the CPU, and warns
            if none is available. False uses PyTorch's operations.

    Returns:
        A transformation that matches Optax's ``contrib.ademamix``.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch, torchopt
        >>> warm_up = torchopt.schedule.linear_schedule(0.0, 5.0, transition_steps=1000)
        >>> opt = torchopt.optimizers.ademamix(lr=0.5, alpha=warm_up)
        >>> params = (torch.tensor([1.0, 2.0]),)
        >>> state = opt.init(params)
        >>> updates, state = opt.update((torch.tensor([1.0, -1.0]),), state, params=params)
        >>> torchopt.apply_updates(params, updates)
        (tensor([0.5000, 2.5000]),)

    References:
        Pagliardini, Ablin and Grangier, *The AdEMAMix Optimizer: Better, Faster, Older*, 2024.
    """
    return descend(
        scale_by_ademamix(betas, alpha, eps=eps, eps_root=eps_root),
        lr=lr,
        decoupled_weight_decay=weight_decay,
        mask=mask,
        common=common,
    )
