"""NovoGrad."""

from __future__ import annotations

from typing_extensions import Unpack

from torchopt.optimizers.descent import Common, descend, optimizer
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import scale_by_novograd
from torchopt.transform.chaining import GradientTransformation


@optimizer
def novograd(
    lr: Hyperparameter = 1e-3,
    betas: tuple[Hyperparameter, Hyperparameter] = (0.9, 0.25),
    *,
    eps: Hyperparameter = 1e-6,
    weight_decay: Hyperparameter = 0.0,
    eps_root: Hyperparameter = 0.0,
    moment_requires_grad: bool = False,
    **common: Unpack[Common],
) -> GradientTransformation:
    r"""NovoGrad: momentum of gradients that are divided by a running norm of their layer.

    .. math::
        \nu_1 &= \lVert g_1 \rVert^2, \qquad
        \nu_t = \beta_2 \nu_{t-1} + (1 - \beta_2) \lVert g_t \rVert^2 \\
        \mu_t &= \beta_1 \mu_{t-1} + \frac{g_t}{\sqrt{\nu_t + \varepsilon_{root}} + \varepsilon}
            + \lambda \theta_{t-1}, \qquad
        \theta_t = \theta_{t-1} - \eta \, \mu_t

    with the norms of each leaf, so that the state is half as large as that of Adam.

    A hyperparameter may be a number, a schedule, a tensor (which may require grad), or a tree of
    these with the structure of the parameters; :math:`\beta_2`, ``eps`` and ``eps_root`` are one
    number for each leaf.

    Args:
        lr: Learning rate, not negative.
        betas: Decay rates of the momentum and of the second moment, each in ``[0, 1)``.
        eps: Added outside the root.
        weight_decay: Weight decay :math:`\lambda`, which enters the momentum.
        eps_root: Added inside the root.
        moment_requires_grad: Whether the initial momentum is a leaf that requires grad.
        maximize: Whether to maximize.
        use_accelerated_op: None (the default) uses a compiled kernel if one is available
            (:func:`torchopt.experimental.status`). True also compiles one, and warns if it
            cannot. False uses PyTorch's operations.

    Returns:
        A transformation that matches Optax's ``novograd``.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch, torchopt
        >>> opt = torchopt.optimizers.novograd(lr=0.5)
        >>> params = (torch.tensor([1.0, 2.0]),)
        >>> state = opt.init(params)
        >>> updates, state = opt.update((torch.tensor([3.0, -4.0]),), state, params=params)
        >>> torchopt.apply_updates(params, updates)
        (tensor([0.7000, 2.4000]),)

    References:
        Ginsburg et al., *Stochastic Gradient Methods with Layer-wise Adaptive Moments for Training of
        Deep Networks*, 2019, algorithm 1.
    """
    return descend(
        scale_by_novograd(
            betas,
            eps,
            eps_root=eps_root,
            weight_decay=weight_decay,
            moment_requires_grad=moment_requires_grad,
        ),
        lr=lr,
        common=common,
    )
