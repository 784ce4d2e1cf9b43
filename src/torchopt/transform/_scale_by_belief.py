"""AdaBelief's rescaling."""

from __future__ import annotations

from typing import Any, NamedTuple

from torchopt.io.calls import records_call
from torchopt.ops import running_mean, safe_sqrt
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import hyperparameters
from torchopt.transform.chaining import GradientTransformation, elementwise


class ScaleByBeliefState(NamedTuple):
    """First moment of the gradient, second moment of its difference from the first, and counters."""

    mu: Any
    nu: Any
    count: Any
    step: Any = ()


def _corrections(t: Any, *, b1: Any, b2: Any, eps: Any, **_: Any) -> dict[str, Any]:
    c1 = 1 - b1**t
    # Both bias corrections are moved into the denominator.
    gain, floor = c1 / (1 - b2**t) ** 0.5, c1 * eps
    return {"gain": gain, "floor": floor, "ahead": c1 / (1 - b1 ** (t + 1))}


def _moments(g: Any, mu: Any, nu: Any, b1: Any, b2: Any, eps_root: Any) -> tuple[Any, Any]:
    mu = running_mean(mu, g, b1)
    surprise = g - mu
    return mu, running_mean(nu, surprise * surprise, b2) + eps_root


def _belief(
    g: Any, mu: Any, nu: Any, *, b1: Any, b2: Any, eps_root: Any, gain: Any, floor: Any, **_: Any
) -> tuple[Any, ...]:
    mu, nu = _moments(g, mu, nu, b1, b2, eps_root)
    return mu / (safe_sqrt(nu) * gain + floor), mu, nu


def _nesterov(
    g: Any,
    mu: Any,
    nu: Any,
    *,
    b1: Any,
    b2: Any,
    eps_root: Any,
    gain: Any,
    floor: Any,
    ahead: Any,
    **_: Any,
) -> tuple[Any, ...]:
    mu, nu = _moments(g, mu, nu, b1, b2, eps_root)
    return running_mean(ahead * mu, g, b1) / (safe_sqrt(nu) * gain + floor), mu, nu


@records_call
def scale_by_belief(
    betas: tuple[Hyperparameter, Hyperparameter] = (0.9, 0.999),
    eps: Hyperparameter = 1e-16,
    *,
    eps_root: Hyperparameter = 1e-16,
    nesterov: bool = False,
) -> GradientTransformation:
    r"""Rescale updates by how far gradients are from their mean.

    .. math::
        \mu_t &= \beta_1 \mu_{t-1} + (1 - \beta_1) g_t, \qquad
        \nu_t = \beta_2 \nu_{t-1} + (1 - \beta_2) (g_t - \mu_t)^2 + \varepsilon_{root} \\
        u_t &= \frac{\hat\mu_t}{\sqrt{\nu_t / (1 - \beta_2^t)} + \varepsilon}, \qquad
        \hat\mu_t = \begin{cases}
            \dfrac{\beta_1 \mu_t}{1 - \beta_1^{t+1}} + \dfrac{(1 - \beta_1) g_t}{1 - \beta_1^t}
                & \text{Nesterov} \\[1ex]
            \mu_t / (1 - \beta_1^t) & \text{otherwise}
        \end{cases}

    The update and its derivatives are finite at a zero gradient, also for ``eps_root=0``. In float32,
    derivatives of second order may overflow with the default ``eps``; use ``eps=1e-8`` there.

    Args:
        betas: Decay rates of the first and the second moment, each in ``[0, 1)``.
        eps: Added outside the root.
        eps_root: Added to the second moment at each update, and so accumulated in it.
        nesterov: Whether to look ahead.

    Returns:
        A transformation that matches Optax's ``scale_by_belief``.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch
        >>> tx = scale_by_belief(betas=(0.5, 0.5), eps=0.0)
        >>> g = (torch.tensor([4.0, 0.0]),)
        >>> tx.update(g, tx.init(g))[0]
        (tensor([2.0000, 0.0000]),)

    References:
        Zhuang et al., *AdaBelief Optimizer*, 2020, algorithm 2. The paper has ``eps=1e-8``; the
        defaults are those of Optax.
    """
    return elementwise(
        _nesterov if nesterov else _belief,
        state=ScaleByBeliefState,
        slots={"mu": 0.0, "nu": 0.0},
        hyper=hyperparameters.checked(betas=betas, eps=eps, eps_root=eps_root),
        scalars=_corrections,
    )
