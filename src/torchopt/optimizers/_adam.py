"""Adam."""

from __future__ import annotations

from typing_extensions import Unpack

from torchopt.optimizers.descent import Common, descend, optimizer
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import scale_by_adam, scale_by_amsgrad
from torchopt.transform.chaining import GradientTransformation


@optimizer
def adam(
    lr: Hyperparameter = 1e-3,
    betas: tuple[Hyperparameter, Hyperparameter] = (0.9, 0.999),
    eps: Hyperparameter = 1e-8,
    weight_decay: Hyperparameter = 0.0,
    *,
    eps_root: Hyperparameter = 0.0,
    moment_requires_grad: bool = False,
    amsgrad: bool = False,
    **common: Unpack[Common],
) -> GradientTransformation:
    r"""Adam.

    .. math::
        g_t &\leftarrow \nabla f(\theta_{t-1}) + \lambda \theta_{t-1} \\
        \mu_t &= \beta_1 \mu_{t-1} + (1 - \beta_1) g_t, \qquad
        \nu_t = \beta_2 \nu_{t-1} + (1 - \beta_2) g_t^2 \\
        \theta_t &= \theta_{t-1} - \eta \frac{\mu_t / (1 - \beta_1^t)}
            {\sqrt{\nu_t / (1 - \beta_2^t) + \varepsilon_{root}} + \varepsilon}

    Hyperparameters are numbers, schedules, tensors, or trees of these like the parameters.

    Args:
        lr: Learning rate, not negative.
        betas: Decay rates of the first and the second moment, each in ``[0, 1)``.
        eps: Added outside the root.
        weight_decay: L2 regularization: added to the gradient, times the parameters.
        eps_root: Added inside the root.
        moment_requires_grad: Whether the initial moments require grad.
        maximize: Whether to maximize.
        amsgrad: Whether to divide by the largest second moment so far.
        use_accelerated_op: Whether to use a compiled kernel (:func:`torchopt.experimental.status`).
            By default, one is used if it exists; True also warns if there is none.

    Returns:
        A transformation that matches ``torch.optim.Adam`` for the same arguments.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch, torchopt
        >>> opt = torchopt.adam(lr=0.5)
        >>> x, g = torch.tensor([1.0, 2.0]), torch.tensor([1.0, -1.0])
        >>> updates, state = opt.update(g, opt.init(x), params=x)
        >>> torchopt.apply_updates(x, updates)
        tensor([0.5000, 2.5000])

    References:
        Kingma and Ba, *Adam: A Method for Stochastic Optimization*, 2015.
        Reddi, Kale and Kumar, *On the Convergence of Adam and Beyond*, 2018 (``amsgrad``).
    """
    rescale = scale_by_amsgrad if amsgrad else scale_by_adam
    return descend(
        rescale(betas=betas, eps=eps, eps_root=eps_root, moment_requires_grad=moment_requires_grad),
        lr=lr,
        weight_decay=weight_decay,
        common=common,
    )
