"""MADGRAD: dual averaging with cube roots."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from torchopt.io.calls import records_call
from torchopt.ops import running_mean, safe_sqrt, sqrt
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import hyperparameters
from torchopt.transform.chaining import GradientTransformation, elementwise


class ScaleByMadgradState(NamedTuple):
    """Sum of all updates so far, weighted sums of gradients and squared gradients, and counters."""

    displacement: Any
    grad_sum: Any
    grad_sum_sq: Any
    count: Any
    step: Any = ()


def _root(t: torch.Tensor, **_: Any) -> dict[str, Any]:
    return {"root": sqrt(t)}


def _madgrad(
    g: torch.Tensor,
    displacement: torch.Tensor,
    grad_sum: torch.Tensor,
    grad_sum_sq: torch.Tensor,
    *,
    lr: Any,
    momentum: Any,
    eps: Any,
    root: Any,
) -> tuple[torch.Tensor, ...]:
    weight = (lr + eps) * root
    grad_sum = grad_sum + weight * g
    grad_sum_sq = grad_sum_sq + weight * (g * g)
    # The cube root of the sum. Its own derivatives at zero would be infinite.
    sigma = safe_sqrt(grad_sum_sq) ** (2 / 3) + eps
    moved = running_mean(displacement, -grad_sum / sigma, momentum)
    return moved - displacement, moved, grad_sum, grad_sum_sq


@records_call
def scale_by_madgrad(
    lr: Hyperparameter, momentum: Hyperparameter = 0.9, eps: Hyperparameter = 1e-6
) -> GradientTransformation:
    r"""Return the steps of MADGRAD: dual averaging with cube roots, and momentum.

    .. math::
        \lambda_t &= (\eta_t + \varepsilon) \sqrt t, \qquad
        s_t = s_{t-1} + \lambda_t g_t, \qquad
        \nu_t = \nu_{t-1} + \lambda_t g_t^2 \\
        d_t &= m \, d_{t-1} - (1 - m) \frac{s_t}{\sqrt[3]{\nu_t} + \varepsilon}, \qquad
        u_t = d_t - d_{t-1}

    The steps have their sign and length: no learning rate follows. The paper keeps the first
    parameters :math:`\theta_0`; the state here keeps :math:`d_t = \theta_t - \theta_0`, the sum of all
    steps, so a transformation after this one leaves the average as it is. The update and its
    derivatives are finite at a zero gradient. NaN in a gradient makes its elements NaN from then on.

    Args:
        lr: Learning rate :math:`\eta_t`, not negative. ``eps`` is added to it, as in the paper's
            implementation.
        momentum: The weight :math:`m` of the parameters in the average, in ``[0, 1)``.
        eps: Added to the cube root, and to the learning rate.

    Returns:
        A gradient transformation. Every hyperparameter may be a number, a schedule, a tensor that
        requires grad, or a tree of these.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch
        >>> tx = scale_by_madgrad(lr=1.0, momentum=0.0)
        >>> g = (torch.tensor([8.0, 0.0]),)
        >>> tx.update(g, tx.init(g))[0]
        (tensor([-2.0000,  0.0000]),)

    References:
        Defazio and Jelassi, *Adaptivity without Compromise: A Momentumized, Adaptive, Dual Averaged
        Gradient Method for Stochastic Optimization*, 2021, algorithm 1.
    """
    hyperparameters.check("lr", lr)
    momentum = hyperparameters.check("momentum", momentum, upper=1.0)
    hyperparameters.check("eps", eps)
    return elementwise(
        _madgrad,
        state=ScaleByMadgradState,
        slots={"displacement": 0.0, "grad_sum": 0.0, "grad_sum_sq": 0.0},
        hyper={"lr": lr, "momentum": momentum, "eps": eps},
        scalars=_root,
    )
