"""SM3."""

from __future__ import annotations

from typing_extensions import Unpack

from torchopt.optimizers.descent import Common, descend, optimizer
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import scale_by_sm3
from torchopt.transform.chaining import GradientTransformation


@optimizer
def sm3(
    lr: Hyperparameter = 0.1,
    *,
    momentum: Hyperparameter = 0.9,
    weight_decay: Hyperparameter = 0.0,
    eps: Hyperparameter = 1e-8,
    **common: Unpack[Common],
) -> GradientTransformation:
    r"""SM3: Adagrad with a sum for each row and column instead of each element.

    .. math::
        \theta_t = \theta_{t-1} - \eta u_t

    with :math:`u_t` of :func:`torchopt.transform.scale_by_sm3`. The sums of an ``m`` by ``n`` matrix
    are ``m + n`` numbers.

    A hyperparameter may be a number, a schedule, a tensor (which may require grad), or a tree of
    these with the structure of the parameters. Tensors are scalars for each leaf, but for ``lr`` and
    ``weight_decay``.

    Args:
        lr: Learning rate, not negative.
        momentum: Decay of the momentum :math:`\beta_1`, in [0, 1).
        weight_decay: L2 regularization: added to the gradient, times the parameters.
        eps: Added inside the root.
        maximize: Whether to maximize.
        use_accelerated_op: Whether to use compiled kernels, for weight decay and learning rate; as in
            :func:`torchopt.adam`. The rescaling reads whole leaves, and has none.

    Returns:
        A transformation that matches Optax's ``sm3`` for the same arguments.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch, torchopt
        >>> opt = torchopt.optimizers.sm3(lr=0.5, momentum=0.0)
        >>> params = (torch.tensor([1.0, 2.0]),)
        >>> state = opt.init(params)
        >>> updates, state = opt.update((torch.tensor([1.0, -1.0]),), state, params=params)
        >>> torchopt.apply_updates(params, updates)
        (tensor([0.5000, 2.5000]),)

    References:
        Anil et al., *Memory-Efficient Adaptive Optimization*, 2019.
    """
    return descend(scale_by_sm3(momentum, eps=eps), lr=lr, weight_decay=weight_decay, common=common)
