"""Lion."""

from __future__ import annotations

from typing_extensions import Unpack

from torchopt.optimizers.descent import Common, descend, optimizer
from torchopt.pytree.typing import Hyperparameter, Mask
from torchopt.transform import scale_by_lion
from torchopt.transform.chaining import GradientTransformation


@optimizer
def lion(
    lr: Hyperparameter = 1e-4,
    betas: tuple[Hyperparameter, Hyperparameter] = (0.9, 0.99),
    *,
    weight_decay: Hyperparameter = 1e-3,
    smooth: Hyperparameter | None = None,
    mask: Mask | None = None,
    **common: Unpack[Common],
) -> GradientTransformation:
    r"""Lion: the sign of a mean of gradients, with decoupled weight decay.

    .. math::
        \theta_t &= \theta_{t-1} - \eta \left(
            \operatorname{sign}(\beta_1 \mu_{t-1} + (1 - \beta_1) g_t) + \lambda \theta_{t-1} \right) \\
        \mu_t &= \beta_2 \mu_{t-1} + (1 - \beta_2) g_t

    Every element moves by the learning rate, which is therefore 3 to 10 times smaller than for
    :func:`torchopt.adamw`, with a weight decay that is larger by the same factor. The derivative of the
    sign is zero almost everywhere: with ``smooth=None`` meta-gradients reach only ``lr``,
    ``weight_decay`` and the parameters. A NaN gradient stops its element; see
    :func:`torchopt.transform.scale_by_lion`.

    Hyperparameters are numbers, schedules, tensors, or trees of these like the parameters.

    Args:
        lr: Learning rate, not negative.
        betas: Weight of the moment in the update, and decay rate of the moment, each in ``[0, 1)``.
        weight_decay: Decoupled weight decay, scaled by the learning rate.
        smooth: Width :math:`w` of a smooth sign :math:`\tanh(\cdot / w)`, in the unit of the gradients,
            to differentiate through steps. None is the sign.
        mask: A tree of booleans, or a function from the parameters to one: True where weights decay.
            By default, everywhere.
        maximize: Whether to maximize.
        use_accelerated_op: As for :func:`torchopt.adam`.

    Returns:
        A transformation that matches Optax's ``lion`` for the same arguments.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch, torchopt
        >>> opt = torchopt.lion(lr=0.5, weight_decay=0.5)
        >>> x, g = torch.tensor([1.0, 2.0]), torch.tensor([1.0, -1.0])
        >>> updates, state = opt.update(g, opt.init(x), params=x)
        >>> torchopt.apply_updates(x, updates)
        tensor([0.2500, 2.0000])

    References:
        Chen et al., *Symbolic Discovery of Optimization Algorithms*, 2023, algorithm 2.
    """
    return descend(
        scale_by_lion(betas, smooth),
        lr=lr,
        decoupled_weight_decay=weight_decay,
        mask=mask,
        common=common,
    )
