"""Shampoo."""

from __future__ import annotations

from typing_extensions import Unpack

from torchopt.optimizers.descent import Common, descend, optimizer
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import scale_by_shampoo, trace
from torchopt.transform.chaining import GradientTransformation


@optimizer
def shampoo(
    lr: Hyperparameter = 1e-3,
    *,
    momentum: Hyperparameter = 0.0,
    weight_decay: Hyperparameter = 0.0,
    preconditioning_compute_steps: int = 1,
    matrix_eps: Hyperparameter = 1e-6,
    **common: Unpack[Common],
) -> GradientTransformation:
    r"""Shampoo: gradients multiplied from each side by inverse roots of their sums of squares.

    .. math::
        b_t = \mu b_{t-1} + u_t, \qquad \theta_t = \theta_{t-1} - \eta b_t

    with :math:`u_t` of :func:`torchopt.transform.scale_by_shampoo`, which says what a step takes. For
    matrices of up to some thousand rows and columns.

    A hyperparameter may be a number, a schedule, a tensor (which may require grad), or a tree of
    these with the structure of the parameters. A tensor for ``matrix_eps`` is a scalar for each leaf.

    Args:
        lr: Learning rate, not negative.
        momentum: Decay :math:`\mu` of the sum of preconditioned gradients.
        weight_decay: L2 regularization: added to the gradient, times the parameters.
        preconditioning_compute_steps: Number of steps from one computation of the roots to the next.
        matrix_eps: Multiple of the identity that is added to the sums, positive.
        maximize: Whether to maximize.
        use_accelerated_op: Whether to use compiled kernels where the formula has one, as in
            :func:`torchopt.adam`. Roots are matrix products, and have none.

    Returns:
        A gradient transformation.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch, torchopt
        >>> opt = torchopt.optimizers.shampoo(lr=0.5)
        >>> params = {"w": torch.zeros(2, 2)}
        >>> state = opt.init(params)
        >>> grads = {"w": torch.tensor([[0.0, 3.0], [4.0, 0.0]])}
        >>> updates, state = opt.update(grads, state, params=params)
        >>> updates["w"].abs().round(decimals=3)
        tensor([[0.0000, 0.5000],
                [0.5000, 0.0000]])

    References:
        Gupta, Koren and Singer, *Shampoo: Preconditioned Stochastic Tensor Optimization*, 2018.
    """
    return descend(
        scale_by_shampoo(matrix_eps, preconditioning_compute_steps),
        trace(momentum),
        lr=lr,
        weight_decay=weight_decay,
        common=common,
    )
