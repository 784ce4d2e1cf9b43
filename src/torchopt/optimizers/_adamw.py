"""AdamW."""

from __future__ import annotations

from typing_extensions import Unpack

from torchopt.optimizers.descent import Common, descend, optimizer
from torchopt.pytree.typing import Hyperparameter, Mask
from torchopt.transform import scale_by_adam, scale_by_amsgrad
from torchopt.transform.chaining import GradientTransformation


@optimizer
def adamw(
    lr: Hyperparameter = 1e-3,
    betas: tuple[Hyperparameter, Hyperparameter] = (0.9, 0.999),
    eps: Hyperparameter = 1e-8,
    weight_decay: Hyperparameter = 1e-2,
    *,
    eps_root: Hyperparameter = 0.0,
    mask: Mask | None = None,
    moment_requires_grad: bool = False,
    amsgrad: bool = False,
    **common: Unpack[Common],
) -> GradientTransformation:
    r"""Adam with decoupled weight decay.

    .. math::
        \theta_t = \theta_{t-1} - \eta \left( \frac{\mu_t / (1 - \beta_1^t)}
            {\sqrt{\nu_t / (1 - \beta_2^t) + \varepsilon_{root}} + \varepsilon}
            + \lambda \theta_{t-1} \right)

    with the moments of :func:`torchopt.adam`.

    Hyperparameters are numbers, schedules, tensors, or trees of these like the parameters.

    Args:
        lr: Learning rate, not negative.
        betas: Decay rates of the first and the second moment, each in ``[0, 1)``.
        eps: Added outside the root.
        weight_decay: Decoupled weight decay, scaled by the learning rate.
        eps_root: Added inside the root.
        mask: A tree of booleans, or a function from the parameters to one: True where weights decay.
            By default, everywhere.
        moment_requires_grad: Whether the initial moments require grad.
        maximize: Whether to maximize.
        amsgrad: Whether to divide by the largest second moment so far.
        use_accelerated_op: As for :func:`torchopt.adam`.

    Returns:
        A transformation that matches ``torch.optim.AdamW`` for the same arguments.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch, torchopt
        >>> opt = torchopt.adamw(lr=0.5, weight_decay=0.5)
        >>> x, g = torch.tensor([1.0, 2.0]), torch.tensor([1.0, -1.0])
        >>> updates, state = opt.update(g, opt.init(x), params=x)
        >>> torchopt.apply_updates(x, updates)
        tensor([0.2500, 2.0000])

    References:
        Loshchilov and Hutter, *Decoupled Weight Decay Regularization*, 2019, algorithm 2.
    """
    rescale = scale_by_amsgrad if amsgrad else scale_by_adam
    return descend(
        rescale(betas=betas, eps=eps, eps_root=eps_root, moment_requires_grad=moment_requires_grad),
        lr=lr,
        decoupled_weight_decay=weight_decay,
        mask=mask,
        common=common,
    )
