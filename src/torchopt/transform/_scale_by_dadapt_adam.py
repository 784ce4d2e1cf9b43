"""The rescaling of Adam with D-Adaptation."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from torchopt.io.calls import records_call
from torchopt.ops import running_mean, safe_sqrt
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import hyperparameters
from torchopt.transform._prepare import Leaves, total
from torchopt.transform._scale_by_prodigy import rate_of
from torchopt.transform.beyond_elements import reduced
from torchopt.transform.chaining import GradientTransformation


class ScaleByDAdaptAdamState(NamedTuple):
    """Moments, a running mean of steps, the estimated distance, and counters."""

    mu: Any
    nu: Any
    grad_sum: Any
    estim_lr: Any
    numerator: Any
    count: Any
    step: Any = ()


def _estimate(
    g: Leaves,
    p: Leaves,
    mu: Leaves,
    nu: Leaves,
    grad_sum: Leaves,
    *,
    estim_lr: torch.Tensor,
    numerator: torch.Tensor,
    lr: Any,
    b1: Any,
    b2: Any,
    eps: Any,
    count: Any,
) -> dict[str, torch.Tensor]:
    rate = rate_of(estim_lr, lr, b1, b2, count)
    size = total(
        lambda old, g, rate, decay: running_mean(old, rate * g, decay).abs(),
        *(grad_sum, g),
        **{"rate": rate, "decay": b2**0.5},
    )
    inner = total(lambda g, old, nu, eps: g * old / (safe_sqrt(nu) + eps), g, grad_sum, nu, eps=eps)
    numerator = running_mean(numerator, rate * inner, b2**0.5)
    zero = size == 0
    estimate = numerator / ((1 - b2**0.5) * torch.where(zero, 1.0, size))
    return {
        "numerator": numerator,
        "estim_lr": torch.maximum(estim_lr, torch.where(zero, 0.0, estimate)),
        "rate": rate,
    }


def _adam(
    g: torch.Tensor,
    p: torch.Tensor,
    mu: torch.Tensor,
    nu: torch.Tensor,
    grad_sum: torch.Tensor,
    *,
    rate: Any,
    b1: Any,
    b2: Any,
    eps: Any,
    weight_decay: Any,
) -> tuple[torch.Tensor, ...]:
    scaled = rate * g
    mu, nu = running_mean(mu, scaled, b1), running_mean(nu, g * g, b2)
    grad_sum = running_mean(grad_sum, scaled, b2**0.5)
    return mu / (safe_sqrt(nu) + eps) + rate * weight_decay * p, mu, nu, grad_sum


@records_call
def scale_by_dadapt_adam(
    lr: Hyperparameter = 1.0,
    betas: tuple[Hyperparameter, Hyperparameter] = (0.9, 0.999),
    *,
    eps: Hyperparameter = 1e-8,
    estim_lr0: Hyperparameter = 1e-6,
    weight_decay: Hyperparameter = 0.0,
) -> GradientTransformation:
    r"""Adam with a step size that is estimated by D-Adaptation.

    With :math:`d_0` = ``estim_lr0``, :math:`s_0 = r_0 = 0`, :math:`\gamma = \sqrt{\beta_2}`, and sums
    and norms over all leaves,

    .. math::
        \eta_t &= d_{t-1} \, \eta \, \frac{\sqrt{1 - \beta_2^t}}{1 - \beta_1^t}, \qquad
        r_t = \gamma r_{t-1} + (1 - \gamma) \, \eta_t
            \left\langle g_t, \frac{s_{t-1}}{\sqrt{\nu_{t-1}} + \varepsilon} \right\rangle \\
        \mu_t &= \beta_1 \mu_{t-1} + (1 - \beta_1) \, \eta_t g_t, \qquad
        \nu_t = \beta_2 \nu_{t-1} + (1 - \beta_2) \, g_t^2, \qquad
        s_t = \gamma s_{t-1} + (1 - \gamma) \, \eta_t g_t \\
        d_t &= \max\left(d_{t-1}, \, \frac{r_t}{(1 - \gamma) \lVert s_t \rVert_1}\right), \qquad
        u_t = \frac{\mu_t}{\sqrt{\nu_t} + \varepsilon} + \eta_t \lambda \theta_{t-1}

    The update has the learning rate in it, since the estimate depends on it: chain it with
    ``scale(-1.0)``. At a zero gradient all is finite, and the estimate stays. A NaN in a leaf makes the
    estimate NaN, and all later updates.

    Args:
        lr: Factor :math:`\eta` of the step, not negative: 1, or a schedule whose maximum is 1.
        betas: Decay rates of the first and the second moment, each in ``[0, 1)``.
        eps: Added to the root.
        estim_lr0: Initial estimate :math:`d_0`, smaller than the right one.
        weight_decay: Decoupled weight decay :math:`\lambda`, not negative.

    Returns:
        A gradient transformation whose ``update`` needs ``params``. Every hyperparameter may be a
        number, a schedule, or a scalar tensor that requires grad (``estim_lr0`` is no schedule);
        ``weight_decay`` also a tree of these.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch
        >>> tx = scale_by_dadapt_adam(estim_lr0=0.5)
        >>> p, g = (torch.tensor([1.0, 1.0]),), (torch.tensor([4.0, -2.0]),)
        >>> tx.update(g, tx.init(p), params=p)[0]
        (tensor([ 0.5000, -0.5000]),)

    References:
        Defazio and Mishchenko, *Learning-Rate-Free Learning by D-Adaptation*, 2023, algorithm 5, with
        the bias correction of Optax.
    """
    hyperparameters.check("estim_lr0", estim_lr0, schedules=False)
    return reduced(
        _adam,
        prepare=_estimate,
        over="tree",
        memory={"estim_lr": ("estim_lr0", estim_lr0), "numerator": 0.0},
        state=ScaleByDAdaptAdamState,
        slots={"mu": 0.0, "nu": 0.0, "grad_sum": 0.0},
        hyper=hyperparameters.checked(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay),
        needs_params=True,
    )
