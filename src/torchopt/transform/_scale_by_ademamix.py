"""AdEMAMix's rescaling."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from torchopt.io.calls import records_call
from torchopt.ops import running_mean, safe_sqrt
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import hyperparameters
from torchopt.transform.chaining import GradientTransformation, elementwise


class ScaleByAdemamixState(NamedTuple):
    """The fast and the slow first moment, the second moment, and counters."""

    m1: Any
    m2: Any
    nu: Any
    count: Any
    step: Any = ()


def _bias_corrections(t: torch.Tensor, *, b1: Any, b2: Any, **_: Any) -> dict[str, Any]:
    return {"c1": 1 - b1**t, "c2": 1 - b2**t}


def _ademamix(
    g: torch.Tensor,
    m1: torch.Tensor,
    m2: torch.Tensor,
    nu: torch.Tensor,
    *,
    b1: Any,
    b2: Any,
    b3: Any,
    alpha: Any,
    eps: Any,
    eps_root: Any,
    c1: Any,
    c2: Any,
) -> tuple[torch.Tensor, ...]:
    m1, m2 = running_mean(m1, g, b1), running_mean(m2, g, b3)
    nu = running_mean(nu, g * g, b2)
    return (m1 / c1 + alpha * m2) / (safe_sqrt(nu / c2 + eps_root) + eps), m1, m2, nu


@records_call
def scale_by_ademamix(
    betas: tuple[Hyperparameter, Hyperparameter, Hyperparameter] = (0.9, 0.999, 0.9999),
    alpha: Hyperparameter = 5.0,
    *,
    eps: Hyperparameter = 1e-8,
    eps_root: Hyperparameter = 0.0,
) -> GradientTransformation:
    r"""Rescale updates by Adam's moments and a second, slow first moment.

    .. math::
        m^1_t &= \beta_1 m^1_{t-1} + (1 - \beta_1) g_t, \qquad
        m^2_t = \beta_3 m^2_{t-1} + (1 - \beta_3) g_t, \qquad
        \nu_t = \beta_2 \nu_{t-1} + (1 - \beta_2) g_t^2 \\
        u_t &= \frac{m^1_t / (1 - \beta_1^t) + \alpha m^2_t}
            {\sqrt{\nu_t / (1 - \beta_2^t) + \varepsilon_{root}} + \varepsilon}

    The slow moment has no bias correction. The update and its derivatives are finite at a zero
    gradient. NaN in a gradient makes its elements NaN from then on.

    Args:
        betas: Decay rates of the fast first moment, the second moment and the slow first moment, each
            in ``[0, 1)``.
        alpha: Weight of the slow moment, not negative.
        eps: Added outside the root.
        eps_root: Added inside the root.

    Returns:
        A gradient transformation. Every hyperparameter may be a number, a schedule, a tensor that
        requires grad, or a tree of these.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch
        >>> tx = scale_by_ademamix((0.9, 0.999, 0.75), alpha=2.0)
        >>> g = (torch.tensor([4.0, 0.0]),)
        >>> tx.update(g, tx.init(g))[0]
        (tensor([1.5000, 0.0000]),)

    References:
        Pagliardini, Ablin and Grangier, *The AdEMAMix Optimizer: Better, Faster, Older*, 2024,
        algorithm 1.
    """
    return elementwise(
        _ademamix,
        state=ScaleByAdemamixState,
        slots={"m1": 0.0, "m2": 0.0, "nu": 0.0},
        hyper=hyperparameters.checked(many=3, betas=betas, alpha=alpha, eps=eps, eps_root=eps_root),
        scalars=_bias_corrections,
    )
