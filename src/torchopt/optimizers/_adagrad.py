"""Adagrad."""

from __future__ import annotations

from typing import Any

import torch
from typing_extensions import Unpack

from torchopt.formula import optimizers
from torchopt.optimizers.descent import Common, descend, optimizer
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import ScaleByDecayState, elementwise, scale_by_rss
from torchopt.transform.chaining import EmptyState, GradientTransformation, absent
from torchopt.transform.hyperparameters import check, is_zero


def _elapsed(t: torch.Tensor, **_: Any) -> dict[str, Any]:
    return {"elapsed": t - 1}


@optimizer
def adagrad(
    lr: Hyperparameter = 1e-2,
    lr_decay: Hyperparameter = 0.0,
    weight_decay: Hyperparameter = 0.0,
    initial_accumulator_value: Hyperparameter = 0.0,
    eps: Hyperparameter = 1e-10,
    **common: Unpack[Common],
) -> GradientTransformation:
    r"""Adagrad.

    .. math::
        g_t &\leftarrow \nabla f(\theta_{t-1}) + \lambda \theta_{t-1}, \qquad
        s_t = s_{t-1} + g_t^2 \\
        \theta_t &= \theta_{t-1} - \frac{\eta}{1 + (t - 1) \kappa} \cdot
            \frac{g_t}{\sqrt{s_t} + \varepsilon}

    Hyperparameters are numbers, schedules, tensors, or trees of these like the parameters.

    Args:
        lr: Learning rate, not negative.
        lr_decay: Decay of the learning rate :math:`\kappa`, not negative.
        weight_decay: L2 regularization: added to the gradient, times the parameters.
        initial_accumulator_value: Initial value of the sum of squares.
        eps: Added outside the root.
        maximize: Whether to maximize.
        use_accelerated_op: As for :func:`torchopt.adam`.

    Returns:
        A transformation that matches ``torch.optim.Adagrad`` for the same arguments.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch, torchopt
        >>> opt = torchopt.adagrad(lr=0.5)
        >>> x, g = torch.tensor([1.0, 2.0]), torch.tensor([1.0, -1.0])
        >>> updates, state = opt.update(g, opt.init(x), params=x)
        >>> torchopt.apply_updates(x, updates)
        tensor([0.5000, 2.5000])

    References:
        Duchi, Hazan and Singer, *Adaptive Subgradient Methods*, 2011.
    """
    check("lr_decay", lr_decay)
    decay = elementwise(
        optimizers.lr_decay,
        state=(ScaleByDecayState, EmptyState),
        hyper={"lr_decay": lr_decay},
        scalars=_elapsed,
    )
    return descend(
        scale_by_rss(initial_accumulator_value, eps),
        absent(ScaleByDecayState) if is_zero(lr_decay) else decay,
        lr=lr,
        weight_decay=weight_decay,
        common=common,
    )
