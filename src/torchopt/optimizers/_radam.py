"""RAdam."""

from __future__ import annotations

from typing_extensions import Unpack

from torchopt.optimizers.descent import Common, descend, optimizer
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import scale_by_radam
from torchopt.transform.chaining import GradientTransformation


@optimizer
def radam(
    lr: Hyperparameter = 1e-3,
    betas: tuple[Hyperparameter, Hyperparameter] = (0.9, 0.999),
    eps: Hyperparameter = 1e-6,
    weight_decay: Hyperparameter = 0.0,
    *,
    moment_requires_grad: bool = False,
    **common: Unpack[Common],
) -> GradientTransformation:
    r"""RAdam: Adam with a rectified variance.

    .. math::
        \theta_t = \theta_{t-1} - \eta \frac{\mu_t}{1 - \beta_1^t} \cdot
        \begin{cases}
            r_t \sqrt{1 - \beta_2^t} / (\sqrt{\nu_t} + \varepsilon) & \rho_t > 5 \\
            1 & \text{otherwise}
        \end{cases}

    with the moments of :func:`torchopt.adam`, and :math:`\rho_t` and :math:`r_t` of
    :func:`torchopt.transform.scale_by_radam`.

    Hyperparameters are numbers, schedules, tensors, or trees of these like the parameters.

    The defaults are those of TorchOpt 0.7.3; the classes have those of ``torch.optim``: ``eps=1e-08``.

    Args:
        lr: Learning rate, not negative.
        betas: Decay rates of the first and the second moment, each in ``[0, 1)``.
        eps: Added outside the root.
        weight_decay: L2 regularization: added to the gradient, times the parameters.
        moment_requires_grad: Whether the initial moments require grad.
        maximize: Whether to maximize.
        use_accelerated_op: As for :func:`torchopt.adam`.

    Returns:
        A transformation that matches ``torch.optim.RAdam`` for the same arguments.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch, torchopt
        >>> opt = torchopt.radam(lr=0.5)
        >>> x, g = torch.tensor([1.0, 2.0]), torch.tensor([1.0, -1.0])
        >>> updates, state = opt.update(g, opt.init(x), params=x)
        >>> torchopt.apply_updates(x, updates)
        tensor([0.5000, 2.5000])

    References:
        Liu et al., *On the Variance of the Adaptive Learning Rate and Beyond*, 2020.
    """
    return descend(
        scale_by_radam(betas=betas, eps=eps, moment_requires_grad=moment_requires_grad),
        lr=lr,
        weight_decay=weight_decay,
        common=common,
    )
