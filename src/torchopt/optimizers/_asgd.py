"""Averaged stochastic gradient descent."""

from __future__ import annotations

from typing_extensions import Unpack

from torchopt.optimizers.descent import Common, descend, optimizer
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import scale, scale_by_asgd
from torchopt.transform.chaining import GradientTransformation


@optimizer
def asgd(
    lr: Hyperparameter = 1e-2,
    lambd: Hyperparameter = 1e-4,
    alpha: Hyperparameter = 0.75,
    t0: Hyperparameter = 1e6,
    weight_decay: Hyperparameter = 0.0,
    **common: Unpack[Common],
) -> GradientTransformation:
    r"""Averaged stochastic gradient descent.

    .. math::
        \eta_t &= \frac{\eta}{(1 + \lambda \eta (t - 1))^\alpha}, \qquad
        \theta_t = (1 - \lambda \eta_t) \, \theta_{t-1} - \eta_t g_t \\
        \bar\theta_t &= \bar\theta_{t-1} + \frac{\theta_t - \bar\theta_{t-1}}{\max(1, t - 1 - t_0)}

    The averaged parameters :math:`\bar\theta` are the field ``average`` of
    :class:`torchopt.transform.ScaleByAsgdState`, a list of the leaves; in the class
    :class:`torchopt.optim.ASGD`, ``optimizer.state[p]["ax"]`` as in ``torch.optim``. A learning rate
    that changes takes effect in the same step; in ``torch.optim.ASGD`` in the next one.

    A hyperparameter may be a number, a schedule, a tensor (which may require grad), or a tree of
    these with the structure of the parameters.

    Args:
        lr: Learning rate, not negative.
        lambd: Decay :math:`\lambda` of parameters and learning rate, not negative.
        alpha: Power of the decay of the learning rate.
        t0: Number of updates before the average starts. Until then the average is the parameter.
        weight_decay: L2 regularization: added to the gradient, times the parameters.
        maximize: Whether to maximize.
        use_accelerated_op: None (the default) uses a compiled kernel if the package has one. True
            also compiles one for this chain when it is first used. False uses PyTorch's operations.

    Returns:
        A transformation that matches ``torch.optim.ASGD`` for the same arguments.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch, torchopt
        >>> opt = torchopt.optimizers.asgd(lr=0.5, lambd=0.0, t0=0)
        >>> params = {"w": torch.tensor([1.0])}
        >>> state = opt.init(params)
        >>> for _ in range(3):
        ...     updates, state = opt.update({"w": torch.tensor([1.0])}, state, params=params)
        ...     params = torchopt.apply_updates(params, updates)
        >>> (average,) = (part.average for part in state if hasattr(part, "average"))
        >>> params, torchopt.pytree.tree_unflatten(torchopt.pytree.tree_structure(params), average)
        ({'w': tensor([-0.5000])}, {'w': tensor([-0.2500])})

    References:
        Polyak and Juditsky, *Acceleration of Stochastic Approximation by Averaging*, 1992.
    """
    return descend(
        scale_by_asgd(lr, lambd, alpha=alpha, t0=t0),
        scale(-1.0),
        weight_decay=weight_decay,
        common=common,
    )
