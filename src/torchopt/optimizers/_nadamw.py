"""NAdamW."""

from __future__ import annotations

from typing_extensions import Unpack

from torchopt.optimizers.descent import Common, descend, optimizer
from torchopt.pytree.typing import Hyperparameter, Mask
from torchopt.transform import scale_by_nadam
from torchopt.transform.chaining import GradientTransformation


@optimizer
def nadamw(
    lr: Hyperparameter = 2e-3,
    betas: tuple[Hyperparameter, Hyperparameter] = (0.9, 0.999),
    *,
    eps: Hyperparameter = 1e-8,
    weight_decay: Hyperparameter = 1e-4,
    momentum_decay: Hyperparameter = 4e-3,
    mask: Mask | None = None,
    **common: Unpack[Common],
) -> GradientTransformation:
    r"""NAdam with decoupled weight decay.

    .. math::
        \theta_t &= \theta_{t-1} - \eta (u_t + \lambda \theta_{t-1}) \\
        m_t &= \beta_1 \left(1 - \tfrac12 0.96^{t \psi}\right), \qquad
        u_t = \left(\frac{1 - m_t}{1 - P_t} g_t + \frac{m_{t+1}}{1 - P_{t+1}} \mu_t\right) \Big/
            \left(\sqrt{\nu_t / (1 - \beta_2^t)} + \varepsilon\right)

    with the moments of :func:`torchopt.adam` and the products :math:`P_t = m_1 \cdots m_t`.

    Optax's ``nadamw`` has the momentum :math:`\beta_1` from the first step on: pass
    ``momentum_decay=math.inf`` for its numbers. The default of ``weight_decay`` is Optax's.

    A hyperparameter may be a number, a schedule, a tensor (which may require grad), or a tree of
    these with the structure of the parameters.

    Args:
        lr: Learning rate, not negative.
        betas: Decay rates of the first and the second moment, each in ``[0, 1)``.
        eps: Added outside the root.
        weight_decay: Decoupled weight decay, scaled by the learning rate.
        momentum_decay: :math:`\psi`, not negative: how fast the momentum grows to :math:`\beta_1`.
        mask: A tree of booleans, or a function from the parameters to one: True where weights decay.
            By default, everywhere.
        maximize: Whether to maximize.
        use_accelerated_op: None (the default) uses a compiled kernel if the package has one. True
            also compiles one for this chain when it is first used. False uses PyTorch's operations.

    Returns:
        A transformation that matches
        ``torch.optim.NAdam(decoupled_weight_decay=True)`` for the same arguments.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch, torchopt
        >>> opt = torchopt.optimizers.nadamw(lr=0.5, weight_decay=0.5)
        >>> params = (torch.tensor([1.0, 2.0]),)
        >>> state = opt.init(params)
        >>> updates, state = opt.update((torch.tensor([1.0, -1.0]),), state, params=params)
        >>> torchopt.apply_updates(params, updates)
        (tensor([0.2218, 2.0282]),)

    References:
        Dozat, *Incorporating Nesterov Momentum into Adam*, 2016; Loshchilov and Hutter, *Decoupled
        Weight Decay Regularization*, 2019.
    """
    return descend(
        scale_by_nadam(betas, eps, momentum_decay),
        lr=lr,
        decoupled_weight_decay=weight_decay,
        mask=mask,
        common=common,
    )
