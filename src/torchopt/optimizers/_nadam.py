"""NAdam."""

from __future__ import annotations

from typing_extensions import Unpack

from torchopt.optimizers.descent import Common, descend, optimizer
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import scale_by_nadam
from torchopt.transform.chaining import GradientTransformation


@optimizer
def nadam(
    lr: Hyperparameter = 2e-3,
    betas: tuple[Hyperparameter, Hyperparameter] = (0.9, 0.999),
    eps: Hyperparameter = 1e-8,
    weight_decay: Hyperparameter = 0.0,
    momentum_decay: Hyperparameter = 4e-3,
    decoupled_weight_decay: bool = False,
    **common: Unpack[Common],
) -> GradientTransformation:
    r"""NAdam: Adam with Nesterov momentum.

    .. math::
        \theta_t &= \theta_{t-1} - \eta u_t \\
        m_t &= \beta_1 \left(1 - \tfrac12 0.96^{t \psi}\right), \qquad
        u_t = \left(\frac{1 - m_t}{1 - P_t} g_t + \frac{m_{t+1}}{1 - P_{t+1}} \mu_t\right) \Big/
            \left(\sqrt{\nu_t / (1 - \beta_2^t)} + \varepsilon\right)

    with the moments of :func:`torchopt.adam` and the products :math:`P_t = m_1 \cdots m_t`.

    Optax's ``nadam`` has the momentum :math:`\beta_1` from the first step on: pass
    ``momentum_decay=math.inf`` for its numbers.

    A hyperparameter may be a number, a schedule, a tensor (which may require grad), or a tree of
    these with the structure of the parameters.

    Args:
        lr: Learning rate, not negative.
        betas: Decay rates of the first and the second moment, each in ``[0, 1)``.
        eps: Added outside the root.
        weight_decay: L2 regularization: added to the gradient, times the parameters.
        momentum_decay: :math:`\psi`, not negative: how fast the momentum grows to :math:`\beta_1`.
        decoupled_weight_decay: Whether the weight decay is added to the update instead, and scaled by
            the learning rate.
        maximize: Whether to maximize.
        use_accelerated_op: None (the default) uses a compiled kernel if the package has one. True
            also compiles one for this chain when it is first used. False uses PyTorch's operations.

    Returns:
        A transformation that matches ``torch.optim.NAdam`` for the same arguments.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch, torchopt
        >>> opt = torchopt.optimizers.nadam(lr=0.5)
        >>> params = (torch.tensor([1.0, 2.0]),)
        >>> state = opt.init(params)
        >>> updates, state = opt.update((torch.tensor([1.0, -1.0]),), state, params=params)
        >>> torchopt.apply_updates(params, updates)
        (tensor([0.4718, 2.5282]),)

    References:
        Dozat, *Incorporating Nesterov Momentum into Adam*, 2016.
    """
    return descend(
        scale_by_nadam(betas, eps, momentum_decay),
        lr=lr,
        weight_decay=0.0 if decoupled_weight_decay else weight_decay,
        decoupled_weight_decay=weight_decay if decoupled_weight_decay else 0.0,
        common=common,
    )
