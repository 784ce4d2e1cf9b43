"""MoMo: momentum with a model of the loss."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from torchopt.io.calls import records_call
from torchopt.ops import running_mean, where
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import hyperparameters
from torchopt.transform._prepare import Leaves, by_unit, inner, unit_of
from torchopt.transform.beyond_elements import reduced
from torchopt.transform.chaining import GradientTransformation


class ScaleByMomoState(NamedTuple):
    """Momentum; means of the loss and of its linear term; the lower bound; and counters."""

    mu: Any
    barf: Any
    gamma: Any
    lb: Any
    count: Any
    step: Any = ()


def _mean(old: Any, new: Any, beta: Any, count: Any) -> Any:
    return where(count > 1, running_mean(old, new, beta), new)


def _model(
    g: Leaves,
    p: Leaves,
    mu: Leaves,
    *,
    barf: torch.Tensor,
    gamma: torch.Tensor,
    lb: torch.Tensor,
    value: Any,
    lr: Any,
    beta: Any,
    lower_bound: Any,
    weight_decay: Any,
    adapt_lower_bound: Any,
    count: Any,
) -> dict[str, Any]:
    mean = [_mean(old, new, beta, count) for old, new in zip(mu, g, strict=True)]
    g_p, mu_p, square = inner(g, p), inner(mean, p), inner(mean, mean)
    barf = _mean(barf, value, beta, count) + torch.zeros_like(barf)
    gamma = _mean(gamma, g_p, beta, count)
    shrink = 1 + lr * weight_decay
    cap = shrink * (barf - gamma) + mu_p
    adapts = adapt_lower_bound > 0
    lowered = torch.where(cap < shrink * lb, (cap / (2 * shrink)).clamp(min=lower_bound), lb)
    lb = where(adapts, lowered, lb)
    # As Optax: no step where the momentum is this small, whatever the dtype.
    zero = square <= torch.finfo(torch.float64).eps
    rate = (cap - shrink * lb).clamp(min=0.0) / torch.where(zero, 1.0, square)
    rate = torch.where(zero, 0.0, rate).clamp(max=lr)
    raised = (barf + mu_p - gamma - rate * square / 2).clamp(min=lower_bound)
    return {
        "barf": barf,
        "gamma": gamma,
        "lb": where(adapts, raised, lb),
        "decay": lr * weight_decay / shrink,
        **by_unit(unit_of(mean), rate),
    }


def _scale(
    g: torch.Tensor,
    p: torch.Tensor,
    mu: torch.Tensor,
    *,
    factor: Any,
    unit: Any,
    decay: Any,
    beta: Any,
    count: Any,
) -> tuple[torch.Tensor, ...]:
    mu = _mean(mu, g, beta, count)
    return factor * (mu / unit) + decay * p, mu


@records_call
def scale_by_momo(
    lr: Hyperparameter = 1.0,
    beta: Hyperparameter = 0.9,
    *,
    lower_bound: Hyperparameter = 0.0,
    weight_decay: Hyperparameter = 0.0,
    adapt_lower_bound: bool = False,
) -> GradientTransformation:
    r"""Momentum, with a step to where a model of the loss reaches its lower bound.

    .. math::
        \mu_t &= \beta \mu_{t-1} + (1 - \beta) g_t, \qquad
        \bar f_t = \beta \bar f_{t-1} + (1 - \beta) f_t(\theta_{t-1}), \qquad
        \gamma_t = \beta \gamma_{t-1} + (1 - \beta) \langle g_t, \theta_{t-1} \rangle \\
        \tau_t &= \min\left(\eta, \frac{\left[(1 + \eta \lambda) (\bar f_t - f_* - \gamma_t)
            + \langle \mu_t, \theta_{t-1} \rangle\right]_+}{\lVert \mu_t \rVert^2}\right), \qquad
        u_t = \tau_t \mu_t + \frac{\eta \lambda}{1 + \eta \lambda} \theta_{t-1}

    with sums over all leaves, and all means equal to their first values at first. The update has the
    learning rate in it: chain it with ``scale(-1.0)``. Where the squared norm of the momentum is
    below the precision of float64, :math:`\tau_t` is zero, and so is its derivative. A NaN in a leaf,
    or in the loss, makes this and all later updates NaN.

    Args:
        lr: Largest step size :math:`\eta`, not negative.
        beta: Decay rate of the means, in ``[0, 1)``.
        lower_bound: Lower bound :math:`f_*` of the loss.
        weight_decay: Decoupled weight decay :math:`\lambda`, not negative.
        adapt_lower_bound: Whether the bound is estimated: ``lower_bound`` is the smallest one then.

    Returns:
        A gradient transformation whose ``update`` needs ``params`` and reads ``value``, the loss. A
        hyperparameter may be a number, a schedule, or a scalar tensor that requires grad
        (the initial bound in the state is no schedule).

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch
        >>> tx = scale_by_momo()
        >>> w = torch.tensor([3.0, 4.0])
        >>> tx.update((2 * w,), tx.init((w,)), params=(w,), value=(w ** 2).sum())[0]
        (tensor([1.5000, 2.0000]),)

    References:
        Schaipp, Ohana, Eickenberg, Defazio and Gower, *MoMo: Momentum Models for Adaptive Learning
        Rates*, 2024, algorithm 1. The estimated bound is that of Optax.
    """
    hyperparameters.check("lr", lr)
    beta = hyperparameters.check("beta", beta, upper=1.0)
    hyperparameters.check("lower_bound", lower_bound, lower=None, schedules=False)
    hyperparameters.check("weight_decay", weight_decay)
    return reduced(
        _scale,
        prepare=_model,
        over="tree",
        memory={"barf": 0.0, "gamma": 0.0, "lb": lower_bound},
        state=ScaleByMomoState,
        slots={"mu": 0.0},
        hyper={
            "lr": lr,
            "beta": beta,
            "lower_bound": lower_bound,
            "weight_decay": weight_decay,
            "adapt_lower_bound": float(adapt_lower_bound),
        },
        needs_params=True,
        reads=("value",),
    )
