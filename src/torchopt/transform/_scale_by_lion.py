"""Lion's rescaling."""

from __future__ import annotations

from typing import Any, NamedTuple

from torchopt.io.calls import records_call
from torchopt.ops import running_mean, smooth_sign
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import hyperparameters
from torchopt.transform.chaining import GradientTransformation, elementwise


class ScaleByLionState(NamedTuple):
    """First moment of the gradient, and a counter if there is a schedule."""

    mu: Any
    step: Any = ()


def _lion(g: Any, mu: Any, *, b1: Any, b2: Any, smooth: Any = None) -> tuple[Any, Any]:
    return smooth_sign(running_mean(mu, g, b1), smooth), running_mean(mu, g, b2)


@records_call
def scale_by_lion(
    betas: tuple[Hyperparameter, Hyperparameter] = (0.9, 0.99),
    smooth: Hyperparameter | None = None,
) -> GradientTransformation:
    r"""Replace updates by the sign of a mean of gradients.

    .. math::
        u_t = \operatorname{sign}(\beta_1 \mu_{t-1} + (1 - \beta_1) g_t), \qquad
        \mu_t = \beta_2 \mu_{t-1} + (1 - \beta_2) g_t

    The derivative of the sign is zero almost everywhere, so no gradient reaches ``betas``, the
    gradients or the state through the update. With ``smooth=w`` the sign is :math:`\tanh(\cdot / w)`,
    which is differentiable and whose limit for :math:`w \to 0` is the sign.

    Where a gradient is NaN, the moment becomes and stays NaN. The sign of NaN is 0, as in
    ``torch.sign``, so the update is 0 from then on; with ``smooth`` it is NaN.

    Args:
        betas: The weight of the moment in the update, and the decay rate of the moment, each in
            ``[0, 1)``.
        smooth: Width of the smooth sign, in the unit of the gradients. None (the default) is the sign.

    Returns:
        A gradient transformation. Every hyperparameter may be a number, a schedule, a tensor that
        requires grad, or a tree of these.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch
        >>> tx = scale_by_lion()
        >>> g = (torch.tensor([4.0, 0.0, -0.5]),)
        >>> tx.update(g, tx.init(g))[0]
        (tensor([ 1.,  0., -1.]),)

    References:
        Chen et al., *Symbolic Discovery of Optimization Algorithms*, 2023, algorithm 2.
    """
    return elementwise(
        _lion,
        state=ScaleByLionState,
        slots={"mu": 0.0},
        hyper=hyperparameters.checked(betas=betas) | hyperparameters.smoothing(smooth),
    )
