"""The steps of resilient backpropagation."""

from __future__ import annotations

from typing import Any, NamedTuple

from torchopt.io.calls import records_call
from torchopt.ops import smooth_sign
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import hyperparameters
from torchopt.transform.chaining import GradientTransformation, elementwise


class ScaleByRpropState(NamedTuple):
    """The last gradient, zero where its sign had changed; step sizes; a counter for schedules."""

    prev: Any
    step_size: Any
    step: Any = ()


def _rprop(
    g: Any,
    prev: Any,
    step_size: Any,
    *,
    eta_minus: Any,
    eta_plus: Any,
    min_step_size: Any,
    max_step_size: Any,
    smooth: Any = None,
) -> tuple[Any, ...]:
    agreement = smooth_sign(g, smooth) * smooth_sign(prev, smooth)
    same, opposite = agreement.clamp(min=0.0), agreement.clamp(max=0.0)
    step_size = step_size * (1 + (eta_plus - 1) * same + (1 - eta_minus) * opposite)
    step_size = step_size.clamp(min=min_step_size).clamp(max=max_step_size)
    g = g * (1 + opposite)
    return step_size * smooth_sign(g, smooth), g, step_size


@records_call
def scale_by_rprop(
    lr: Hyperparameter = 1e-2,
    etas: tuple[Hyperparameter, Hyperparameter] = (0.5, 1.2),
    *,
    step_sizes: tuple[Hyperparameter, Hyperparameter] = (1e-6, 50.0),
    smooth: Hyperparameter | None = None,
) -> GradientTransformation:
    r"""Replace updates by their signs, times step sizes that grow while the sign stays.

    .. math::
        s_t &= \min\big(s_{\max}, \max(s_{\min}, s_{t-1} \cdot \begin{cases}
            \eta_+ & g_t g_{t-1} > 0 \\ \eta_- & g_t g_{t-1} < 0 \\ 1 & \text{otherwise}
        \end{cases})\big) \\
        g_t &\leftarrow 0 \quad \text{where } g_t g_{t-1} < 0, \qquad
        u_t = s_t \operatorname{sign}(g_t)

    with :math:`s_0` = ``lr`` and :math:`g_0 = 0`. The update is a whole step: no learning rate follows.

    The derivative of the sign is zero almost everywhere, so derivatives with respect to gradients are
    zero; those with respect to ``lr``, the factors and the bounds come through the step sizes. With
    ``smooth=w`` each sign is :math:`\tanh(\cdot / w)`. Let :math:`a` be the product of the smooth signs
    of :math:`g_t` and :math:`g_{t-1}`: the factor is interpolated linearly between :math:`\eta_-` at
    -1, 1 at 0 and :math:`\eta_+` at 1, and :math:`g_t` is multiplied by :math:`1 + \min(a, 0)`. The
    limit for :math:`w \to 0` is the formula above.

    Where a gradient is NaN, the parameter and its step size stay, as in ``torch.optim``; with
    ``smooth`` they become NaN.

    Args:
        lr: Initial step size: a number, a tensor, or a tree of these.
        etas: Factors where the sign has changed, in ``[0, 1)``, and where it has stayed, at least 1.
        step_sizes: The smallest and the largest step size.
        smooth: Width of the smooth sign, in the unit of the gradients. None (the default) is the sign.

    Returns:
        A gradient transformation.

    Raises:
        ValueError: If a number is out of range.
        TypeError: If ``lr`` is a schedule.

    Example:
        >>> import torch
        >>> tx = scale_by_rprop(lr=1.0)
        >>> g = (torch.tensor([4.0, 0.0, -0.5]),)
        >>> u, state = tx.update(g, tx.init(g))
        >>> u, tx.update((torch.tensor([1.0, 1.0, 1.0]),), state)[0]
        ((tensor([ 1.,  0., -1.]),), (tensor([1.2000, 1.0000, 0.0000]),))

    References:
        Riedmiller and Braun, *A Direct Adaptive Method for Faster Backpropagation Learning: The RPROP
        Algorithm*, 1993; without backtracking, as in ``torch.optim.Rprop`` (iRprop-minus of Igel and
        Hüsken, 2003). Optax's ``rprop`` does each step one update later.
    """
    hyperparameters.check("lr", lr, schedules=False)
    return elementwise(
        _rprop,
        state=ScaleByRpropState,
        slots={"prev": 0.0, "step_size": ("lr", lr)},
        hyper=hyperparameters.checked(etas=etas, step_sizes=step_sizes)
        | hyperparameters.smoothing(smooth),
    )
