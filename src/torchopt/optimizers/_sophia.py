"""Sophia."""

from __future__ import annotations

from collections.abc import Callable

import torch

from torchopt.io.calls import records_call
from torchopt.optimizers.descent import descend
from torchopt.pytree.typing import Hyperparameter, Mask, TensorTree
from torchopt.transform import scale_by_sophia
from torchopt.transform.chaining import GradientTransformation


@records_call
def sophia(
    lr: Hyperparameter = 1e-4,
    betas: tuple[Hyperparameter, Hyperparameter] = (0.965, 0.99),
    *,
    eps: Hyperparameter = 1e-8,
    weight_decay: Hyperparameter = 1e-4,
    mask: Mask | None = None,
    gamma: Hyperparameter = 0.01,
    clip_threshold: Hyperparameter = 1.0,
    update_interval: int = 10,
    hessian_diagonal_fn: Callable[[Callable[[TensorTree], torch.Tensor], TensorTree], TensorTree]
    | None = None,
) -> GradientTransformation:
    r"""Sophia: a first moment divided by an estimate of the Hessian's diagonal, clipped.

    .. math::
        \theta_t = \theta_{t-1} - \eta \left( \operatorname{clip}\left(
            \frac{\hat\mu_t}{\max(\gamma \, h_{t-1}, \varepsilon)}, \pm c \right)
            + \lambda \theta_{t-1} \right)

    with :math:`\hat\mu_t` and :math:`h_t` of :func:`torchopt.transform.scale_by_sophia`. It reads a
    function that returns the loss, ``value_fn``: see
    :class:`torchopt.transform.GradientTransformationExtraArgs`. To maximize, negate the loss.

    A hyperparameter that is no integer may be a number, a schedule, a tensor (which may require grad),
    or a tree of these with the structure of the parameters.

    Args:
        lr: Learning rate, not negative. The default is that of :func:`torchopt.lion`; Optax has none.
        betas: Decay rates of the first moment and of the mean of estimates, each in ``[0, 1)``.
        eps: Least divisor.
        weight_decay: Decoupled weight decay, scaled by the learning rate.
        mask: A tree of booleans, or a function from the parameters to one: True where weights decay.
            By default, everywhere.
        gamma: Factor :math:`\gamma` of the diagonal.
        clip_threshold: Bound :math:`c` of an element; None for no bound.
        update_interval: Number of updates for each estimate.
        hessian_diagonal_fn: ``(value_fn, params) -> tree``, an estimate of the diagonal; by default
            :func:`torchopt.transform.hutchinson`. Another one is
            :func:`torchopt.transform.gauss_newton_bartlett`.

    Returns:
        A transformation that matches Optax's ``contrib.sophia``.

    Raises:
        ValueError: If a number is out of range. In ``update``, without the parameters.
        TypeError: In ``update``, without ``value_fn``.

    Example:
        >>> import torch, torchopt
        >>> opt = torchopt.optimizers.sophia(lr=1.0, gamma=1.0, weight_decay=0.0)
        >>> torchopt.minimize(
        ...     lambda x: (x ** 2).sum(), torch.tensor([3.0, 4.0]), solver=opt, steps=1).params
        tensor([2., 3.])

    References:
        Liu et al., *Sophia: A Scalable Stochastic Second-order Optimizer for Language Model
        Pre-training*, 2023, algorithm 3.
    """
    rescale = scale_by_sophia(
        betas,
        eps,
        gamma=gamma,
        clip_threshold=clip_threshold,
        update_interval=update_interval,
        hessian_diagonal_fn=hessian_diagonal_fn,
    )
    return descend(rescale, lr=lr, decoupled_weight_decay=weight_decay, mask=mask)
