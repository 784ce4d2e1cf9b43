"""Apply updates to parameters."""

from __future__ import annotations

from typing import TypeVar

import torch

from torchopt import checks
from torchopt.pytree import flattening as pytree
from torchopt.pytree.typing import TensorTree
from torchopt.transform._misfits import check_params
from torchopt.transform._pass import are_plain

_Params = TypeVar("_Params")


def apply_updates(params: _Params, updates: TensorTree, *, inplace: bool = True) -> _Params:
    """Add updates to parameters.

    Args:
        params: A tree of tensors.
        updates: A tree of the same structure and shapes; None leaves a parameter as it is.
        inplace: Whether to write into the parameters (plain training) or to return new tensors,
            differentiable in parameters and updates.

    Returns:
        The parameters after the update, with their dtypes; the same tensors if ``inplace``.

    Raises:
        TypeError: If a leaf to be moved, or its update, is not a real floating tensor.
        ValueError: If structure or shapes differ; the parameters are then unchanged.

    Warns:
        UserWarning: If ``inplace`` and an update has a graph, which writing to a leaf parameter
            would cut.

    Example:
        >>> import torch
        >>> params = {"w": torch.tensor([1.0]), "b": torch.tensor([2.0])}
        >>> apply_updates(params, {"w": torch.tensor([0.5]), "b": None}, inplace=False)
        {'w': tensor([1.5000]), 'b': tensor([2.])}
    """
    leaves, spec = pytree.flatten(params)
    deltas, update_spec = pytree.flatten(updates)
    checks.check_same_structure(spec, update_spec, root="updates", reference="the parameters")
    plain = are_plain([leaves, deltas], [*leaves, *deltas])
    if not plain:
        checks.check_floating(deltas, spec, "updates")
        moved = [None if u is None else p for p, u in zip(leaves, deltas, strict=True)]
        check_params(moved, deltas, spec, "update")
    pairs = zip(leaves, deltas, strict=True)
    if not inplace:
        updated = [p if u is None else (p + u).to(p.dtype) for p, u in pairs]
        return pytree.unflatten(spec, updated)
    parameters = plain and all(map(_requires_grad, leaves)) and all(map(_is_leaf, leaves))
    if parameters and not any(map(_requires_grad, deltas)):
        with torch.no_grad():
            torch._foreach_add_(leaves, deltas)
        return params
    for p, u in pairs:
        if u is None:
            continue
        if not (p.is_leaf and p.requires_grad):
            p.add_(u)
            continue
        if u.requires_grad:
            checks.warn(
                "apply_updates(inplace=True) cuts the graph that the updates carry, because a leaf "
                "parameter is written to: pass inplace=False to differentiate through the update."
            )
        with torch.no_grad():
            p.add_(u)
    return params


# Getters for `map`, which runs no bytecode for each tensor.
_is_leaf = torch.Tensor.is_leaf.__get__  # type: ignore[attr-defined]
_requires_grad = torch.Tensor.requires_grad.__get__  # type: ignore[attr-defined]
