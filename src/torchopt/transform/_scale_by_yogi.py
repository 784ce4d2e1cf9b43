"""Yogi's rescaling."""

from __future__ import annotations

from typing import Any, NamedTuple

from torchopt.formula import squarable
from torchopt.io.calls import records_call
from torchopt.ops import running_mean, safe_sqrt, smooth_sign
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import hyperparameters
from torchopt.transform._scale_by_adam import bias_corrections
from torchopt.transform.chaining import GradientTransformation, elementwise


class ScaleByYogiState(NamedTuple):
    """First and second moment of the gradient, and counters."""

    mu: Any
    nu: Any
    count: Any
    step: Any = ()


def _corrections(t: Any, *, smooth: Any = None, **hyper: Any) -> dict[str, Any]:
    return bias_corrections(t, **hyper)


def _yogi(
    g: Any,
    mu: Any,
    nu: Any,
    *,
    b1: Any,
    b2: Any,
    gain: Any,
    floor: Any,
    shift: Any,
    smooth: Any = None,
    **_: Any,
) -> tuple[Any, ...]:
    g = squarable(g)
    square = g * g
    mu = running_mean(mu, g, b1)
    nu = nu - (1 - b2) * smooth_sign(nu - square, smooth) * square
    return mu / (safe_sqrt(nu + shift) * gain + floor), mu, nu


@records_call
def scale_by_yogi(
    betas: tuple[Hyperparameter, Hyperparameter] = (0.9, 0.999),
    eps: Hyperparameter = 1e-3,
    *,
    eps_root: Hyperparameter = 0.0,
    initial_accumulator_value: Hyperparameter = 1e-6,
    smooth: Hyperparameter | None = None,
) -> GradientTransformation:
    r"""Rescale updates by Adam's moments, with a second moment that changes slowly.

    .. math::
        \mu_t &= \beta_1 \mu_{t-1} + (1 - \beta_1) g_t, \qquad
        \nu_t = \nu_{t-1} - (1 - \beta_2) \operatorname{sign}(\nu_{t-1} - g_t^2) \, g_t^2 \\
        u_t &= \frac{\mu_t / (1 - \beta_1^t)}
            {\sqrt{\nu_t / (1 - \beta_2^t) + \varepsilon_{root}} + \varepsilon}

    Gradients whose squares overflow count as the largest that do not. The second moment jumps where
    :math:`g_t^2 = \nu_{t-1}`; derivatives are those of either side. With
    ``smooth=w`` the sign is :math:`\tanh(\cdot / w)`, which is differentiable and whose limit for
    :math:`w \to 0` is the sign.

    Args:
        betas: Decay rates of the first and the second moment, each in ``[0, 1)``.
        eps: Added outside the root.
        eps_root: Added inside the root.
        initial_accumulator_value: Initial value of both moments, as in Optax.
        smooth: Width of the smooth sign, in the unit of squared gradients. None (the default) is the
            sign.

    Returns:
        A transformation that matches Optax's ``scale_by_yogi``.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch
        >>> tx = scale_by_yogi(eps=0.0, initial_accumulator_value=0.0)
        >>> g = (torch.tensor([4.0, 0.0]),)
        >>> tx.update(g, tx.init(g))[0]
        (tensor([1.0000, 0.0000]),)

    References:
        Zaheer et al., *Adaptive Methods for Nonconvex Optimization*, 2018, algorithm 2.
    """
    hyper = hyperparameters.checked(betas=betas, eps=eps, eps_root=eps_root)
    hyperparameters.check("initial_accumulator_value", initial_accumulator_value, schedules=False)
    initial = ("initial_accumulator_value", initial_accumulator_value)
    return elementwise(
        _yogi,
        state=ScaleByYogiState,
        slots={"mu": initial, "nu": initial},
        hyper=hyper | hyperparameters.smoothing(smooth),
        scalars=_corrections,
    )
