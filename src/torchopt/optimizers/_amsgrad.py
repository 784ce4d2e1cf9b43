"""AMSGrad."""

from __future__ import annotations

from typing_extensions import Unpack

from torchopt.optimizers.descent import Common, descend, optimizer
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import scale_by_amsgrad
from torchopt.transform.chaining import GradientTransformation


@optimizer
def amsgrad(
    lr: Hyperparameter = 1e-3,
    betas: tuple[Hyperparameter, Hyperparameter] = (0.9, 0.999),
    *,
    eps: Hyperparameter = 1e-8,
    weight_decay: Hyperparameter = 0.0,
    eps_root: Hyperparameter = 0.0,
    moment_requires_grad: bool = False,
    **common: Unpack[Common],
) -> GradientTransformation:
    r"""AMSGrad: Adam divided by the largest second moment so far.

    .. math::
        \hat\nu_t = \max(\hat\nu_{t-1}, \nu_t), \qquad
        \theta_t = \theta_{t-1} - \eta \frac{\mu_t / (1 - \beta_1^t)}
            {\sqrt{\hat\nu_t / (1 - \beta_2^t) + \varepsilon_{root}} + \varepsilon}

    with the moments of :func:`torchopt.adam`, which has this as ``amsgrad=True``. The maximum is that
    of ``torch.optim.Adam``: of second moments before the bias correction. Optax's ``amsgrad`` takes it
    after the correction.

    A hyperparameter may be a number, a schedule, a tensor (which may require grad), or a tree of
    these with the structure of the parameters.

    Args:
        lr: Learning rate, not negative.
        betas: Decay rates of the first and the second moment, each in ``[0, 1)``.
        eps: Added outside the root.
        weight_decay: L2 regularization: added to the gradient, times the parameters.
        eps_root: Added inside the root.
        moment_requires_grad: Whether the initial moments require grad.
        maximize: Whether to maximize.
        use_accelerated_op: None (the default) uses a compiled kernel if one is available
            (:func:`torchopt.experimental.status`). True also compiles one on the CPU, and warns
            if none is available. False uses PyTorch's operations.

    Returns:
        A transformation that matches ``torch.optim.Adam`` with ``amsgrad=True``.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch, torchopt
        >>> opt = torchopt.optimizers.amsgrad(lr=0.5)
        >>> params = (torch.tensor([1.0, 2.0]),)
        >>> state = opt.init(params)
        >>> updates, state = opt.update((torch.tensor([1.0, -1.0]),), state, params=params)
        >>> torchopt.apply_updates(params, updates)
        (tensor([0.5000, 2.5000]),)

    References:
        Reddi, Kale and Kumar, *On the Convergence of Adam and Beyond*, 2018, algorithm 2.
    """
    return descend(
        scale_by_amsgrad(betas, eps, eps_root, moment_requires_grad),
        lr=lr,
        weight_decay=weight_decay,
        common=common,
    )
