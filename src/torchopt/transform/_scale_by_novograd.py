"""NovoGrad's rescaling."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from torchopt.io.calls import records_call
from torchopt.ops import running_mean, where
from torchopt.prox.vectors import norm_of
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import hyperparameters
from torchopt.transform._prepare import Leaves, inner
from torchopt.transform.beyond_elements import reduced
from torchopt.transform.chaining import GradientTransformation


class ScaleByNovogradState(NamedTuple):
    """Momentum, the second moment of each leaf, and counters."""

    mu: Any
    nu: Any
    count: Any
    step: Any = ()


def _moment(
    g: Leaves, p: Leaves, mu: Leaves, *, nu: Any, count: Any, b2: Any, eps: Any, eps_root: Any
) -> dict[str, torch.Tensor]:
    square = inner(g, g)
    nu = where(count == 1, square, running_mean(nu, square, b2))
    return {"nu": nu, "divisor": norm_of(nu + eps_root) + eps}


def _momentum(
    g: torch.Tensor,
    p: torch.Tensor,
    mu: torch.Tensor,
    *,
    divisor: Any,
    b1: Any,
    weight_decay: Any,
) -> tuple[torch.Tensor, ...]:
    mu = b1 * mu + (g / divisor + weight_decay * p)
    return mu, mu


@records_call
def scale_by_novograd(
    betas: tuple[Hyperparameter, Hyperparameter] = (0.9, 0.25),
    eps: Hyperparameter = 1e-8,
    *,
    eps_root: Hyperparameter = 0.0,
    weight_decay: Hyperparameter = 0.0,
    moment_requires_grad: bool = False,
) -> GradientTransformation:
    r"""Divide updates by a running norm of their leaf, and accumulate them.

    .. math::
        \nu_1 = \lVert g_1 \rVert^2, \qquad
        \nu_t = \beta_2 \nu_{t-1} + (1 - \beta_2) \lVert g_t \rVert^2, \qquad
        u_t = \mu_t = \beta_1 \mu_{t-1} + \frac{g_t}{\sqrt{\nu_t + \varepsilon_{root}} + \varepsilon}
            + \lambda \theta_{t-1}

    with the norms of each leaf: the second moment is one number for each. Numbers are finite at a
    zero gradient. A NaN in a leaf makes its updates NaN, from then on.

    Args:
        betas: Decay rates of the momentum and of the second moment, each in ``[0, 1)``.
        eps: Added outside the root.
        eps_root: Added inside the root.
        weight_decay: :math:`\lambda`, not negative.
        moment_requires_grad: Whether the initial momentum is a leaf that requires grad.

    Returns:
        A gradient transformation whose ``update`` needs ``params``. Every hyperparameter may be a
        number, a schedule, a tensor that requires grad, or a tree of these; ``betas[1]``, ``eps`` and
        ``eps_root`` are one number for each leaf.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch
        >>> tx = scale_by_novograd()
        >>> g = (torch.tensor([3.0, 4.0]),)
        >>> tx.update(g, tx.init(g), params=g)[0]
        (tensor([0.6000, 0.8000]),)

    References:
        Ginsburg et al., *Stochastic Gradient Methods with Layer-wise Adaptive Moments*, 2019,
        algorithm 1.
    """
    return reduced(
        _momentum,
        prepare=_moment,
        memory={"nu": 0.0},
        state=ScaleByNovogradState,
        slots={"mu": 0.0},
        hyper=hyperparameters.checked(
            betas=betas, eps=eps, eps_root=eps_root, weight_decay=weight_decay
        ),
        needs_params=True,
        slots_require_grad=moment_requires_grad,
    )
