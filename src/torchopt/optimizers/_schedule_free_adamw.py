"""Schedule-free AdamW."""

from __future__ import annotations

from typing_extensions import Unpack

from torchopt.optimizers._schedule_free_sgd import warmed
from torchopt.optimizers.descent import Common, descend, optimizer
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import hyperparameters, scale_by_rms, schedule_free
from torchopt.transform.chaining import GradientTransformation, identity


@optimizer
def schedule_free_adamw(
    lr: Hyperparameter = 2.5e-3,
    betas: tuple[Hyperparameter, Hyperparameter] = (0.9, 0.999),
    *,
    eps: Hyperparameter = 1e-8,
    weight_decay: Hyperparameter = 0.0,
    warmup_steps: int = 0,
    weight_lr_power: Hyperparameter = 2.0,
    **common: Unpack[Common],
) -> GradientTransformation:
    r"""AdamW with an average in the place of momentum and of a falling learning rate.

    .. math::
        \nu_t &= \beta_2 \nu_{t-1} + (1 - \beta_2) g_t^2 \\
        z_t &= z_{t-1} - \eta_t \left( \frac{g_t}{\sqrt{\nu_t / (1 - \beta_2^t)} + \varepsilon}
            + \lambda y_{t-1} \right), \qquad g_t = \nabla f(y_{t-1}) \\
        c_t &= \frac{w_t}{w_1 + \dots + w_t}, \qquad w_t = \Big( \max_{i \le t} \eta_i \Big)^p \\
        x_t &= (1 - c_t) x_{t-1} + c_t z_t, \qquad
        y_t = (1 - \beta_1) z_t + \beta_1 x_t

    The parameters are :math:`y_t`, where gradients are taken. Evaluate the model at the average
    :math:`x_t`, which :func:`torchopt.transform.schedule_free_eval_params` makes of state and
    parameters.

    A hyperparameter may be a number, a schedule, a tensor (which may require grad), or a tree of
    these with the structure of the parameters.

    Args:
        lr: Learning rate, not negative.
        betas: The weight :math:`\beta_1` of the average, which is not a schedule, and the decay rate of
            the second moment :math:`\beta_2`, each in ``[0, 1)``.
        eps: Added outside the root.
        weight_decay: Decoupled weight decay, scaled by the learning rate.
        warmup_steps: The learning rate rises along a line in this many steps, and then stays. It must
            be 0, the default, if ``lr`` is a schedule or a tree.
        weight_lr_power: The power :math:`p` of the largest learning rate so far, which gives the
            weights of the average.
        maximize: Whether to maximize.
        use_accelerated_op: None (the default) uses a compiled kernel if one is available
            (:func:`torchopt.experimental.status`). True also compiles one on the CPU, and warns
            if none is available. False uses PyTorch's operations.

    Returns:
        A transformation that matches ``AdamWScheduleFree`` of schedulefree.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch, torchopt
        >>> opt = torchopt.optimizers.schedule_free_adamw(lr=0.5)
        >>> params = (torch.tensor([1.0, 2.0]),)
        >>> state = opt.init(params)
        >>> updates, state = opt.update((torch.tensor([1.0, -1.0]),), state, params=params)
        >>> torchopt.apply_updates(params, updates)
        (tensor([0.5000, 2.5000]),)

    References:
        Defazio et al., *The Road Less Scheduled*, 2024, algorithm 1.
    """
    b1, b2 = hyperparameters.several("betas", betas, (0.9, 0.999))
    hyperparameters.check("betas[0]", b1, upper=1.0, schedules=False)
    b2 = hyperparameters.check("betas[1]", b2, upper=1.0)
    rate = warmed(lr, warmup_steps)
    return descend(
        scale_by_rms(b2, eps, bias_correction=True),
        lr=rate,
        decoupled_weight_decay=weight_decay,
        after=[schedule_free(identity(), rate, beta=b1, weight_lr_power=weight_lr_power)],
        shown={"beta": "betas[0]", "alpha": "betas[1]"},
        common=common,
    )
