"""Adadelta."""

from __future__ import annotations

from typing_extensions import Unpack

from torchopt.optimizers.descent import Common, descend, optimizer
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import scale_by_adadelta
from torchopt.transform.chaining import GradientTransformation


@optimizer
def adadelta(
    lr: Hyperparameter = 1e-3,
    rho: Hyperparameter = 0.9,
    eps: Hyperparameter = 1e-6,
    weight_decay: Hyperparameter = 0.0,
    *,
    moment_requires_grad: bool = False,
    **common: Unpack[Common],
) -> GradientTransformation:
    r"""Adadelta.

    .. math::
        g_t &\leftarrow \nabla f(\theta_{t-1}) + \lambda \theta_{t-1}, \qquad
        \mu_t = \rho \mu_{t-1} + (1 - \rho) g_t^2 \\
        u_t &= \frac{\sqrt{\nu_{t-1} + \varepsilon}}{\sqrt{\mu_t + \varepsilon}} g_t, \qquad
        \nu_t = \rho \nu_{t-1} + (1 - \rho) u_t^2, \qquad
        \theta_t = \theta_{t-1} - \eta \, u_t

    Hyperparameters are numbers, schedules, tensors, or trees of these like the parameters.

    The defaults are those of TorchOpt 0.7.3; the classes have those of ``torch.optim``: ``lr=1.0``.

    Args:
        lr: Learning rate, not negative.
        rho: Decay rate of both means, in ``[0, 1)``.
        eps: Added inside the roots.
        weight_decay: L2 regularization: added to the gradient, times the parameters.
        moment_requires_grad: Whether the initial moments require grad.
        maximize: Whether to maximize.
        use_accelerated_op: As for :func:`torchopt.adam`.

    Returns:
        A transformation that matches ``torch.optim.Adadelta`` for the same arguments.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch, torchopt
        >>> opt = torchopt.adadelta(lr=1.0, rho=0.0, eps=1.0)
        >>> x, g = torch.tensor([1.0, 2.0]), torch.tensor([1.0, -1.0])
        >>> updates, state = opt.update(g, opt.init(x), params=x)
        >>> torchopt.apply_updates(x, updates)
        tensor([0.2929, 2.7071])

    References:
        Zeiler, *ADADELTA: An Adaptive Learning Rate Method*, 2012.
    """
    return descend(
        scale_by_adadelta(rho, eps, moment_requires_grad),
        lr=lr,
        weight_decay=weight_decay,
        common=common,
    )
