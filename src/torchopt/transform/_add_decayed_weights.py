"""Weight decay."""

from __future__ import annotations

from typing import Any

from torchopt.formula import optimizers
from torchopt.io.calls import records_call
from torchopt.transform import hyperparameters
from torchopt.transform._masked import MaskedState, masked
from torchopt.transform._scale import ScaleByScheduleState, schedule_states
from torchopt.transform.chaining import GradientTransformation, absent, elementwise


@records_call
def add_decayed_weights(weight_decay: Any = 0.0, mask: Any = None) -> GradientTransformation:
    r"""Add the parameters, scaled, to the updates.

    .. math:: u_t = g_t + \lambda \theta_t

    Before an adaptive rescaling this is L2 regularization; after it, decoupled weight decay.

    Args:
        weight_decay: :math:`\lambda`, not negative.
        mask: A tree of booleans with the structure of the parameters, or a function from the
            parameters to one: True where weights decay. By default, everywhere.

    Returns:
        A gradient transformation whose ``update`` needs ``params``; for the number 0 it needs none,
        and changes nothing.

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
        return absent(ScaleByScheduleState, MaskedState)
    decay = elementwise(
        optimizers.decay,
        state=schedule_states(weight_decay),
        hyper={"weight_decay": weight_decay},
        needs_params=True,
        overwrites=True,
    )
    return decay if mask is None else masked(decay, mask)
