"""COCOB."""

from __future__ import annotations

from typing import Any

import torch
from typing_extensions import Unpack

from torchopt.optimizers.descent import Common, descend, optimizer
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import ScaleByScheduleState, elementwise, scale_by_cocob
from torchopt.transform.chaining import EmptyState, GradientTransformation
from torchopt.transform.hyperparameters import check, has_schedule


def _weigh(g: torch.Tensor, *, lr: Any) -> tuple[torch.Tensor]:
    return (lr * g,)


@optimizer
def cocob(
    lr: Hyperparameter = 1.0,
    *,
    alpha: Hyperparameter = 100.0,
    eps: Hyperparameter = 1e-8,
    weight_decay: Hyperparameter = 0.0,
    **common: Unpack[Common],
) -> GradientTransformation:
    r"""COCOB: descent without a learning rate, by betting coins on the sign of each gradient.

    The steps are those of :func:`torchopt.transform.scale_by_cocob`. A common factor of all
    gradients hardly changes them.

    A hyperparameter may be a number, a schedule, a tensor (which may require grad), or a tree of
    these with the structure of the parameters.

    Args:
        lr: A factor of the gradients, not negative: a weight of each step.
        alpha: Bounds the bets of the first steps: the larger, the smaller they are.
        eps: Initial scale of the gradients, positive.
        weight_decay: L2 regularization: added to the gradient, times the parameters.
        maximize: Whether to maximize.
        use_accelerated_op: None (the default) uses a compiled kernel if one is available
            (:func:`torchopt.experimental.status`). True also compiles one on the CPU, and warns
            if none is available. False uses PyTorch's operations.

    Returns:
        A transformation that matches Optax's ``contrib.cocob``.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch, torchopt
        >>> opt = torchopt.optimizers.cocob()
        >>> params = (torch.tensor([1.0, 2.0]),)
        >>> state = opt.init(params)
        >>> updates, state = opt.update((torch.tensor([4.0, -3.0]),), state, params=params)
        >>> torchopt.apply_updates(params, updates)
        (tensor([0.9900, 2.0100]),)

    References:
        Orabona and Tommasi, *Training Deep Networks without Learning Rates Through Coin Betting*,
        2017, algorithm 2.
    """
    check("lr", lr)
    states = (EmptyState, ScaleByScheduleState)
    return descend(
        elementwise(_weigh, state=states[::-1] if has_schedule(lr) else states, hyper={"lr": lr}),
        scale_by_cocob(alpha, eps),
        weight_decay=weight_decay,
        common=common,
    )
