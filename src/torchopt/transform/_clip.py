"""Clip each element of the updates."""

from __future__ import annotations

from typing import Any

import torch

from torchopt.io.calls import records_call
from torchopt.ops import where
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import hyperparameters
from torchopt.transform._scale import schedule_states
from torchopt.transform.chaining import GradientTransformation, elementwise


def _clip(g: torch.Tensor, *, max_delta: Any) -> tuple[torch.Tensor]:
    # By comparisons, which let NaN pass.
    return (where(g > max_delta, max_delta, where(g < -max_delta, -max_delta, g)),)


@records_call
def clip(max_delta: Hyperparameter) -> GradientTransformation:
    r"""Clip each element of the updates to ``[-max_delta, max_delta]``.

    .. math:: u = \min(\max(g, -c), c)

    as ``torch.nn.utils.clip_grad_value_``. The derivative with respect to an element is 1, or 0 where
    it was clipped; NaN stays NaN.

    Args:
        max_delta: The bound :math:`c`, not negative.

    Returns:
        A gradient transformation.

    Raises:
        ValueError: If ``max_delta`` is negative.

    Example:
        >>> import torch
        >>> tx = clip(1.0)
        >>> g = (torch.tensor([3.0, -0.5, -2.0]),)
        >>> tx.update(g, tx.init(g))[0]
        (tensor([ 1.0000, -0.5000, -1.0000]),)

    References:
        Optax's ``clip``.
    """
    hyperparameters.check("max_delta", max_delta)
    states = schedule_states(max_delta)
    return elementwise(_clip, state=states, hyper={"max_delta": max_delta}, overwrites=True)
