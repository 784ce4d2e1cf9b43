"""Multiply updates by a factor, such as the negative learning rate, and add decayed weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch

from torchopt import checks
from torchopt.formula import optimizers
from torchopt.io.calls import records_call
from torchopt.pytree.typing import Hyperparameter, Mask
from torchopt.transform import hyperparameters
from torchopt.transform._masked import MaskedState, masked
from torchopt.transform.chaining import EmptyState, GradientTransformation, absent, elementwise


class ScaleByScheduleState(NamedTuple):
    """The number of updates done."""

    count: Any


class ScaleByDecayState(NamedTuple):
    """Counters: the updates of each leaf, and all updates if there is a schedule."""

    count: Any
    step: Any = ()


def schedule_states(value: Any) -> tuple[type[object], ...]:
    """Return the types of states of a transformation with one hyperparameter."""
    states = (EmptyState, ScaleByScheduleState)
    return states[::-1] if hyperparameters.has_schedule(value) else states


def _make(
    formula: Callable[..., tuple[torch.Tensor]], name: str, value: Any
) -> GradientTransformation:
    return elementwise(formula, state=schedule_states(value), hyper={name: value}, overwrites=True)


@records_call
def scale(step_size: Hyperparameter) -> GradientTransformation:
    """Multiply the updates by a factor.

    Args:
        step_size: A number, a tensor (which may require grad), a schedule, or a tree of these with
            the structure of the parameters.

    Returns:
        A gradient transformation, ``u = step_size * g``.

    Example:
        >>> import torch
        >>> tx = scale(-0.5)
        >>> tx.update({"w": torch.tensor([2.0])}, tx.init({"w": torch.tensor([1.0])}))[0]
        {'w': tensor([-1.])}
    """
    hyperparameters.check("step_size", step_size, lower=None)
    return _make(optimizers.scale, "step_size", step_size)


@records_call
def scale_by_schedule(step_size_fn: Callable[[torch.Tensor], Any]) -> GradientTransformation:
    """Multiply the updates by a schedule of the step count.

    Args:
        step_size_fn: Called with the number of updates done before this one, as a float64 scalar
            tensor, so that its arithmetic is exact; returns a number or a tensor.

    Returns:
        A gradient transformation, ``u = step_size_fn(count) * g``.

    Raises:
        TypeError: If ``step_size_fn`` cannot be called.

    Example:
        >>> import torch, torchopt
        >>> tx = scale_by_schedule(torchopt.schedule.linear_schedule(1.0, 0.0, transition_steps=4))
        >>> g = (torch.tensor([8.0]),)
        >>> state = tx.init(g)
        >>> u, state = tx.update(g, state)
        >>> tx.update(g, state)[0]
        (tensor([6.]),)
    """
    word = checks.a_function("the step count, or use `scale` for a constant")
    checks.check("step_size_fn", step_size_fn, word)
    return _make(optimizers.scale, "step_size", step_size_fn)


@records_call
def scale_by_learning_rate(lr: Hyperparameter) -> GradientTransformation:
    """Multiply the updates by the negative learning rate, so that adding them descends.

    Args:
        lr: A number, not negative, a tensor (which may require grad), a schedule, or a tree of
            these with the structure of the parameters: per-tensor or per-element learning rates.

    Returns:
        A gradient transformation, ``u = -lr * g``.

    Raises:
        ValueError: If a number is negative.

    Example:
        >>> import torch
        >>> tx = scale_by_learning_rate({"a": 0.1, "b": torch.tensor([1.0, 2.0])})
        >>> g = {"a": torch.tensor([1.0]), "b": torch.tensor([1.0, 1.0])}
        >>> tx.update(g, tx.init(g))[0]
        {'a': tensor([-0.1000]), 'b': tensor([-1., -2.])}
    """
    hyperparameters.check("lr", lr)
    return _make(optimizers.descend, "lr", lr)


@records_call
def add_decayed_weights(
    weight_decay: Hyperparameter = 0.0, mask: Mask | None = None
) -> GradientTransformation:
    r"""Add the parameters, scaled, to the updates.

    .. math:: u_t = g_t + \lambda \theta_t

    Before an adaptive rescaling this is L2 regularization; after it, decoupled weight decay.

    Args:
        weight_decay: :math:`\lambda`, not negative.
        mask: A tree of booleans with the structure of the parameters, or a function from the
            parameters to one: True where weights decay. By default, everywhere.

    Returns:
        A gradient transformation whose ``update`` needs ``params``; for the number 0 it needs none,
        and changes nothing.

    Raises:
        ValueError: If ``weight_decay`` is negative.

    Example:
        >>> import torch
        >>> tx = add_decayed_weights(0.1)
        >>> p, g = (torch.tensor([10.0]),), (torch.tensor([1.0]),)
        >>> tx.update(g, tx.init(p), params=p)[0]
        (tensor([2.]),)

    References:
        Loshchilov and Hutter, *Decoupled Weight Decay Regularization*, 2019.
    """
    hyperparameters.check("weight_decay", weight_decay)
    if hyperparameters.is_zero(weight_decay):
        return absent(ScaleByScheduleState, MaskedState)
    decay = elementwise(
        optimizers.decay,
        state=schedule_states(weight_decay),
        hyper={"weight_decay": weight_decay},
        needs_params=True,
        overwrites=True,
    )
    return decay if mask is None else masked(decay, mask)
