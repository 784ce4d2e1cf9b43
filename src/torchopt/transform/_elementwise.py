"""Make a transformation from a formula on one leaf, as nearly all are made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch

from torchopt.transform import hyperparameters
from torchopt.transform._rule import Rule
from torchopt.transform.chaining import EmptyState, GradientTransformation

__all__ = ["elementwise"]


def elementwise(
    formula: Callable[..., tuple[torch.Tensor, ...]],
    *,
    state: type[Any] = EmptyState,
    slots: Mapping[str, Any] | None = None,
    hyper: Mapping[str, Any] | None = None,
    scalars: Callable[..., Mapping[str, Any]] | None = None,
    needs_params: bool = False,
    slots_require_grad: bool = False,
    fused: bool | None = None,
) -> GradientTransformation:
    """Make a gradient transformation from a formula on one leaf.

    Args:
        formula: ``(g, *slots, **hyper) -> (u, *slots)``, or ``(g, p, *slots, **hyper)`` with
            ``needs_params``; a pure function, in differentiable PyTorch operations. Define it at the
            top level of a module, so that the transformation can be pickled.
        state: A NamedTuple with one field for each slot; ``count`` if there are ``scalars``: the
            updates of each leaf; and ``step``, with a default: all updates, for schedules.
        slots: Name and initial value of each slot, a tree like the parameters; the value may be a
            pair of the argument's name, for messages, and a number, a tensor or a tree of these.
        hyper: Name and value of each hyperparameter: a number, a schedule, a tensor, or a tree of
            these. The formula is given the value for its leaf at this step.
        scalars: ``(t, **hyper) -> dict`` of further arguments of the formula, computed once for
            leaves in lockstep; ``t`` is the number of the leaf's update, from 1: a float, or a
            float64 scalar tensor (see :func:`torchopt.ops.where` and :func:`torchopt.ops.sqrt`).
        needs_params: Whether the formula reads the parameter.
        slots_require_grad: Whether the initial slots are leaves that require grad.
        fused: Whether to use a compiled kernel for the formula: by default, if there is one; True
            also compiles one on the CPU, and warns if the formula cannot be recorded; False uses
            PyTorch's operations.

    Returns:
        The gradient transformation. Its ``update`` raises ``ValueError`` or ``TypeError``, naming
        the leaf, if the tree, a shape, a dtype or the state is not what ``init`` was given.
    """
    rule = Rule(
        formula=formula,
        state_type=state,
        slots=dict(slots or {}),
        hyper=dict(hyper or {}),
        scalars=scalars,
        needs_params=needs_params,
        slots_require_grad=slots_require_grad,
        scheduled=any(map(hyperparameters.has_schedule, (hyper or {}).values())),
        fused=fused,
    )
    return GradientTransformation(rule.init, rule.update)
