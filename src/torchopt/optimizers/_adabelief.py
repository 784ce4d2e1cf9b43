"""AdaBelief."""

from __future__ import annotations

from typing_extensions import Unpack

from torchopt.optimizers.descent import Common, descend, optimizer
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import scale_by_belief
from torchopt.transform.chaining import GradientTransformation


@optimizer
def adabelief(
    lr: Hyperparameter = 1e-3,
    betas: tuple[Hyperparameter, Hyperparameter] = (0.9, 0.999),
    *,
    eps: Hyperparameter = 1e-16,
    weight_decay: Hyperparameter = 0.0,
    eps_root: Hyperparameter = 1e-16,
    nesterov: bool = False,
    **common: Unpack[Common],
) -> GradientTransformation:
    r"""AdaBelief: Adam, divided by how far gradients are from their mean.

    .. math::
        \theta_t &= \theta_{t-1} - \eta \frac{\mu_t / (1 - \beta_1^t)}
            {\sqrt{\nu_t / (1 - \beta_2^t)} + \varepsilon} \\
        \nu_t &= \beta_2 \nu_{t-1} + (1 - \beta_2) (g_t - \mu_t)^2 + \varepsilon_{root}

    with the first moment of :func:`torchopt.adam`.

    A hyperparameter may be a number, a schedule, a tensor (which may require grad), or a tree of
    these with the structure of the parameters.

    Args:
        lr: Learning rate, not negative.
        betas: Decay rates of the first and the second moment, each in ``[0, 1)``.
        eps: Added outside the root.
        weight_decay: L2 regularization: added to the gradient, times the parameters.
        eps_root: Added to the second moment at each update, and so accumulated in it.
        nesterov: Whether to look ahead; see :func:`torchopt.transform.scale_by_belief`.
        maximize: Whether to maximize.
        use_accelerated_op: None (the default) uses a compiled kernel if the package has one. True
            also compiles one for this chain when it is first used. False uses PyTorch's operations.

    Returns:
        A transformation that matches Optax's ``adabelief`` for the same arguments;
        Optax has no weight decay.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch, torchopt
        >>> opt = torchopt.optimizers.adabelief(lr=0.25, betas=(0.5, 0.999))
        >>> params = (torch.tensor([1.0, 2.0]),)
        >>> state = opt.init(params)
        >>> updates, state = opt.update((torch.tensor([1.0, -1.0]),), state, params=params)
        >>> torchopt.apply_updates(params, updates)
        (tensor([0.5000, 2.5000]),)

    References:
        Zhuang et al., *AdaBelief Optimizer*, 2020, algorithm 2. The paper has ``eps=1e-8``; the
        defaults are those of Optax. In float32, second derivatives need the paper's.
    """
    return descend(
        scale_by_belief(betas, eps, eps_root=eps_root, nesterov=nesterov),
        lr=lr,
        weight_decay=weight_decay,
        common=common,
    )
