"""COCOB: steps by coin betting."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from torchopt.io.calls import records_call
from torchopt.ops import where
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import hyperparameters
from torchopt.transform.chaining import GradientTransformation, elementwise


class ScaleByCocobState(NamedTuple):
    """Sum of all updates so far, the bettor's sums, and a counter if there is a schedule."""

    displacement: Any
    cumulative_gradients: Any
    scale: Any
    subgradients: Any
    reward: Any
    step: Any = ()


def _cocob(
    g: torch.Tensor,
    displacement: torch.Tensor,
    cumulative_gradients: torch.Tensor,
    scale: torch.Tensor,
    subgradients: torch.Tensor,
    reward: torch.Tensor,
    *,
    alpha: Any,
) -> tuple[torch.Tensor, ...]:
    size = g.abs()
    scale = scale.maximum(size)
    subgradients = subgradients + size
    reward = (reward - g * displacement).clamp(min=0.0)
    cumulative_gradients = cumulative_gradients - g
    bound = (subgradients + scale).maximum(alpha * scale)
    # The initial scale may be zero.
    bet = cumulative_gradients / where(bound > 0, bound, 1.0)
    moved = bet * (1 + reward / where(scale > 0, scale, 1.0))
    return moved - displacement, moved, cumulative_gradients, scale, subgradients, reward


@records_call
def scale_by_cocob(
    alpha: Hyperparameter = 100.0, eps: Hyperparameter = 1e-8
) -> GradientTransformation:
    r"""Return the steps of COCOB, which bets on the sign of each gradient.

    .. math::
        L_t &= \max(L_{t-1}, |g_t|), \qquad G_t = G_{t-1} + |g_t| \\
        R_t &= \max(R_{t-1} - g_t d_{t-1}, 0), \qquad C_t = C_{t-1} - g_t \\
        d_t &= \frac{C_t}{L_t \max(G_t + L_t, \alpha L_t)} (L_t + R_t), \qquad
        u_t = d_t - d_{t-1}, \qquad L_0 = \varepsilon

    The steps have their sign and length: no learning rate follows. The paper keeps the first
    parameters :math:`\theta_0`; the state here keeps :math:`d_t = \theta_t - \theta_0`, the sum of all
    steps, so a transformation after this one leaves the bets as they are. The update has kinks at the
    maxima. NaN in a gradient makes its elements NaN from then on.

    Args:
        alpha: Bounds the bets of the first steps: the larger, the smaller they are.
        eps: Initial scale of the gradients :math:`L_0`. It bounds the first bets on tiny gradients.

    Returns:
        A gradient transformation. ``alpha`` may be a number, a schedule, a tensor that requires grad,
        or a tree of these; ``eps`` all but a schedule.

    Raises:
        ValueError: If a number is negative.

    Example:
        >>> import torch
        >>> tx = scale_by_cocob()
        >>> g = (torch.tensor([4.0, -3.0, 0.0]),)
        >>> tx.update(g, tx.init(g))[0]
        (tensor([-0.0100,  0.0100,  0.0000]),)

    References:
        Orabona and Tommasi, *Training Deep Networks without Learning Rates Through Coin Betting*,
        2017, algorithm 2.
    """
    hyperparameters.check("alpha", alpha)
    hyperparameters.check("eps", eps, schedules=False)
    return elementwise(
        _cocob,
        state=ScaleByCocobState,
        slots={
            **{"displacement": 0.0, "cumulative_gradients": 0.0, "scale": ("eps", eps)},
            **{"subgradients": 0.0, "reward": 0.0},
        },
        hyper={"alpha": alpha},
    )
