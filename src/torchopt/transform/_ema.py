"""Running mean of the updates."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from torchopt.io.calls import records_call
from torchopt.ops import running_mean
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import hyperparameters
from torchopt.transform.chaining import GradientTransformation, elementwise


class EmaState(NamedTuple):
    """The running mean, and counters: the updates of each leaf if it is debiased, all updates."""

    ema: Any
    count: Any = ()
    step: Any = ()


def _ema(g: torch.Tensor, ema: torch.Tensor, *, decay: Any) -> tuple[torch.Tensor, ...]:
    ema = running_mean(ema, g, decay)
    return ema, ema


def _debiased(
    g: torch.Tensor, ema: torch.Tensor, *, decay: Any, correction: Any
) -> tuple[torch.Tensor, ...]:
    ema = running_mean(ema, g, decay)
    return ema / correction, ema


def _correction(t: torch.Tensor, *, decay: Any) -> dict[str, Any]:
    return {"correction": 1 - decay**t}


@records_call
def ema(decay: Hyperparameter, debias: bool = True) -> GradientTransformation:
    r"""Replace updates by their exponential moving average.

    .. math::
        m_t = \beta m_{t-1} + (1 - \beta) g_t, \qquad
        u_t = \begin{cases} m_t / (1 - \beta^t) & \text{debias} \\ m_t & \text{otherwise} \end{cases}

    :func:`trace` adds the whole gradient instead: :math:`m_t = \beta m_{t-1} + g_t`. For an average of
    the parameters, see :func:`polyak_average`.

    Args:
        decay: Decay rate :math:`\beta`, in ``[0, 1)``.
        debias: Whether to correct the bias towards the initial zero.

    Returns:
        A gradient transformation.

    Raises:
        ValueError: If ``decay`` is out of range.

    Example:
        >>> import torch
        >>> tx = ema(0.5)
        >>> u, state = tx.update((torch.tensor([3.0]),), tx.init((torch.tensor([0.0]),)))
        >>> tx.update((torch.tensor([6.0]),), state)[0]
        (tensor([5.]),)

    References:
        Optax's ``ema``.
    """
    decay = hyperparameters.check("decay", decay, upper=1.0)
    return elementwise(
        _debiased if debias else _ema,
        state=EmaState,
        slots={"ema": 0.0},
        hyper={"decay": decay},
        scalars=_correction if debias else None,
    )
