"""Fromage."""

from __future__ import annotations

from typing import Any

import torch
from typing_extensions import Unpack

from torchopt.optimizers.descent import Common, descend, optimizer
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import ScaleByScheduleState, elementwise, scale_by_trust_ratio
from torchopt.transform.chaining import EmptyState, GradientTransformation
from torchopt.transform.hyperparameters import check, has_schedule


def _shrink(u: torch.Tensor, p: torch.Tensor, *, lr: Any) -> tuple[torch.Tensor]:
    factor = (1 + lr * lr) ** -0.5
    return ((factor - 1) * p - factor * lr * u,)


@optimizer
def fromage(
    lr: Hyperparameter = 1e-2,
    *,
    min_norm: Hyperparameter = 1e-6,
    **common: Unpack[Common],
) -> GradientTransformation:
    r"""Fromage: a step in proportion to the norm of each parameter, which cannot make it grow.

    .. math::
        \theta_t = \frac{1}{\sqrt{1 + \eta^2}} \left( \theta_{t-1} - \eta \,
            \frac{\max(\lVert \theta_{t-1} \rVert, m)}{\max(\lVert g_t \rVert, m)} \, g_t \right)

    with the norms of each leaf. ``lr`` is the relative change of a parameter in a step.

    A hyperparameter may be a number, a schedule, a tensor (which may require grad), or a tree of
    these with the structure of the parameters; ``min_norm`` is one number for each leaf.

    Args:
        lr: Learning rate, not negative.
        min_norm: Lower bound :math:`m` of both norms, not negative.
        maximize: Whether to maximize.
        use_accelerated_op: None (the default) uses a compiled kernel if one is available
            (:func:`torchopt.experimental.status`). True also compiles one, and warns if it
            cannot. False uses PyTorch's operations.

    Returns:
        A transformation that matches Optax's ``fromage``.

    Raises:
        ValueError: If a number is negative.

    Example:
        >>> import torch, torchopt
        >>> opt = torchopt.optimizers.fromage(lr=0.75)
        >>> params = (torch.tensor([3.0, 4.0]),)
        >>> state = opt.init(params)
        >>> updates, state = opt.update((torch.tensor([2.0, 0.0]),), state, params=params)
        >>> torchopt.apply_updates(params, updates)
        (tensor([-0.6000,  3.2000]),)

    References:
        Bernstein et al., *On the distance between two neural networks and the stability of learning*,
        2020, algorithm 1.
    """
    check("lr", lr)
    states = (ScaleByScheduleState, EmptyState)
    step = elementwise(
        _shrink,
        state=states if has_schedule(lr) else states[::-1],
        hyper={"lr": lr},
        needs_params=True,
    )
    return descend(scale_by_trust_ratio(min_norm), after=(step,), common=common)
