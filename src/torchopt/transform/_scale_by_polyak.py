"""Polyak's step size."""

from __future__ import annotations

from typing import Any, Literal

import torch

from torchopt.io.calls import records_call
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import hyperparameters
from torchopt.transform._prepare import Leaves, by_unit, inner, rescale, unit_of
from torchopt.transform._scale import schedule_states
from torchopt.transform.beyond_elements import reduced
from torchopt.transform.chaining import GradientTransformation


def _step(
    g: Leaves, *, value: Any, f_min: Any, max_learning_rate: Any, eps: Any, least: Any
) -> dict[str, torch.Tensor]:
    divisor = inner(g, g) + eps
    zero = divisor <= torch.finfo(torch.float64).eps
    gap = (torch.zeros_like(divisor) + (value - f_min)).clamp(min=least)
    size = gap / torch.where(zero, 1.0, divisor)
    return by_unit(unit_of(g), torch.where(zero, 0.0, size.clamp(max=max_learning_rate)))


@records_call
def scale_by_polyak(
    f_min: Hyperparameter = 0.0,
    max_learning_rate: Hyperparameter = 1.0,
    *,
    eps: Hyperparameter = 0.0,
    variant: Literal["sps", "sps+"] = "sps",
) -> GradientTransformation:
    r"""Scale updates by Polyak's step size, which the loss and its least value give.

    .. math::
        u = \min\left(\frac{f(\theta) - f_{min}}{\lVert g \rVert^2 + \varepsilon}, \, \gamma\right) g

    with the norm over all leaves. Where its square is below the precision of float64, the update is
    zero, and so is its derivative. The loss is differentiated too, where it has a graph. A NaN in a
    leaf, or in the loss, makes all updates NaN.

    Args:
        f_min: Least value of the loss, or a guess that is smaller.
        max_learning_rate: Largest step size :math:`\gamma`, not negative.
        eps: Added to the squared norm, not negative.
        variant: ``"sps+"`` takes no step where the loss is less than ``f_min``; ``"sps"`` ascends.

    Returns:
        A gradient transformation whose ``update`` reads ``value``, the loss. A hyperparameter may be a
        number, a schedule, or a scalar tensor that requires grad.

    Raises:
        ValueError: If a number is negative that must not be, or the variant is another.

    Example:
        >>> import torch
        >>> tx = scale_by_polyak()
        >>> w = torch.tensor([3.0, 4.0])
        >>> tx.update((2 * w,), tx.init((w,)), value=(w ** 2).sum())[0]
        (tensor([1.5000, 2.0000]),)

    References:
        Loizou et al., *Stochastic Polyak Step-size for SGD*, 2021, equation 3; Garrigos, Gower and
        Schaipp, *Function Value Learning*, 2023, for ``"sps+"``.
    """
    hyperparameters.check("f_min", f_min, lower=None)
    hyperparameters.checked(max_learning_rate=max_learning_rate, eps=eps)
    if variant not in ("sps", "sps+"):
        raise ValueError(f'`variant` is {variant!r}, but it must be "sps" or "sps+".')
    return reduced(
        rescale,
        prepare=_step,
        over="tree",
        state=schedule_states((f_min, max_learning_rate, eps)),
        hyper={
            "f_min": f_min,
            "max_learning_rate": max_learning_rate,
            "eps": eps,
            "least": 0.0 if variant == "sps+" else float("-inf"),
        },
        reads=("value",),
    )
