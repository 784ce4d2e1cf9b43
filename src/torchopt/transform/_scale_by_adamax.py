"""Adamax's rescaling."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from torchopt.formula import optimizers
from torchopt.io.calls import takes_b1_b2
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import hyperparameters
from torchopt.transform.chaining import GradientTransformation, elementwise


class ScaleByAdamaxState(NamedTuple):
    """First moment, exponentially weighted infinity norm, and counters."""

    mu: Any
    nu: Any
    count: Any
    step: Any = ()


def _bias_correction(t: torch.Tensor, *, b1: Any, **_: Any) -> dict[str, Any]:
    return {"c1": 1 - b1**t}


@takes_b1_b2
def scale_by_adamax(
    betas: tuple[Hyperparameter, Hyperparameter] = (0.9, 0.999),
    eps: Hyperparameter = 1e-6,
    moment_requires_grad: bool = False,
) -> GradientTransformation:
    r"""Rescale updates by a first moment and an infinity norm.

    .. math::
        \mu_t = \beta_1 \mu_{t-1} + (1 - \beta_1) g_t, \qquad
        \nu_t = \max(\beta_2 \nu_{t-1}, |g_t| + \varepsilon), \qquad
        u_t = \frac{\mu_t}{(1 - \beta_1^t) \nu_t}

    Args:
        betas: Decay rates of the first moment and of the norm, each in ``[0, 1)``.
        eps: Added to the absolute gradient.
        moment_requires_grad: Whether the initial moments require grad.

    Returns:
        A gradient transformation.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch
        >>> tx = scale_by_adamax()
        >>> g = (torch.tensor([4.0, 0.0]),)
        >>> tx.update(g, tx.init(g))[0]
        (tensor([1.0000, 0.0000]),)

    References:
        Kingma and Ba, *Adam*, 2015, algorithm 2.
    """
    return elementwise(
        optimizers.adamax,
        state=ScaleByAdamaxState,
        slots={"mu": 0.0, "nu": 0.0},
        hyper=hyperparameters.checked(betas=betas, eps=eps),
        scalars=_bias_correction,
        slots_require_grad=moment_requires_grad,
    )
