"""Transformations from a formula that sees more of a leaf than one element.

The siblings of :func:`torchopt.transform.elementwise`: :func:`leafwise` gives a formula the leaf,
:func:`reduced` gives it numbers that are made of whole leaves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

import torch

from torchopt.io.calls import records_call
from torchopt.transform._rule import Rule
from torchopt.transform.chaining import EmptyState, GradientTransformation, from_rule


@records_call
def leafwise(
    formula: Callable[..., tuple[Any, ...]],
    *,
    state: type[object] | tuple[type[object], ...] = EmptyState,
    slots: Mapping[str, Any] | None = None,
    hyper: Mapping[str, Any] | None = None,
    scalars: Callable[..., Mapping[str, Any]] | None = None,
    needs_params: bool = False,
    slots_require_grad: bool = False,
    overwrites: bool = False,
) -> GradientTransformation:
    """Make a gradient transformation from a formula that sees a leaf with its shape.

    The sibling of :func:`torchopt.transform.elementwise` for formulas that reduce, reshape or
    multiply matrices. It is evaluated leaf by leaf in PyTorch's operations; the other transformations
    of a chain keep their kernels. Where ``vmap`` maps the parameters, the formula sees the leaf of one
    task; of a DTensor, it sees the whole, gathered for the update.

    Args:
        formula: ``(g, *slots, **hyper) -> (u, *slots)``, or ``(g, p, *slots, **hyper)`` with
            ``needs_params``; a pure function, in differentiable PyTorch operations. The update has
            the shape of the gradient, and new slots have the shapes of the old ones. It is given
            leaves of 16 bits in float32, and by keyword, if it takes ``leaf_dtype``, their own dtype.
            Define it at the top level of a module, so that the transformation can be pickled.
        state: A NamedTuple, or several, as in :func:`torchopt.transform.elementwise`.
        slots: Name and initial value of each slot: a number or a tensor, as there, for
            slots that are shaped like the leaf; or a function ``leaf -> tensor``, which may also
            return a tuple of tensors, or None for a leaf that does not have this slot. It should
            look at shape, dtype and device only. The formula is given, and returns, what such a
            function returns; in the state, the empty tuple stands for None.
        hyper: Name and value of each hyperparameter, as there; a tensor is a scalar for each leaf.
        scalars: ``(t, **hyper) -> dict`` of further arguments, as there.
        needs_params: Whether the formula reads the parameter.
        slots_require_grad: Whether the initial slots are leaves that require grad.
        overwrites: As there.

    Returns:
        The gradient transformation. Its ``update`` raises ``ValueError`` or ``TypeError``, naming the
        leaf, if the tree, a shape, a dtype or the state is not what ``init`` was given, or if a
        tensor among the hyperparameters is not a scalar.

    Example:
        >>> import torch
        >>> def per_row(g):
        ...     return (g / g.norm(dim=-1, keepdim=True),)
        >>> tx = leafwise(per_row)
        >>> g = (torch.tensor([[3.0, 4.0], [0.0, 2.0]]),)
        >>> tx.update(g, tx.init(g))[0]
        (tensor([[0.6000, 0.8000],
                [0.0000, 1.0000]]),)
    """
    state_of = (state, slots, hyper, scalars, needs_params, slots_require_grad)
    rule = Rule(formula, *state_of, overwrites=overwrites, leafwise=True, container="list")
    return from_rule(rule)


@records_call
def reduced(
    formula: Callable[..., tuple[torch.Tensor, ...]],
    *,
    prepare: Callable[..., Mapping[str, Any]],
    over: Literal["leaf", "tree"] = "leaf",
    memory: Mapping[str, Any] | None = None,
    state: type[object] | tuple[type[object], ...] = EmptyState,
    slots: Mapping[str, Any] | None = None,
    hyper: Mapping[str, Any] | None = None,
    needs_params: bool = False,
    slots_require_grad: bool = False,
    fused: bool | None = None,
    reads: tuple[str, ...] = (),
) -> GradientTransformation:
    r"""Make a gradient transformation from a formula that also reads norms of leaves, or of all.

    Each update has two parts: numbers are made of whole leaves, in PyTorch's operations; the formula is
    evaluated for each element, as a kernel if there is one.

    Both functions are pure and use differentiable PyTorch operations; define them at the top level of
    a module. They take by keyword the numbers that their signatures name: hyperparameters;
    ``memory``; ``count``, the number of updates from 1; and the formula, what ``prepare`` made. A
    number may be a float or a tensor (see :func:`torchopt.experimental.where` and ``sqrt`` there);
    those in ``memory`` are float64 scalar tensors in ``prepare``.

    Args:
        formula: ``(g, *slots, **numbers) -> (u, *slots)``, or ``(g, p, *slots, **numbers)`` with
            ``needs_params``, as in :func:`torchopt.transform.elementwise`.
        prepare: ``(g, [p,] *slots, **numbers) -> dict`` of scalars for the formula, for the update and
            state before it: lists of leaves, in float32 at least. Under a name in ``memory``, a scalar
            is the new value.
        over: Whether ``prepare`` is given each leaf alone, ``"leaf"``, as lists of one; or all leaves
            that have a gradient, ``"tree"``.
        memory: Name and initial value of each number that is kept from step to step: a field of the
            state, with a scalar tensor for each leaf, or one for all. It has float32 at least.
        state: A NamedTuple with a field for each slot, each number in ``memory``, ``count`` if a
            function takes it, and ``step``, as in :func:`torchopt.transform.elementwise`.
        slots: Name and initial value of each slot, as there.
        hyper: Name and value of each hyperparameter, as there. Those that ``prepare`` takes must be
            one number for each leaf; if it is given the tree, one number for all.
        needs_params: Whether both functions read the parameter.
        slots_require_grad: Whether the initial slots are leaves that require grad.
        fused: Whether to use kernels, as there.
        reads: Names of further arguments of ``update`` that are scalars, such as ``"value"``, which
            both functions may take.

    Returns:
        The gradient transformation. If no leaf has a gradient, its ``update`` changes nothing.

    Raises:
        ValueError: If ``over`` is neither ``"leaf"`` nor ``"tree"``.

    Example:
        >>> import torch
        >>> def prepare(g):
        ...     return {"norm": g[0].norm()}
        >>> def formula(g, *, norm):
        ...     return (g / norm,)
        >>> tx = reduced(formula, prepare=prepare)
        >>> g = (torch.tensor([3.0, 4.0]), torch.tensor([-2.0]))
        >>> tx.update(g, tx.init(g))[0]
        (tensor([0.6000, 0.8000]), tensor([-1.]))
    """
    if over not in ("leaf", "tree"):
        raise ValueError(f'`over` is {over!r}, but it must be "leaf" or "tree".')
    state_of = (state, slots, hyper, None, needs_params, slots_require_grad, fused)
    rule = Rule(formula, *state_of, reads=reads, prepare=prepare, over=over, memory=memory)
    return from_rule(rule)
