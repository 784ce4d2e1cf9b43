"""RAdam's rescaling."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from torchopt.formula import optimizers
from torchopt.io.calls import takes_b1_b2
from torchopt.ops import sqrt, where
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import hyperparameters
from torchopt.transform.chaining import GradientTransformation, elementwise


class ScaleByRAdamState(NamedTuple):
    """First and second moment of the gradient, and counters."""

    mu: Any
    nu: Any
    count: Any
    step: Any = ()


def _rectification(t: torch.Tensor, *, b1: Any, b2: Any, **_: Any) -> dict[str, Any]:
    c1, c2 = 1 - b1**t, 1 - b2**t
    rho_inf = 2 / (1 - b2) - 1 + 0 * t
    rho = rho_inf - 2 * t * b2**t / c2
    rectified = rho > 5
    # Select before quotient and root, so that the branch not taken sends no NaN backward.
    rho, rho_inf = where(rectified, rho, 6.0), where(rectified, rho_inf, 7.0)
    r = sqrt((rho - 4) * (rho - 2) * rho_inf / ((rho_inf - 4) * (rho_inf - 2) * rho))
    return {"c1": c1, "c2": c2, "rectified": rectified, "r": r}


@takes_b1_b2
def scale_by_radam(
    betas: tuple[Hyperparameter, Hyperparameter] = (0.9, 0.999),
    eps: Hyperparameter = 1e-6,
    moment_requires_grad: bool = False,
) -> GradientTransformation:
    r"""Rescale updates by Adam's moments, with a rectified variance.

    .. math::
        \rho_\infty = \frac{2}{1 - \beta_2} - 1, \qquad
        \rho_t = \rho_\infty - \frac{2 t \beta_2^t}{1 - \beta_2^t}, \qquad
        r_t = \sqrt{\frac{(\rho_t - 4)(\rho_t - 2) \rho_\infty}
                         {(\rho_\infty - 4)(\rho_\infty - 2) \rho_t}}

    .. math::
        u_t = \frac{\mu_t}{1 - \beta_1^t} \cdot
        \begin{cases}
            r_t \sqrt{1 - \beta_2^t} / (\sqrt{\nu_t} + \varepsilon) & \rho_t > 5 \\
            1 & \text{otherwise}
        \end{cases}

    Args:
        betas: Decay rates of the first and the second moment, each in ``[0, 1)``.
        eps: Added outside the root.
        moment_requires_grad: Whether the initial moments require grad.

    Returns:
        A gradient transformation.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch
        >>> tx = scale_by_radam()
        >>> g = (torch.tensor([4.0, 0.0]),)
        >>> tx.update(g, tx.init(g))[0]
        (tensor([4., 0.]),)

    References:
        Liu et al., *On the Variance of the Adaptive Learning Rate and Beyond*, 2020, algorithm 2,
        with the threshold 5 of ``torch.optim.RAdam``.
    """
    return elementwise(
        optimizers.radam,
        state=ScaleByRAdamState,
        slots={"mu": 0.0, "nu": 0.0},
        hyper=hyperparameters.checked(betas=betas, eps=eps),
        scalars=_rectification,
        slots_require_grad=moment_requires_grad,
    )
