"""RMSprop's rescaling, plain and centered."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from torchopt.formula import optimizers
from torchopt.io.calls import records_call
from torchopt.ops import running_mean, safe_sqrt
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import hyperparameters
from torchopt.transform.chaining import GradientTransformation, elementwise


class ScaleByRmsState(NamedTuple):
    """Mean squared gradient, and a counter if there is a schedule."""

    nu: Any
    step: Any = ()


class ScaleByCorrectedRmsState(NamedTuple):
    """Mean squared gradient, and counters."""

    nu: Any
    count: Any
    step: Any = ()


class ScaleByRStdDevState(NamedTuple):
    """Mean gradient, mean squared gradient, and a counter if there is a schedule."""

    mu: Any
    nu: Any
    step: Any = ()


def _correction(t: torch.Tensor, *, alpha: Any, **_: Any) -> dict[str, Any]:
    return {"correction": 1 - alpha**t}


def _corrected(
    g: torch.Tensor, nu: torch.Tensor, *, alpha: Any, eps: Any, correction: Any
) -> tuple[torch.Tensor, ...]:
    nu = running_mean(nu, g * g, alpha)
    return g / (safe_sqrt(nu / correction) + eps), nu


@records_call
def scale_by_rms(
    alpha: Hyperparameter = 0.9,
    eps: Hyperparameter = 1e-8,
    initial_scale: Hyperparameter = 0.0,
    *,
    bias_correction: bool = False,
) -> GradientTransformation:
    r"""Divide updates by the running root mean square of the gradient.

    .. math::
        \nu_t = \alpha \nu_{t-1} + (1 - \alpha) g_t^2, \qquad
        u_t = \frac{g_t}{\sqrt{\nu_t} + \varepsilon}

    Optax adds :math:`\varepsilon` inside the root, unless ``eps_in_sqrt=False`` is given there.

    Args:
        alpha: Decay rate, in ``[0, 1)``.
        eps: Added outside the root.
        initial_scale: Initial value of the mean square.
        bias_correction: Whether to divide the mean square by :math:`1 - \alpha^t`: Adam without
            momentum.

    Returns:
        A gradient transformation.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch
        >>> tx = scale_by_rms(alpha=0.75)
        >>> g = (torch.tensor([0.0, -4.0]),)
        >>> tx.update(g, tx.init(g))[0]
        (tensor([ 0., -2.]),)

    References:
        Tieleman and Hinton, *Lecture 6.5: RMSProp*, 2012.
    """
    alpha = hyperparameters.check("alpha", alpha, upper=1.0)
    hyperparameters.check("eps", eps)
    hyperparameters.check("initial_scale", initial_scale, schedules=False)
    return elementwise(
        _corrected if bias_correction else optimizers.rms,
        state=(
            ScaleByCorrectedRmsState if bias_correction else ScaleByRmsState,
            ScaleByRStdDevState,
        ),
        slots={"nu": ("initial_scale", initial_scale)},
        hyper={"alpha": alpha, "eps": eps},
        scalars=_correction if bias_correction else None,
        overwrites=True,
    )


@records_call
def scale_by_stddev(
    alpha: Hyperparameter = 0.9, eps: Hyperparameter = 1e-8, initial_scale: Hyperparameter = 0.0
) -> GradientTransformation:
    r"""Divide updates by the running standard deviation of the gradient (centered RMSprop).

    .. math::
        \mu_t = \alpha \mu_{t-1} + (1 - \alpha) g_t, \qquad
        \nu_t = \alpha \nu_{t-1} + (1 - \alpha) g_t^2, \qquad
        u_t = \frac{g_t}{\sqrt{\nu_t - \mu_t^2} + \varepsilon}

    Optax adds :math:`\varepsilon` inside the root, unless ``eps_in_sqrt=False`` is given there.

    Args:
        alpha: Decay rate, in ``[0, 1)``.
        eps: Added outside the root.
        initial_scale: Initial value of the mean square.

    Returns:
        A gradient transformation.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch
        >>> tx = scale_by_stddev(alpha=0.5)
        >>> g = (torch.tensor([-4.0]),)
        >>> tx.update(g, tx.init(g))[0]
        (tensor([-2.]),)

    References:
        Graves, *Generating Sequences With Recurrent Neural Networks*, 2013, equations 38 to 40.
    """
    alpha = hyperparameters.check("alpha", alpha, upper=1.0)
    hyperparameters.check("eps", eps)
    hyperparameters.check("initial_scale", initial_scale, schedules=False)
    return elementwise(
        optimizers.stddev,
        state=(ScaleByRStdDevState, ScaleByRmsState),
        slots={"mu": 0.0, "nu": ("initial_scale", initial_scale)},
        hyper={"alpha": alpha, "eps": eps},
        overwrites=True,
    )
