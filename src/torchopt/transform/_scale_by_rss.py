"""Adagrad's rescaling."""

from __future__ import annotations

from typing import Any, NamedTuple

from torchopt.formula import optimizers
from torchopt.io.calls import records_call
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import hyperparameters
from torchopt.transform.chaining import GradientTransformation, elementwise


class ScaleByRssState(NamedTuple):
    """Sum of squared gradients, and a counter if there is a schedule."""

    sum_of_squares: Any
    step: Any = ()


@records_call
def scale_by_rss(
    initial_accumulator_value: Hyperparameter = 0.0, eps: Hyperparameter = 1e-10
) -> GradientTransformation:
    r"""Divide updates by the root of the sum of all squared gradients so far.

    .. math::
        s_t = s_{t-1} + g_t^2, \qquad u_t = \frac{g_t}{\sqrt{s_t} + \varepsilon}

    Optax adds :math:`\varepsilon` inside the root, and has other defaults.

    Args:
        initial_accumulator_value: Initial value of the sum.
        eps: Added outside the root.

    Returns:
        A gradient transformation.

    Raises:
        ValueError: If a number is negative.

    Example:
        >>> import torch
        >>> tx = scale_by_rss(initial_accumulator_value=9.0)
        >>> g = (torch.tensor([0.0, 4.0]),)
        >>> tx.update(g, tx.init(g))[0]
        (tensor([0.0000, 0.8000]),)

    References:
        Duchi, Hazan and Singer, *Adaptive Subgradient Methods*, 2011.
    """
    hyperparameters.check("initial_accumulator_value", initial_accumulator_value, schedules=False)
    hyperparameters.check("eps", eps)
    return elementwise(
        optimizers.rss,
        state=ScaleByRssState,
        slots={"sum_of_squares": ("initial_accumulator_value", initial_accumulator_value)},
        hyper={"eps": eps},
    )
