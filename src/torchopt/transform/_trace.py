"""Momentum."""

from __future__ import annotations

from typing import Any, NamedTuple

from torchopt.formula import optimizers
from torchopt.io.calls import records_call
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import hyperparameters
from torchopt.transform.chaining import EmptyState, GradientTransformation, absent, elementwise


class TraceState(NamedTuple):
    """The momentum buffer, and counters if there is dampening or a schedule."""

    trace: Any
    count: Any = ()
    step: Any = ()


@records_call
def trace(
    momentum: Hyperparameter = 0.9,
    dampening: Hyperparameter = 0.0,
    nesterov: bool = False,
    moment_requires_grad: bool = False,
) -> GradientTransformation:
    r"""Accumulate updates in a momentum buffer.

    .. math::
        b_1 = g_1, \qquad b_t = m \, b_{t-1} + (1 - d) \, g_t, \qquad
        u_t = \begin{cases} g_t + m \, b_t & \text{Nesterov} \\ b_t & \text{otherwise} \end{cases}

    Args:
        momentum: Decay rate of the buffer :math:`m`, not negative.
        dampening: :math:`d`, from the second update on.
        nesterov: Whether to look ahead; needs momentum, and no dampening.
        moment_requires_grad: Whether the initial buffer is a leaf that requires grad.

    Returns:
        A gradient transformation; for the momentum 0 it changes nothing, and keeps no buffer.

    Raises:
        ValueError: If ``momentum`` is negative, or Nesterov momentum is asked for with dampening
            or without momentum.

    Example:
        >>> import torch
        >>> tx = trace(momentum=0.5)
        >>> g = (torch.tensor([4.0]),)
        >>> u, state = tx.update(g, tx.init(g))
        >>> tx.update(g, state)[0]
        (tensor([6.]),)

    References:
        Polyak, 1964; Sutskever et al., *On the importance of initialization and momentum in deep
        learning*, 2013.
    """
    hyperparameters.check("momentum", momentum)
    hyperparameters.check("dampening", dampening, lower=None)
    if nesterov and (hyperparameters.is_zero(momentum) or not hyperparameters.is_zero(dampening)):
        raise ValueError("Nesterov momentum requires a momentum and zero dampening.")
    if hyperparameters.is_zero(momentum):
        return absent(TraceState)
    damped = not hyperparameters.is_zero(dampening)
    undamped = optimizers.nesterov if nesterov else optimizers.momentum
    return elementwise(
        optimizers.dampened if damped else undamped,
        state=(TraceState, EmptyState),
        slots={"trace": 0.0},
        hyper={"momentum": momentum, "dampening": dampening} if damped else {"momentum": momentum},
        scalars=hyperparameters.first if damped else None,
        slots_require_grad=moment_requires_grad,
        overwrites=True,
    )
