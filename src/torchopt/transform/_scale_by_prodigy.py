"""Prodigy's rescaling."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from torchopt.io.calls import Partial, records_call
from torchopt.ops import running_mean, safe_sqrt, sqrt, where
from torchopt.pytree import flattening as pytree
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import hyperparameters
from torchopt.transform._prepare import Leaves, total
from torchopt.transform.beyond_elements import reduced
from torchopt.transform.chaining import GradientTransformation


class ScaleByProdigyState(NamedTuple):
    """Moments, sums of gradients, initial parameters, the estimated distance, and counters."""

    mu: Any
    nu: Any
    grad_sum: Any
    start: Any
    estim_lr: Any
    numerator: Any
    count: Any
    step: Any = ()


def _start(p: torch.Tensor) -> torch.Tensor:
    return p.clone()


def rate_of(estim_lr: Any, lr: Any, b1: Any, b2: Any, count: Any) -> Any:
    return estim_lr * lr * sqrt(1 - b2**count) / (1 - b1**count)


def _add(grad_sum: Any, g: Any, beta3: Any, growth: Any, scale: Any) -> Any:
    return beta3 * grad_sum + growth * scale * g


def _estimate(
    g: Leaves,
    p: Leaves,
    mu: Leaves,
    nu: Leaves,
    grad_sum: Leaves,
    start: Leaves,
    *,
    estim_lr: torch.Tensor,
    numerator: torch.Tensor,
    lr: Any,
    b1: Any,
    b2: Any,
    beta3: Any,
    estim_lr0: Any,
    estim_lr_coef: Any,
    safeguard_warmup: Any,
    count: Any,
) -> dict[str, torch.Tensor]:
    rate = rate_of(estim_lr, lr, b1, b2, count)
    growth = where(safeguard_warmup > 0, estim_lr, rate)
    scale = estim_lr / estim_lr0
    inner = total(lambda g, p, start: g * (start - p), g, p, start)
    size = total(
        lambda *sums, **numbers: _add(*sums, **numbers).abs(),
        *(grad_sum, g),
        **{"beta3": beta3, "growth": growth, "scale": scale},
    )
    numerator = beta3 * numerator + scale * rate * inner
    zero = size == 0
    estimate = estim_lr_coef * numerator / torch.where(zero, 1.0, size)
    return {
        "numerator": numerator,
        "estim_lr": torch.maximum(estim_lr, torch.where(zero, 0.0, estimate)),
        "previous": estim_lr,
        "rate": rate,
        "growth": growth,
    }


def _prodigy(
    g: torch.Tensor,
    p: torch.Tensor,
    mu: torch.Tensor,
    nu: torch.Tensor,
    grad_sum: torch.Tensor,
    start: torch.Tensor,
    *,
    estim_lr: Any,
    previous: Any,
    rate: Any,
    growth: Any,
    b1: Any,
    b2: Any,
    beta3: Any,
    eps: Any,
    estim_lr0: Any,
    weight_decay: Any,
) -> tuple[torch.Tensor, ...]:
    scaled = previous * g
    mu, nu = running_mean(mu, scaled, b1), running_mean(nu, scaled * scaled, b2)
    grad_sum = _add(grad_sum, g, beta3, growth, previous / estim_lr0)
    u = rate * (mu / (safe_sqrt(nu) + estim_lr * eps) + weight_decay * p)
    return u, mu, nu, grad_sum, start


def _root(rate: Any) -> Any:
    return Partial(_root_at, rate) if callable(rate) else rate**0.5


def _root_at(schedule: Any, count: Any) -> Any:
    return schedule(count) ** 0.5


@records_call
def scale_by_prodigy(
    lr: Hyperparameter = 1.0,
    betas: tuple[Hyperparameter, Hyperparameter] = (0.9, 0.999),
    *,
    beta3: Hyperparameter | None = None,
    eps: Hyperparameter = 1e-8,
    estim_lr0: Hyperparameter = 1e-6,
    estim_lr_coef: Hyperparameter = 1.0,
    weight_decay: Hyperparameter = 0.0,
    safeguard_warmup: bool = False,
) -> GradientTransformation:
    r"""Adam with a step size that is estimated from how far the parameters have come.

    With :math:`d_0` = ``estim_lr0``, :math:`s_0 = r_0 = 0`, and sums and norms over all leaves,

    .. math::
        \eta_t &= d_{t-1} \, \eta \, \frac{\sqrt{1 - \beta_2^t}}{1 - \beta_1^t} \\
        \mu_t &= \beta_1 \mu_{t-1} + (1 - \beta_1) \, d_{t-1} g_t, \qquad
        \nu_t = \beta_2 \nu_{t-1} + (1 - \beta_2) \, d_{t-1}^2 g_t^2 \\
        r_t &= \beta_3 r_{t-1}
            + \frac{d_{t-1}}{d_0} \eta_t \, \langle g_t, \theta_0 - \theta_{t-1} \rangle, \qquad
        s_t = \beta_3 s_{t-1} + \frac{d_{t-1}}{d_0} \eta_t \, g_t \\
        d_t &= \max\left(d_{t-1}, \, c \, \frac{r_t}{\lVert s_t \rVert_1}\right), \qquad
        u_t = \eta_t \left( \frac{\mu_t}{\sqrt{\nu_t} + d_t \varepsilon} + \lambda \theta_{t-1} \right)

    The update has the learning rate in it, since the estimate depends on it: chain it with
    ``scale(-1.0)``. At a zero gradient all is finite, and the estimate stays. A NaN in a leaf makes the
    estimate NaN, and all later updates.

    Args:
        lr: Factor :math:`\eta` of the step, not negative: 1, or a schedule whose maximum is 1.
        betas: Decay rates of the first and the second moment, each in ``[0, 1)``.
        beta3: Decay rate :math:`\beta_3` of the sums; by default, the root of ``betas[1]``.
        eps: Added to the root, times the estimate.
        estim_lr0: Initial estimate :math:`d_0`, smaller than the right one.
        estim_lr_coef: Factor :math:`c` of the estimates.
        weight_decay: Decoupled weight decay :math:`\lambda`, not negative.
        safeguard_warmup: Whether :math:`d_{t-1}` takes the place of :math:`\eta_t` in :math:`s_t`, for
            learning rates that begin near zero.

    Returns:
        A gradient transformation whose ``update`` needs ``params``; it remembers the parameters that
        ``init`` was given. Every hyperparameter may be a number, a schedule, or a scalar tensor that
        requires grad (``estim_lr0`` is no schedule); ``eps`` and ``weight_decay`` also a tree of these.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch
        >>> tx = scale_by_prodigy(estim_lr0=0.5)
        >>> p, g = (torch.tensor([1.0, 1.0]),), (torch.tensor([4.0, -2.0]),)
        >>> tx.update(g, tx.init(p), params=p)[0]
        (tensor([ 0.5000, -0.5000]),)

    References:
        Mishchenko and Defazio, *Prodigy*, 2024, algorithm 4, with the bias correction of Optax.
    """
    hyper = hyperparameters.checked(lr=lr, betas=betas)
    if beta3 is None:
        beta3 = pytree.map_leaves(_root, hyper["b2"])
    hyper["beta3"] = hyperparameters.check("beta3", beta3, upper=1.0)
    hyper |= hyperparameters.checked(eps=eps)
    hyperparameters.check("estim_lr0", estim_lr0, schedules=False)
    hyper |= hyperparameters.checked(estim_lr_coef=estim_lr_coef, weight_decay=weight_decay)
    return reduced(
        _prodigy,
        prepare=_estimate,
        over="tree",
        memory={"estim_lr": ("estim_lr0", estim_lr0), "numerator": 0.0},
        state=ScaleByProdigyState,
        slots={"mu": 0.0, "nu": 0.0, "grad_sum": 0.0, "start": _start},
        hyper=hyper | {"estim_lr0": estim_lr0, "safeguard_warmup": float(safeguard_warmup)},
        needs_params=True,
    )
