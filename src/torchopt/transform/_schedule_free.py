"""Schedule-free averaging, in the place of momentum and of a falling learning rate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeVar

import torch

from torchopt.io.calls import records_call
from torchopt.ops import where
from torchopt.pytree import flattening as pytree
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import hyperparameters
from torchopt.transform._prepare import Leaves
from torchopt.transform.beyond_elements import reduced
from torchopt.transform.chaining import GradientTransformation, chain

_Params = TypeVar("_Params")


class ScheduleFreeState(NamedTuple):
    """How far the parameters are from their average, the sum of weights, and the largest rate."""

    offset: Any
    weight_sum: Any
    max_lr: Any
    step: Any = ()


def _weigh(
    u: Leaves,
    offset: Leaves,
    *,
    lr: Any,
    weight_lr_power: Any,
    weight_sum: Any,
    max_lr: Any,
) -> Mapping[str, Any]:
    max_lr = max_lr.clamp(min=lr)
    # Select before the power, whose derivatives at a rate of zero may be infinite.
    weight = where(max_lr > 0, where(max_lr > 0, max_lr, 1.0) ** weight_lr_power, 0.0)
    weight_sum = weight_sum + weight
    fraction = weight / where(weight_sum > 0, weight_sum, 1.0)
    return {"weight_sum": weight_sum, "max_lr": max_lr, "fraction": fraction}


def _average(
    u: torch.Tensor, offset: torch.Tensor, *, beta: Any, fraction: Any
) -> tuple[torch.Tensor, ...]:
    # From the average to the base's parameters, after their step.
    ahead = offset / (1 - beta) + u
    new = (1 - beta) * (1 - fraction) * ahead
    return fraction * ahead + (new - offset), new


@records_call
def schedule_free(
    base_optimizer: GradientTransformation,
    /,
    lr: Hyperparameter,
    *,
    beta: Hyperparameter = 0.9,
    weight_lr_power: Hyperparameter = 2.0,
) -> GradientTransformation:
    r"""Average the steps of an optimizer without momentum, so that it needs no schedule.

    .. math::
        z_t &= z_{t-1} + u_t, \qquad
        w_t = \Big( \max_{i \le t} \eta_i \Big)^p, \qquad
        c_t = \frac{w_t}{w_1 + \dots + w_t} \\
        x_t &= (1 - c_t) x_{t-1} + c_t z_t, \qquad
        y_t = (1 - \beta_1) z_t + \beta_1 x_t

    with the steps :math:`u_t` of ``base_optimizer``. The parameters are :math:`y_t`: take gradients
    there, and give them to ``base_optimizer``, as its weight decay. Evaluate the model at the average
    :math:`x_t`, which is :func:`schedule_free_eval_params`. The state keeps :math:`y_t - x_t`.

    Args:
        base_optimizer: An optimizer with its learning rate, but without momentum.
        lr: The learning rate of ``base_optimizer``, which gives the weights: a number, a tensor, or a
            schedule that warms up and does not fall. It is that of the step; Optax reads a schedule one
            step ahead. In a tree, leaves have weights of their own.
        beta: The weight :math:`\beta_1` of the average, in ``[0, 1)``, not a schedule.
        weight_lr_power: The power :math:`p`. A rate of zero has the weight zero.

    Returns:
        The chain of ``base_optimizer`` and the averaging. A leaf without a gradient keeps its average.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> import torch, torchopt
        >>> tx = schedule_free(torchopt.sgd(0.5), 0.5)
        >>> params = {"w": torch.tensor([1.0])}
        >>> state = tx.init(params)
        >>> for _ in range(2):
        ...     grads = {"w": torch.tensor([2.0])}
        ...     updates, state = tx.update(grads, state, params=params)
        ...     params = torchopt.apply_updates(params, updates)
        >>> params, schedule_free_eval_params(state, params)
        ({'w': tensor([-0.5500])}, {'w': tensor([-0.5000])})

    References:
        Defazio et al., *The Road Less Scheduled*, 2024, equations 3 to 5 and algorithm 1.
    """
    hyperparameters.check("lr", lr)
    hyperparameters.check("beta", beta, upper=1.0, schedules=False)
    hyperparameters.check("weight_lr_power", weight_lr_power, lower=None)
    one = callable(lr) or hyperparameters.is_scalar(lr)
    average = reduced(
        _average,
        prepare=_weigh,
        over="tree" if one else "leaf",
        memory={"weight_sum": 0.0, "max_lr": 0.0},
        state=ScheduleFreeState,
        slots={"offset": 0.0},
        hyper={"lr": lr, "beta": beta, "weight_lr_power": weight_lr_power},
    )
    return chain(base_optimizer, average)


def schedule_free_eval_params(state: Any, params: _Params) -> _Params:
    """Return the averaged parameters, at which a model is evaluated.

    Args:
        state: The state of :func:`schedule_free`, or one that contains it.
        params: The parameters, a tree.

    Returns:
        The average, a tree like ``params``; differentiable in both arguments.

    Raises:
        ValueError: If the state contains none of :func:`schedule_free`, or one of other parameters.

    Example:
        >>> import torch, torchopt
        >>> tx = torchopt.optimizers.schedule_free_sgd(0.5)
        >>> params = torch.tensor([1.0])
        >>> schedule_free_eval_params(tx.init(params), params)
        tensor([1.])
    """
    found = _found(state)
    leaves, spec = pytree.flatten(params)
    offsets = [] if found is None else pytree.leaves(found.offset)
    if found is None or len(offsets) != len(leaves):
        raise ValueError(
            "the state contains none of `schedule_free` for these parameters: pass the state and the "
            "parameters of one optimizer."
        )
    pairs = zip(leaves, offsets, strict=True)
    return pytree.unflatten(spec, [p if p is None or o is None else p - o for p, o in pairs])


def _found(state: Any) -> ScheduleFreeState | None:
    if isinstance(state, ScheduleFreeState):
        return state
    parts = map(_found, state) if isinstance(state, (tuple, list)) else ()
    return next((part for part in parts if part is not None), None)
