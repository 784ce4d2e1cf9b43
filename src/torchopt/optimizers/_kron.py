"""Kron: preconditioned stochastic gradient descent with Kronecker factors."""

from __future__ import annotations

from typing_extensions import Unpack

from torchopt.optimizers.descent import Common, descend, optimizer
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import clip_by_block_rms, ema, scale_by_kron
from torchopt.transform.chaining import GradientTransformation


@optimizer
def kron(
    lr: Hyperparameter = 1e-3,
    *,
    momentum: Hyperparameter = 0.9,
    weight_decay: Hyperparameter = 0.0,
    precondition_lr: Hyperparameter = 0.1,
    bound_decay: Hyperparameter = 0.9,
    damping: Hyperparameter = 1e-9,
    max_update_rms: Hyperparameter = 1.1,
    precondition_frequency: int = 1,
    max_precondition_dim: int = 8192,
    precondition_1d: bool = False,
    precondition_init_scale: float = 1.0,
    **common: Unpack[Common],
) -> GradientTransformation:
    r"""Kron: preconditioned stochastic gradient descent (PSGD) with Kronecker factors.

    .. math::
        m_t = \beta m_{t-1} + (1 - \beta) g_t, \qquad
        u_t = P_t \frac{m_t}{1 - \beta^t}, \qquad
        \theta_t = \theta_{t-1} - \eta \Big(
            \frac{u_t}{\max(1, \operatorname{rms}(u_t) / c)} + \lambda \theta_{t-1} \Big)

    with :math:`P_t` of :func:`torchopt.transform.scale_by_kron`, fitted so that the elements of
    :math:`u_t` are uncorrelated and have variance 1, and the root mean square of each leaf. It needs
    gradients only, and no inverses of matrices. Steps have a size of about :math:`\eta` for each
    element, so lower the learning rate towards the end.

    A hyperparameter may be a number, a schedule, a tensor (which may require grad), or a tree of
    these with the structure of the parameters. Tensors are scalars for each leaf, but for ``lr``,
    ``momentum`` and ``weight_decay``.

    Args:
        lr: Learning rate, not negative.
        momentum: Decay :math:`\beta` of the mean of gradients, in [0, 1).
        weight_decay: Decoupled weight decay :math:`\lambda`.
        precondition_lr: Step size of the fit.
        bound_decay: Decay of the bounds that divide this step size.
        damping: Size of the gradients below which updates become small.
        max_update_rms: Bound :math:`c` on the root mean square of a leaf's updates.
        precondition_frequency: Number of steps from one fit to the next.
        max_precondition_dim: Dimensions of a larger size have a diagonal factor.
        precondition_1d: Whether vectors have a matrix, too.
        precondition_init_scale: The first factors are this multiple of the identity.
        maximize: Whether to maximize.
        use_accelerated_op: Whether to use compiled kernels where the formula has one, as in
            :func:`torchopt.adam`. The rescaling multiplies matrices, and has none.

    Returns:
        A gradient transformation.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch, torchopt
        >>> opt = torchopt.optimizers.kron(lr=0.5)
        >>> params = {"w": torch.zeros(2, 2)}
        >>> grads = {"w": torch.tensor([[0.0, 3.0], [4.0, 0.0]])}
        >>> state = opt.init(params)
        >>> for _ in range(100):
        ...     updates, state = opt.update(grads, state, params=params)
        >>> updates["w"].round(decimals=3) + 0.0
        tensor([[ 0.0000, -0.7070],
                [-0.7070,  0.0000]])

    References:
        Li, *Preconditioned Stochastic Gradient Descent*, 2015, and *Stochastic Hessian Fittings with
        Lie Groups*, 2024. Momentum and the bound on updates are those of
        https://github.com/evanatyourservice/kron_torch.
    """
    return descend(
        ema(momentum),
        scale_by_kron(
            precondition_lr,
            bound_decay,
            damping=damping,
            precondition_frequency=precondition_frequency,
            max_precondition_dim=max_precondition_dim,
            precondition_1d=precondition_1d,
            precondition_init_scale=precondition_init_scale,
        ),
        clip_by_block_rms(max_update_rms),
        lr=lr,
        decoupled_weight_decay=weight_decay,
        common=common,
    )
