"""Schedule-free gradient descent."""

from __future__ import annotations

from typing import Any

from typing_extensions import Unpack

from torchopt.optimizers.descent import Common, descend, optimizer
from torchopt.pytree.typing import Hyperparameter
from torchopt.schedule import linear_schedule
from torchopt.transform import schedule_free
from torchopt.transform.chaining import GradientTransformation, identity
from torchopt.transform.hyperparameters import is_scalar


def warmed(lr: Any, warmup_steps: int) -> Any:
    """Return a schedule that rises to a learning rate; the rate itself without steps."""
    if warmup_steps <= 1:
        return lr
    if not is_scalar(lr):
        raise ValueError(
            f"`warmup_steps` is {warmup_steps}, but `lr` is a schedule or a tree: use a number or a "
            f"scalar tensor, or let the schedule warm up."
        )
    return linear_schedule(lr / warmup_steps, lr, warmup_steps - 1)


@optimizer
def schedule_free_sgd(
    lr: Hyperparameter = 1.0,
    *,
    beta: Hyperparameter = 0.9,
    weight_decay: Hyperparameter = 0.0,
    warmup_steps: int = 0,
    weight_lr_power: Hyperparameter = 2.0,
    **common: Unpack[Common],
) -> GradientTransformation:
    r"""Gradient descent with an average in the place of momentum and of a falling learning rate.

    .. math::
        z_t &= z_{t-1} - \eta_t \left( \nabla f(y_{t-1}) + \lambda y_{t-1} \right), \qquad
        c_t = \frac{w_t}{w_1 + \dots + w_t}, \qquad w_t = \Big( \max_{i \le t} \eta_i \Big)^p \\
        x_t &= (1 - c_t) x_{t-1} + c_t z_t, \qquad
        y_t = (1 - \beta_1) z_t + \beta_1 x_t

    The parameters are :math:`y_t`, where gradients are taken. Evaluate the model at the average
    :math:`x_t`, which :func:`torchopt.transform.schedule_free_eval_params` makes of state and
    parameters.

    A hyperparameter may be a number, a schedule, a tensor (which may require grad), or a tree of
    these with the structure of the parameters.

    Args:
        lr: Learning rate, not negative.
        beta: The weight :math:`\beta_1` of the average, in ``[0, 1)``, not a schedule.
        weight_decay: L2 regularization: added to the gradient, times the parameters.
        warmup_steps: The learning rate rises along a line in this many steps, and then stays. It must
            be 0, the default, if ``lr`` is a schedule or a tree.
        weight_lr_power: The power :math:`p` of the largest learning rate so far, which gives the
            weights of the average.
        maximize: Whether to maximize.
        use_accelerated_op: None (the default) uses a compiled kernel if one is available
            (:func:`torchopt.experimental.status`). True also compiles one on the CPU, and warns
            if none is available. False uses PyTorch's operations.

    Returns:
        A transformation that matches ``SGDScheduleFree`` of schedulefree.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch, torchopt
        >>> opt = torchopt.optimizers.schedule_free_sgd(lr=0.5)
        >>> params = (torch.tensor([1.0, 2.0]),)
        >>> state = opt.init(params)
        >>> updates, state = opt.update((torch.tensor([1.0, -1.0]),), state, params=params)
        >>> torchopt.apply_updates(params, updates)
        (tensor([0.5000, 2.5000]),)

    References:
        Defazio et al., *The Road Less Scheduled*, 2024, equations 3 to 5.
    """
    rate = warmed(lr, warmup_steps)
    return descend(
        lr=rate,
        weight_decay=weight_decay,
        after=[schedule_free(identity(), rate, beta=beta, weight_lr_power=weight_lr_power)],
        common=common,
    )
