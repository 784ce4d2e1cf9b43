"""MoMo: momentum with the step size of a model of the loss."""

from __future__ import annotations

from torchopt.io.calls import records_call
from torchopt.optimizers.descent import descend
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import scale, scale_by_momo
from torchopt.transform.chaining import GradientTransformation


@records_call
def momo(
    lr: Hyperparameter = 1.0,
    *,
    beta: Hyperparameter = 0.9,
    lower_bound: Hyperparameter = 0.0,
    weight_decay: Hyperparameter = 0.0,
    adapt_lower_bound: bool = False,
) -> GradientTransformation:
    r"""MoMo: momentum, with a step to where a model of the loss reaches its lower bound.

    .. math:: \theta_t = \theta_{t-1} - u_t

    with :math:`u_t` of :func:`torchopt.transform.scale_by_momo`. It reads the loss, ``value``: see
    :class:`torchopt.transform.GradientTransformationExtraArgs`.

    A hyperparameter may be a number, a schedule, or a scalar tensor (which may require grad);
    ``lower_bound`` is no schedule.

    Args:
        lr: Largest step size, not negative.
        beta: Decay rate of the means, in ``[0, 1)``.
        lower_bound: Lower bound of the loss.
        weight_decay: Decoupled weight decay, not negative.
        adapt_lower_bound: Whether the bound is estimated: ``lower_bound`` is the smallest one then.

    Returns:
        A transformation that matches Optax's ``contrib.momo``.

    Raises:
        ValueError: If a number is out of range. In ``update``, without the parameters.
        TypeError: In ``update``, without the loss.

    Example:
        >>> import torch, torchopt
        >>> torchopt.minimize(
        ...     lambda x: (x ** 2).sum(), torch.tensor([3.0, 4.0]), solver=torchopt.optimizers.momo(),
        ...     steps=1).params
        tensor([1.5000, 2.0000])

    References:
        Schaipp, Ohana, Eickenberg, Defazio and Gower, *MoMo: Momentum Models for Adaptive Learning
        Rates*, 2024, algorithm 1.
    """
    rescale = scale_by_momo(
        lr,
        beta,
        lower_bound=lower_bound,
        weight_decay=weight_decay,
        adapt_lower_bound=adapt_lower_bound,
    )
    return descend(rescale, scale(-1.0))
