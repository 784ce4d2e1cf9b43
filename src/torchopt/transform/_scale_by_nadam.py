"""NAdam's rescaling."""

from __future__ import annotations

from typing import Any, NamedTuple

from torchopt.io.calls import records_call
from torchopt.ops import running_mean, safe_sqrt
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import hyperparameters
from torchopt.transform.chaining import GradientTransformation, elementwise


class ScaleByNAdamState(NamedTuple):
    """First and second moment of the gradient, product of momenta so far, and counters."""

    mu: Any
    nu: Any
    mu_product: Any
    count: Any
    step: Any = ()


def _momenta(t: Any, *, b1: Any, b2: Any, momentum_decay: Any, **_: Any) -> dict[str, Any]:
    now, then = (b1 * (1 - 0.5 * 0.96 ** (k * momentum_decay)) for k in (t, t + 1))
    return {"now": now, "then": then, "c2": 1 - b2**t}


def _nadam(
    g: Any,
    mu: Any,
    nu: Any,
    product: Any,
    *,
    b1: Any,
    b2: Any,
    eps: Any,
    now: Any,
    then: Any,
    c2: Any,
    **_: Any,
) -> tuple[Any, ...]:
    mu, nu, product = running_mean(mu, g, b1), running_mean(nu, g * g, b2), product * now
    ahead = (1 - now) / (1 - product) * g + then / (1 - product * then) * mu
    return ahead / (safe_sqrt(nu) / c2**0.5 + eps), mu, nu, product


@records_call
def scale_by_nadam(
    betas: tuple[Hyperparameter, Hyperparameter] = (0.9, 0.999),
    eps: Hyperparameter = 1e-8,
    momentum_decay: Hyperparameter = 4e-3,
) -> GradientTransformation:
    r"""Rescale updates by Adam's moments, with Nesterov momentum that grows.

    .. math::
        m_t &= \beta_1 \left(1 - \tfrac12 0.96^{t \psi}\right), \qquad
        P_t = \prod_{i=1}^t m_i \\
        u_t &= \left(\frac{1 - m_t}{1 - P_t} g_t + \frac{m_{t+1}}{1 - P_{t+1}} \mu_t\right) \Big/
            \left(\sqrt{\nu_t / (1 - \beta_2^t)} + \varepsilon\right)

    with the moments :math:`\mu_t` and :math:`\nu_t` of :func:`scale_by_adam`.

    For ``momentum_decay=math.inf`` the momentum is :math:`\beta_1` from the start: these are the
    numbers of Optax's ``scale_by_adam(nesterov=True)``.

    Args:
        betas: Decay rates of the first and the second moment, each in ``[0, 1)``.
        eps: Added outside the root.
        momentum_decay: :math:`\psi`, not negative.

    Returns:
        A gradient transformation. Its state has three tensors for each parameter; the product of
        momenta is kept for each element, so that decay rates may differ between elements and steps.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch
        >>> tx = scale_by_nadam()
        >>> g = (torch.tensor([4.0, 0.0]),)
        >>> tx.update(g, tx.init(g))[0]
        (tensor([1.0565, 0.0000]),)

    References:
        Dozat, *Incorporating Nesterov Momentum into Adam*, 2016, with the growing momentum of
        ``torch.optim.NAdam``.
    """
    return elementwise(
        _nadam,
        state=ScaleByNAdamState,
        slots={"mu": 0.0, "nu": 0.0, "mu_product": 1.0},
        hyper=hyperparameters.checked(betas=betas, eps=eps, momentum_decay=momentum_decay),
        scalars=_momenta,
    )
