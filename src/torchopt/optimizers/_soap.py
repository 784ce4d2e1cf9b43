"""SOAP."""

from __future__ import annotations

from typing_extensions import Unpack

from torchopt.optimizers.descent import Common, descend, optimizer
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import scale_by_soap
from torchopt.transform.chaining import GradientTransformation


@optimizer
def soap(
    lr: Hyperparameter = 3e-3,
    betas: tuple[Hyperparameter, Hyperparameter] = (0.95, 0.95),
    *,
    shampoo_beta: Hyperparameter | None = None,
    weight_decay: Hyperparameter = 1e-2,
    precondition_frequency: int = 10,
    max_precondition_dim: int = 10000,
    precondition_1d: bool = False,
    eps: Hyperparameter = 1e-8,
    **common: Unpack[Common],
) -> GradientTransformation:
    r"""SOAP: Adam in the eigenbasis of Shampoo's statistics.

    .. math::
        \theta_t = \theta_{t-1} - \eta (u_t + \lambda \theta_{t-1})

    with :math:`u_t` of :func:`torchopt.transform.scale_by_soap`, which also says what derivatives take
    as constant: the eigenvectors. The first update has weight decay only.

    A hyperparameter may be a number, a schedule, a tensor (which may require grad), or a tree of
    these with the structure of the parameters. Tensors are scalars for each leaf, but for ``lr`` and
    ``weight_decay``.

    Args:
        lr: Learning rate, not negative.
        betas: Decays of the first and second moment, in [0, 1).
        shampoo_beta: Decay of the statistics; None is that of the second moment.
        weight_decay: Decoupled weight decay :math:`\lambda`.
        precondition_frequency: Number of steps from one renewal of the eigenvectors to the next.
        max_precondition_dim: Dimensions of a larger size are not rotated.
        precondition_1d: Whether vectors are rotated, too.
        eps: Added outside the root.
        maximize: Whether to maximize.
        use_accelerated_op: Whether to use compiled kernels where the formula has one, as in
            :func:`torchopt.adam`. The rescaling multiplies matrices, and has none.

    Returns:
        A gradient transformation.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch, torchopt
        >>> opt = torchopt.optimizers.soap(lr=0.5, weight_decay=0.0)
        >>> params = {"w": torch.zeros(2, 2)}
        >>> grads = {"w": torch.tensor([[0.0, 3.0], [4.0, 0.0]])}
        >>> _, state = opt.update(grads, opt.init(params), params=params)
        >>> updates, state = opt.update(grads, state, params=params)
        >>> updates["w"].round(decimals=3)
        tensor([[-0.0000, -0.5000],
                [-0.5000, -0.0000]])

    References:
        Vyas et al., *SOAP: Improving and Stabilizing Shampoo using Adam*, 2024.
    """
    return descend(
        scale_by_soap(
            betas,
            eps,
            shampoo_beta=shampoo_beta,
            precondition_frequency=precondition_frequency,
            max_precondition_dim=max_precondition_dim,
            precondition_1d=precondition_1d,
        ),
        lr=lr,
        decoupled_weight_decay=weight_decay,
        common=common,
    )
