"""Adam's rescaling."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from torchopt.formula import optimizers
from torchopt.io.calls import takes_b1_b2
from torchopt.ops import running_mean, safe_sqrt
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import hyperparameters
from torchopt.transform.chaining import GradientTransformation, elementwise


class ScaleByAdamState(NamedTuple):
    """First and second moment of the gradient, and counters."""

    mu: Any
    nu: Any
    count: Any
    step: Any = ()


class ScaleByAmsgradState(NamedTuple):
    """First and second moment, the largest second moment so far, and counters."""

    mu: Any
    nu: Any
    nu_max: Any
    count: Any
    step: Any = ()


def bias_corrections(
    t: torch.Tensor, *, b1: Any, b2: Any, eps: Any, eps_root: Any
) -> dict[str, Any]:
    """Return the scalars of :func:`torchopt.formula.optimizers.adam`."""
    c1, c2 = 1 - b1**t, 1 - b2**t
    return {"gain": c1 / c2**0.5, "floor": c1 * eps, "shift": c2 * eps_root}


def _corrections_ahead(t: torch.Tensor, *, b1: Any, b2: Any, **_: Any) -> dict[str, Any]:
    return {"c1": 1 - b1**t, "next_c1": 1 - b1 ** (t + 1), "c2": 1 - b2**t}


def _nesterov(
    g: torch.Tensor,
    mu: torch.Tensor,
    nu: torch.Tensor,
    *,
    b1: Any,
    b2: Any,
    eps: Any,
    eps_root: Any,
    c1: Any,
    next_c1: Any,
    c2: Any,
) -> tuple[torch.Tensor, ...]:
    mu, nu = running_mean(mu, g, b1), running_mean(nu, g * g, b2)
    # Numbers first: one over them may be large.
    ahead = b1 / next_c1 * mu + (1 - b1) / c1 * g
    return ahead / (safe_sqrt(nu / c2 + eps_root) + eps), mu, nu


@takes_b1_b2
def scale_by_adam(
    betas: tuple[Hyperparameter, Hyperparameter] = (0.9, 0.999),
    eps: Hyperparameter = 1e-8,
    eps_root: Hyperparameter = 0.0,
    moment_requires_grad: bool = False,
    *,
    nesterov: bool = False,
) -> GradientTransformation:
    r"""Rescale updates by Adam's moments.

    .. math::
        \mu_t &= \beta_1 \mu_{t-1} + (1 - \beta_1) g_t, \qquad
        \nu_t = \beta_2 \nu_{t-1} + (1 - \beta_2) g_t^2 \\
        u_t &= \frac{\mu_t / (1 - \beta_1^t)}
            {\sqrt{\nu_t / (1 - \beta_2^t) + \varepsilon_{root}} + \varepsilon}

    and with ``nesterov``, as in Optax,

    .. math::
        u_t = \frac{\beta_1 \mu_t / (1 - \beta_1^{t+1}) + (1 - \beta_1) g_t / (1 - \beta_1^t)}
            {\sqrt{\nu_t / (1 - \beta_2^t) + \varepsilon_{root}} + \varepsilon}

    The update and its derivatives are finite at a zero gradient and a zero second moment.

    Args:
        betas: Decay rates of the first and the second moment, each in ``[0, 1)``.
        eps: Added outside the root.
        eps_root: Added inside the root.
        moment_requires_grad: Whether the initial moments require grad.
        nesterov: Whether to look ahead.

    Returns:
        A gradient transformation. Every hyperparameter may be a number, a schedule, a tensor that
        requires grad, or a tree of these.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch
        >>> tx = scale_by_adam()
        >>> g = (torch.tensor([4.0, 0.0]),)
        >>> tx.update(g, tx.init(g))[0]
        (tensor([1.0000, 0.0000]),)

    References:
        Kingma and Ba, *Adam*, 2015, algorithm 1. Dozat, *Incorporating Nesterov Momentum into Adam*,
        2016, algorithm 2, without a decay rate that depends on the step.
    """
    return elementwise(
        _nesterov if nesterov else optimizers.adam,
        state=(ScaleByAdamState, ScaleByAmsgradState),
        slots={"mu": 0.0, "nu": 0.0},
        hyper=hyperparameters.checked(betas=betas, eps=eps, eps_root=eps_root),
        scalars=_corrections_ahead if nesterov else bias_corrections,
        slots_require_grad=moment_requires_grad,
    )
