"""RMSprop."""

from __future__ import annotations

from typing_extensions import Unpack

from torchopt.optimizers.descent import Common, descend, optimizer
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import scale_by_rms, scale_by_stddev, trace
from torchopt.transform.chaining import GradientTransformation


@optimizer
def rmsprop(
    lr: Hyperparameter = 1e-2,
    alpha: Hyperparameter = 0.99,
    eps: Hyperparameter = 1e-8,
    weight_decay: Hyperparameter = 0.0,
    momentum: Hyperparameter = 0.0,
    centered: bool = False,
    *,
    initial_scale: Hyperparameter = 0.0,
    nesterov: bool = False,
    **common: Unpack[Common],
) -> GradientTransformation:
    r"""RMSprop.

    .. math::
        g_t &\leftarrow \nabla f(\theta_{t-1}) + \lambda \theta_{t-1}, \qquad
        \nu_t = \alpha \nu_{t-1} + (1 - \alpha) g_t^2 \\
        b_t &= m \, b_{t-1} + \frac{g_t}{\sqrt{\nu_t} + \varepsilon}, \qquad
        \theta_t = \theta_{t-1} - \eta \, b_t

    where Nesterov momentum moves by :math:`g_t / (\sqrt{\nu_t} + \varepsilon) + m \, b_t` instead of
    :math:`b_t`, and the centered form has :math:`\nu_t - \mu_t^2` under the root, with the running
    mean of the gradient :math:`\mu_t`.

    Hyperparameters are numbers, schedules, tensors, or trees of these like the parameters.

    Args:
        lr: Learning rate, not negative.
        alpha: Decay rate of the mean square, in ``[0, 1)``.
        eps: Added outside the root.
        weight_decay: L2 regularization: added to the gradient, times the parameters.
        momentum: Decay rate of the momentum buffer, not negative. The number 0 keeps no buffer.
        centered: Whether to divide by the standard deviation instead of the root mean square.
        initial_scale: Initial value of the mean square.
        nesterov: Whether to look ahead; needs momentum.
        maximize: Whether to maximize.
        use_accelerated_op: As for :func:`torchopt.adam`.

    Returns:
        A transformation that matches ``torch.optim.RMSprop`` for the same arguments.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch, torchopt
        >>> opt = torchopt.rmsprop(lr=0.5, alpha=0.75)
        >>> x, g = torch.tensor([1.0, 2.0]), torch.tensor([1.0, -1.0])
        >>> updates, state = opt.update(g, opt.init(x), params=x)
        >>> torchopt.apply_updates(x, updates)
        tensor([0., 3.])

    References:
        Tieleman and Hinton, *Lecture 6.5: RMSProp*, 2012. Graves, 2013 (``centered``).
    """
    rescale = scale_by_stddev if centered else scale_by_rms
    return descend(
        rescale(alpha, eps, initial_scale),
        trace(momentum, nesterov=nesterov),
        lr=lr,
        weight_decay=weight_decay,
        common=common,
    )
