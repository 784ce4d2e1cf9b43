"""The steps of averaged stochastic gradient descent."""

from __future__ import annotations

from typing import Any, NamedTuple

from torchopt.io.calls import records_call
from torchopt.ops import running_mean, where
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import hyperparameters
from torchopt.transform.chaining import GradientTransformation, elementwise


class ScaleByAsgdState(NamedTuple):
    """Averaged parameters, and counters."""

    average: Any
    count: Any
    step: Any = ()


def _rates(t: Any, *, lr: Any, lambd: Any, alpha: Any, t0: Any) -> dict[str, Any]:
    since = t - 1 - t0
    share = 1 / where(since > 1, since, 1.0)
    return {"eta": lr / (1 + lambd * lr * (t - 1)) ** alpha, "share": share}


def _asgd(
    g: Any, p: Any, average: Any, *, lambd: Any, eta: Any, share: Any, **_: Any
) -> tuple[Any, Any]:
    u = eta * (g + lambd * p)
    return u, running_mean(average, p - u, 1 - share)


@records_call
def scale_by_asgd(
    lr: Hyperparameter = 1e-2,
    lambd: Hyperparameter = 1e-4,
    *,
    alpha: Hyperparameter = 0.75,
    t0: Hyperparameter = 1e6,
) -> GradientTransformation:
    r"""Decay parameters and learning rate, and average the parameters.

    .. math::
        \eta_t &= \frac{\eta}{(1 + \lambda \eta (t - 1))^\alpha}, \qquad
        u_t = \eta_t (g_t + \lambda \theta_{t-1}) \\
        \bar\theta_t &= \bar\theta_{t-1} + \frac{\theta_{t-1} - u_t - \bar\theta_{t-1}}
            {\max(1, t - 1 - t_0)}

    The update has its learning rate. Only ``scale(-1.0)`` may follow in a chain: otherwise the average
    is not that of the parameters.

    Args:
        lr: Learning rate :math:`\eta`, not negative.
        lambd: Weight decay :math:`\lambda`, not negative.
        alpha: Power of the decay of the learning rate.
        t0: Number of updates before the average starts. Until then the average is the parameter.

    Returns:
        A gradient transformation, which reads the parameters. Its state has the averaged parameters
        ``average``; before the first update they are zeros, as in ``torch.optim``.

    Raises:
        ValueError: If ``lr``, ``lambd`` or ``t0`` is a negative number.

    Example:
        >>> import torch
        >>> tx = scale_by_asgd(lr=0.5, lambd=0.0)
        >>> p, g = (torch.tensor([1.0]),), (torch.tensor([4.0]),)
        >>> u, state = tx.update(g, tx.init(p), params=p)
        >>> u, state.average
        ((tensor([2.]),), (tensor([-1.]),))

    References:
        Polyak and Juditsky, *Acceleration of Stochastic Approximation by Averaging*, 1992; Bottou,
        *Stochastic Gradient Tricks*, 2012, section 4.2, for the learning rate.
    """
    hyperparameters.checked(lr=lr, lambd=lambd)
    hyperparameters.check("alpha", alpha, lower=None)
    hyperparameters.check("t0", t0)
    return elementwise(
        _asgd,
        state=ScaleByAsgdState,
        slots={"average": 0.0},
        hyper={"lr": lr, "lambd": lambd, "alpha": alpha, "t0": t0},
        scalars=_rates,
        needs_params=True,
    )
