"""Adamax."""

from __future__ import annotations

from typing_extensions import Unpack

from torchopt.optimizers.descent import Common, descend, optimizer
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import scale_by_adamax
from torchopt.transform.chaining import GradientTransformation


@optimizer
def adamax(
    lr: Hyperparameter = 1e-3,
    betas: tuple[Hyperparameter, Hyperparameter] = (0.9, 0.999),
    eps: Hyperparameter = 1e-6,
    weight_decay: Hyperparameter = 0.0,
    *,
    moment_requires_grad: bool = False,
    **common: Unpack[Common],
) -> GradientTransformation:
    r"""Adamax: Adam with the infinity norm.

    .. math::
        g_t &\leftarrow \nabla f(\theta_{t-1}) + \lambda \theta_{t-1}, \qquad
        \mu_t = \beta_1 \mu_{t-1} + (1 - \beta_1) g_t \\
        \nu_t &= \max(\beta_2 \nu_{t-1}, |g_t| + \varepsilon), \qquad
        \theta_t = \theta_{t-1} - \frac{\eta \, \mu_t}{(1 - \beta_1^t) \nu_t}

    Hyperparameters are numbers, schedules, tensors, or trees of these like the parameters.

    The defaults are those of TorchOpt 0.7.3; the classes have those of ``torch.optim``: ``lr=0.002``,
    ``eps=1e-08``.

    Args:
        lr: Learning rate, not negative.
        betas: Decay rates of the first moment and of the norm, each in ``[0, 1)``.
        eps: Added to the absolute gradient.
        weight_decay: L2 regularization: added to the gradient, times the parameters.
        moment_requires_grad: Whether the initial moments require grad.
        maximize: Whether to maximize.
        use_accelerated_op: As for :func:`torchopt.adam`.

    Returns:
        A transformation that matches ``torch.optim.Adamax`` for the same arguments.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch, torchopt
        >>> opt = torchopt.adamax(lr=0.5)
        >>> x, g = torch.tensor([1.0, 2.0]), torch.tensor([1.0, -1.0])
        >>> updates, state = opt.update(g, opt.init(x), params=x)
        >>> torchopt.apply_updates(x, updates)
        tensor([0.5000, 2.5000])

    References:
        Kingma and Ba, *Adam: A Method for Stochastic Optimization*, 2015, section 7.1.
    """
    return descend(
        scale_by_adamax(betas=betas, eps=eps, moment_requires_grad=moment_requires_grad),
        lr=lr,
        weight_decay=weight_decay,
        common=common,
    )
