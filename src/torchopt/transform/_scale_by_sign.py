"""Signs of updates."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from torchopt.io.calls import records_call
from torchopt.ops import running_mean, smooth_sign
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import hyperparameters
from torchopt.transform._scale import schedule_states
from torchopt.transform.chaining import GradientTransformation, elementwise


class ScaleBySignumState(NamedTuple):
    """Mean gradient, and a counter if there is a schedule."""

    mu: Any
    step: Any = ()


def _sign(g: torch.Tensor, *, smooth: Any = None) -> tuple[torch.Tensor]:
    return (smooth_sign(g, smooth),)


def _signum(
    g: torch.Tensor, mu: torch.Tensor, *, momentum: Any, smooth: Any = None
) -> tuple[torch.Tensor, ...]:
    mu = running_mean(mu, g, momentum)
    return smooth_sign(mu, smooth), mu


@records_call
def scale_by_sign(smooth: Hyperparameter | None = None) -> GradientTransformation:
    r"""Replace updates by their signs.

    .. math:: u_t = \operatorname{sign}(g_t) \quad\text{or}\quad \tanh(g_t / w)

    The derivative of the sign is zero almost everywhere, so nothing flows through it to the gradient.
    ``smooth`` gives a derivative. The sign of NaN is 0; the hyperbolic tangent of NaN is NaN.

    Args:
        smooth: The width :math:`w` of the hyperbolic tangent, whose limit for small widths is the
            sign. None, the default, and 0 are the sign itself.

    Returns:
        A gradient transformation.

    Raises:
        ValueError: If ``smooth`` is negative.

    Example:
        >>> import torch
        >>> g = (torch.tensor([4.0, 0.0, -0.1]),)
        >>> tx = scale_by_sign()
        >>> tx.update(g, tx.init(g))[0]
        (tensor([ 1.,  0., -1.]),)

    References:
        Bernstein et al., *signSGD: Compressed Optimisation for Non-Convex Problems*, 2018,
        algorithm 1.
    """
    hyper = hyperparameters.smoothing(smooth)
    return elementwise(_sign, state=schedule_states(smooth), hyper=hyper)


@records_call
def scale_by_signum(
    momentum: Hyperparameter = 0.9, smooth: Hyperparameter | None = None
) -> GradientTransformation:
    r"""Replace updates by the signs of their running mean.

    .. math::
        \mu_t = m \, \mu_{t-1} + (1 - m) g_t, \qquad
        u_t = \operatorname{sign}(\mu_t) \quad\text{or}\quad \tanh(\mu_t / w)

    The derivative of the sign is zero almost everywhere, so nothing flows through it to gradients and
    momentum. ``smooth`` gives a derivative. The sign of NaN is 0; the hyperbolic tangent of NaN is
    NaN.

    Args:
        momentum: Decay rate of the mean :math:`m`, in ``[0, 1)``.
        smooth: The width :math:`w` of the hyperbolic tangent, whose limit for small widths is the
            sign. None, the default, and 0 are the sign itself.

    Returns:
        A gradient transformation.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch
        >>> g = (torch.tensor([4.0, 0.0, -0.1]),)
        >>> tx = scale_by_signum()
        >>> tx.update(g, tx.init(g))[0]
        (tensor([ 1.,  0., -1.]),)

    References:
        Bernstein et al., *signSGD: Compressed Optimisation for Non-Convex Problems*, 2018,
        algorithm 2.
    """
    momentum = hyperparameters.check("momentum", momentum, upper=1.0)
    return elementwise(
        _signum,
        state=ScaleBySignumState,
        slots={"mu": 0.0},
        hyper={"momentum": momentum, **hyperparameters.smoothing(smooth)},
    )
