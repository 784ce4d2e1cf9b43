"""Gradient descent with Polyak's step size."""

from __future__ import annotations

from typing import Literal

from torchopt.io.calls import records_call
from torchopt.optimizers.descent import descend
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import hyperparameters, scale_by_polyak
from torchopt.transform.chaining import GradientTransformation


@records_call
def polyak_sgd(
    lr: Hyperparameter = 1.0,
    *,
    scaling: Hyperparameter = 1.0,
    f_min: Hyperparameter = 0.0,
    eps: Hyperparameter = 0.0,
    variant: Literal["sps", "sps+"] = "sps",
) -> GradientTransformation:
    r"""Gradient descent with Polyak's step size, which the loss gives.

    .. math::
        \theta_{t+1} = \theta_t - \min\left(
            \frac{f(\theta_t) - f_{min}}{\lVert s g_t \rVert^2 + \varepsilon}, \, \eta \right) s g_t

    with the norm over all leaves: :func:`torchopt.transform.scale_by_polyak`. It reads the loss,
    ``value``: see :class:`torchopt.transform.GradientTransformationExtraArgs`.

    A hyperparameter may be a number, a schedule, or a scalar tensor (which may require grad).

    Args:
        lr: Largest step size :math:`\eta`, not negative (``max_learning_rate`` in Optax).
        scaling: What gradients are multiplied by first, :math:`s`, not negative.
        f_min: Least value of the loss, or a guess that is smaller.
        eps: Added to the squared norm, not negative.
        variant: ``"sps+"`` takes no step where the loss is less than ``f_min``; ``"sps"`` ascends.

    Returns:
        A transformation that matches Optax's ``polyak_sgd``.

    Raises:
        ValueError: If a number is negative that must not be, or the variant is another.
        TypeError: In ``update``, without the loss.

    Example:
        >>> import torch, torchopt
        >>> torchopt.minimize(
        ...     lambda x: (x ** 2).sum(), torch.tensor([3.0, 4.0]),
        ...     solver=torchopt.optimizers.polyak_sgd(), steps=1).params
        tensor([1.5000, 2.0000])

    References:
        Loizou et al., *Stochastic Polyak Step-size for SGD*, 2021, equation 3.
    """
    # By its own names, before parts that call them otherwise.
    hyperparameters.checked(lr=lr, scaling=scaling)
    return descend(lr=scaling, after=(scale_by_polyak(f_min, lr, eps=eps, variant=variant),))
