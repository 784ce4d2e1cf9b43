"""Adadelta's rescaling."""

from __future__ import annotations

from typing import Any, NamedTuple

from torchopt.formula import optimizers
from torchopt.io.calls import records_call
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import hyperparameters
from torchopt.transform.chaining import GradientTransformation, elementwise


class ScaleByAdadeltaState(NamedTuple):
    """Mean squared gradient, mean squared update, and a counter if there is a schedule."""

    mu: Any
    nu: Any
    step: Any = ()


@records_call
def scale_by_adadelta(
    rho: Hyperparameter = 0.9, eps: Hyperparameter = 1e-6, moment_requires_grad: bool = False
) -> GradientTransformation:
    r"""Rescale updates by the ratio of two running root mean squares.

    .. math::
        \mu_t &= \rho \mu_{t-1} + (1 - \rho) g_t^2, \qquad
        u_t = \frac{\sqrt{\nu_{t-1} + \varepsilon}}{\sqrt{\mu_t + \varepsilon}} g_t \\
        \nu_t &= \rho \nu_{t-1} + (1 - \rho) u_t^2

    Args:
        rho: Decay rate of both means, in ``[0, 1)``.
        eps: Added inside the roots.
        moment_requires_grad: Whether the initial means are leaves that require grad.

    Returns:
        A gradient transformation.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch
        >>> tx = scale_by_adadelta(rho=0.75, eps=1.0)
        >>> g = (torch.tensor([0.0, 2.0]),)
        >>> tx.update(g, tx.init(g))[0]
        (tensor([0.0000, 1.4142]),)

    References:
        Zeiler, *ADADELTA*, 2012, algorithm 1.
    """
    rho = hyperparameters.check("rho", rho, upper=1.0)
    hyperparameters.check("eps", eps)
    return elementwise(
        optimizers.adadelta,
        state=ScaleByAdadeltaState,
        slots={"mu": 0.0, "nu": 0.0},
        hyper={"rho": rho, "eps": eps},
        slots_require_grad=moment_requires_grad,
        overwrites=True,
    )
