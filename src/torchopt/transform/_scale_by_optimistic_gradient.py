"""Optimistic gradients."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from torchopt.io.calls import records_call
from torchopt.ops import where
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import hyperparameters
from torchopt.transform.chaining import GradientTransformation, elementwise


class ScaleByOptimisticGradientState(NamedTuple):
    """The update that was given last, and counters."""

    previous_gradient: Any
    count: Any
    step: Any = ()


def _optimistic(
    g: torch.Tensor, previous: torch.Tensor, *, alpha: Any, beta: Any, first: Any
) -> tuple[torch.Tensor, ...]:
    u = alpha * g + beta * (g - where(first, g, previous))
    return u, 1 * g  # a copy, so that the caller may write into the gradient


@records_call
def scale_by_optimistic_gradient(
    alpha: Hyperparameter = 1.0, beta: Hyperparameter = 1.0
) -> GradientTransformation:
    r"""Extrapolate updates from the last one to the next.

    .. math:: u_t = (\alpha + \beta) g_t - \beta g_{t-1}, \qquad g_0 = g_1

    Args:
        alpha: Weight of the gradient :math:`\alpha`.
        beta: Weight of the extrapolation :math:`\beta`, a negative momentum.

    Returns:
        A gradient transformation. Every hyperparameter may be a number, a schedule, a tensor that
        requires grad, or a tree of these.

    Example:
        >>> import torch
        >>> tx = scale_by_optimistic_gradient()
        >>> first, second = (torch.tensor([4.0]),), (torch.tensor([3.0]),)
        >>> _, state = tx.update(first, tx.init(first))
        >>> tx.update(second, state)[0]
        (tensor([2.]),)

    References:
        Mokhtari, Ozdaglar and Pattathil, *A Unified Analysis of Extra-gradient and Optimistic
        Gradient Methods for Saddle Point Problems*, 2020, equation 6.
    """
    hyperparameters.check("alpha", alpha, lower=None)
    hyperparameters.check("beta", beta, lower=None)
    return elementwise(
        _optimistic,
        state=ScaleByOptimisticGradientState,
        slots={"previous_gradient": 0.0},
        hyper={"alpha": alpha, "beta": beta},
        scalars=hyperparameters.first,
    )
