"""SM3's rescaling."""

from __future__ import annotations

from functools import reduce
from typing import Any, NamedTuple

import torch

from torchopt.formula import where
from torchopt.io.calls import records_call
from torchopt.ops import running_mean
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import hyperparameters
from torchopt.transform.beyond_elements import leafwise
from torchopt.transform.chaining import GradientTransformation


class ScaleBySM3State(NamedTuple):
    """Accumulators, one for each dimension of a leaf, the momentum, and a counter for schedules."""

    mu: Any
    nu: Any
    step: Any = ()


def _accumulators(p: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return tuple(p.new_zeros(n) for n in p.shape) or (p.new_zeros(()),)


def _along(vector: torch.Tensor, axis: int, g: torch.Tensor) -> torch.Tensor:
    return vector.reshape([-1 if a == axis else 1 for a in range(g.dim())])


def _sm3(
    g: torch.Tensor,
    mu: tuple[torch.Tensor, ...],
    nu: torch.Tensor,
    *,
    momentum: Any,
    alpha: Any,
    eps: Any,
) -> tuple[Any, ...]:
    least = reduce(torch.minimum, (_along(x, axis, g) for axis, x in enumerate(mu)))
    total = where(alpha == 1, 1.0, 1 - alpha) * (g * g) + alpha * least
    # Where nothing has been summed, the update is zero, and so are its derivatives.
    none = total == 0
    u = torch.where(none, 0.0, g * torch.where(none, 1.0, total + eps).rsqrt())
    nu = running_mean(nu, u, momentum)
    if g.dim() < 2:
        return nu, (total,), nu
    others = [[a for a in range(g.dim()) if a != axis] for axis in range(g.dim())]
    # A leaf without elements has no largest one.
    largest = total.amax if total.numel() else total.sum
    return nu, tuple(largest(dim=axes) for axes in others), nu


@records_call
def scale_by_sm3(
    momentum: Hyperparameter = 0.9, alpha: Hyperparameter = 1.0, eps: Hyperparameter = 1e-8
) -> GradientTransformation:
    r"""Divide updates by the root of the least of sums that belong to rows, columns, and so on.

    .. math::
        v_t(i) &= \min_{r \ni i} \mu_{t-1}(r) + g_t(i)^2, \qquad
        \mu_t(r) = \max_{i \in r} v_t(i) \\
        u_t &= \beta_1 u_{t-1} + (1 - \beta_1) \frac{g_t}{\sqrt{v_t + \varepsilon}}

    ``r`` is an index of one dimension: a row or a column of a matrix. Where ``v`` is zero, the
    quotient is zero, and has derivative zero. A vector is rescaled as by Adagrad. The derivative of a
    maximum or minimum is that of the selected element. A NaN spreads to the elements that share a row
    or column with it.

    Args:
        momentum: Decay of the momentum :math:`\beta_1`, in ``[0, 1)``.
        alpha: Decay :math:`\beta_2` of the sums. Below 1 they are running means, with
            :math:`(1 - \beta_2) g_t^2` in place of :math:`g_t^2`.
        eps: Added inside the root.

    Returns:
        A transformation that matches Optax's ``scale_by_sm3`` for the same arguments,
        which takes no scalars; here they are vectors of one element.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch
        >>> tx = scale_by_sm3(momentum=0.0)
        >>> g = (torch.tensor([[3.0, 0.0], [0.0, 4.0]]),)
        >>> tx.update(g, tx.init(g))[0]
        (tensor([[1., 0.],
                [0., 1.]]),)

    References:
        Anil et al., *Memory-Efficient Adaptive Optimization*, 2019, algorithm SM3-II.
    """
    return leafwise(
        _sm3,
        state=ScaleBySM3State,
        slots={"mu": _accumulators, "nu": 0.0},
        hyper={"momentum": hyperparameters.check("momentum", momentum, upper=1.0)}
        | hyperparameters.checked(alpha=alpha, eps=eps),
    )
