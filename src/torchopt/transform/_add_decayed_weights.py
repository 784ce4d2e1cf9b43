"""Weight decay."""

from __future__ import annotations

from typing import Any

from torchopt.formula import optimizers
from torchopt.transform import hyperparameters
from torchopt.transform._masked import masked
from torchopt.transform._scale import ScaleByScheduleState
from torchopt.transform.chaining import EmptyState, GradientTransformation, elementwise, identity

__all__ = ["add_decayed_weights"]


def add_decayed_weights(weight_decay: Any = 0.0, mask: Any = None) -> GradientTransformation:
    r"""Add the parameters, scaled, to the updates.

    .. math:: u_t = g_t + \lambda \theta_t

    Before an adaptive rescaling this is L2 regularization; after it, decoupled weight decay.

    Args:
        weight_decay: :math:`\lambda`, not negative.
        mask: A tree of booleans with the structure of the parameters, or a function from the
            parameters to one: True where weights decay. By default, everywhere.

    Returns:
        A gradient transformation whose ``update`` needs ``params``; the identity for the number 0.

    Raises:
        ValueError: If ``weight_decay`` is negative.

    Example:
        >>> import torch
        >>> tx = add_decayed_weights(0.1)
        >>> p, g = (torch.tensor([10.0]),), (torch.tensor([1.0]),)
        >>> tx.update(g, tx.init(p), params=p)[0]
        (tensor([2.]),)

    References:
        Loshchilov and Hutter, *Decoupled Weight Decay Regularization*, 2019.
    """
    hyperparameters.check("weight_decay", weight_decay)
    if hyperparameters.is_zero(weight_decay):
        return identity()
    decay = elementwise(
        optimizers.decay,
        state=ScaleByScheduleState if hyperparameters.has_schedule(weight_decay) else EmptyState,
        hyper={"weight_decay": weight_decay},
        needs_params=True,
    )
    return decay if mask is None else masked(decay, mask)
