"""ADOPT's rescaling."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch

from torchopt.io.calls import records_call
from torchopt.ops import running_mean, safe_sqrt, where
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import hyperparameters
from torchopt.transform.chaining import GradientTransformation, elementwise


class ScaleByAdoptState(NamedTuple):
    """Mean of the normalized gradient, second moment, and counters."""

    mu: Any
    nu: Any
    count: Any
    step: Any = ()


def _fourth_root(count: Any) -> Any:
    return count**0.25


def _adopt(*tensors: torch.Tensor, **scalars: Any) -> tuple[torch.Tensor, ...]:
    _, mu, nu = _nesterov(*tensors, **scalars)
    return mu, mu, nu


def _nesterov(
    g: torch.Tensor,
    mu: torch.Tensor,
    nu: torch.Tensor,
    *,
    b1: Any,
    b2: Any,
    eps: Any,
    clip_value_fn: Any = None,
    first: Any,
) -> tuple[torch.Tensor, ...]:
    # Earlier gradients alone divide this one, so that the two are not correlated.
    normalized = g / safe_sqrt(nu).clamp(min=eps)
    if clip_value_fn is not None:
        normalized = normalized.clamp(-clip_value_fn, clip_value_fn)
    mu = where(first, mu, running_mean(mu, normalized, b1))
    ahead = where(first, mu, running_mean(mu, normalized, b1))
    # A kernel without a cotangent for `nu` multiplies zero by the derivative of the square.
    square = where(g.abs() < math.inf, g, g.detach()) ** 2
    return ahead, mu, where(first, square, running_mean(nu, square, b2))


@records_call
def scale_by_adopt(
    betas: tuple[Hyperparameter, Hyperparameter] = (0.9, 0.9999),
    eps: Hyperparameter = 1e-6,
    *,
    nesterov: bool = False,
    use_clipping: bool = True,
    clip_value_fn: Hyperparameter | None = None,
) -> GradientTransformation:
    r"""Average updates that are normalized by the second moment of earlier ones.

    .. math::
        n_t &= \operatorname{clip}\left(\frac{g_t}{\max(\sqrt{\nu_{t-1}}, \varepsilon)},
            -c_t, c_t\right) \\
        \mu_t &= \beta_1 \mu_{t-1} + (1 - \beta_1) n_t, \qquad
        \nu_t = \beta_2 \nu_{t-1} + (1 - \beta_2) g_t^2 \\
        u_t &= \begin{cases} \beta_1 \mu_t + (1 - \beta_1) n_t & \text{Nesterov} \\
            \mu_t & \text{otherwise} \end{cases}

    The first update of a leaf is zero, and sets :math:`\nu_1 = g_1^2`. Derivatives are finite at a
    zero gradient. NaN in a gradient makes its elements NaN from then on.

    Args:
        betas: Decay rates of the mean and of the second moment, each in ``[0, 1)``.
        eps: The least divisor.
        nesterov: Whether to look ahead.
        use_clipping: Whether normalized gradients are clipped.
        clip_value_fn: The bound :math:`c_t`: a schedule, which is called with the number of earlier
            updates, a number, or a tensor. None, the default, is the fourth root of that number, as
            in the paper's implementation.

    Returns:
        A gradient transformation. Every hyperparameter may be a number, a schedule, a tensor that
        requires grad, or a tree of these.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch
        >>> tx = scale_by_adopt(betas=(0.5, 0.9999))
        >>> g = (torch.tensor([4.0, -2.0]),)
        >>> _, state = tx.update(g, tx.init(g))
        >>> tx.update(g, state)[0]
        (tensor([ 0.5000, -0.5000]),)

    References:
        Taniguchi et al., *ADOPT: Modified Adam Can Converge with Any beta2 with the Optimal Rate*,
        2024, algorithm 2.
    """
    hyper = hyperparameters.checked(betas=betas, eps=eps)
    bound = _fourth_root if clip_value_fn is None else clip_value_fn
    hyperparameters.check("clip_value_fn", bound)
    return elementwise(
        _nesterov if nesterov else _adopt,
        state=ScaleByAdoptState,
        slots={"mu": 0.0, "nu": 0.0},
        hyper=hyper | ({"clip_value_fn": bound} if use_clipping else {}),
        scalars=hyperparameters.first,
    )
