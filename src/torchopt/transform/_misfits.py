"""States, parameters and leaves that do not fit the updates: what is wrong with them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import torch

from torchopt import checks
from torchopt.pytree import PyTreeSpec
from torchopt.pytree import flattening as pytree
from torchopt.transform._rule import Rule, absent_as_tuple

_ADVICE = "pass the gradients of the same parameters, or call `init` again for new ones"


def column_of(
    rule: Rule, tree: Any, spec: PyTreeSpec, like: Any
) -> tuple[list[Any], PyTreeSpec | None]:
    """Return what a field of a state has for each leaf, and its structure if it is no list.

    Raises:
        ValueError: If it does not fit the updates.
    """
    listed = rule.container == "list"
    if listed and type(tree) in (list, tuple) and len(tree) == spec.num_leaves:
        return [*tree], None
    leaves, structure = pytree.flatten(tree)
    if listed and type(tree) in (list, tuple) and (rule.leafwise or len(tree) == len(leaves)):
        structure = pytree.flatten(like)[1]  # the parameters, if they are known, have names
        if len(tree) != structure.num_leaves:
            raise ValueError(
                f"the number of leaves of `updates` is {spec.num_leaves}, but that of the tree that "
                f"`init` was given is {len(tree)}: {_ADVICE}."
            )
    checks.check_same_structure(
        structure,
        spec,
        root="updates",
        reference="the tree that `init` was given",
        advice=_ADVICE,
    )
    return leaves, None if listed else structure


def check_leaves(steps: Sequence[Any], heads: Sequence[list[Any]], spec: PyTreeSpec) -> None:
    """Raise if a leaf is not a floating tensor, or has not the shape of its gradient."""
    grads, *weights = heads
    checks.check_floating(grads, spec, "updates")
    leafwise = any(step.rule.leafwise for step in steps)
    if leafwise and weights:  # first: their states need not have the shapes of the parameters
        check_params(weights[0], grads, spec)
    for step in steps:
        for (name, initial), column in zip(step.rule.slots.items(), step.columns, strict=True):
            for index, (g, slot) in enumerate(zip(grads, column, strict=True)):
                if g is None:
                    continue
                own = step.rule.leafwise and callable(initial)
                if own and torch.compiler.is_compiling():
                    continue
                expected = _shapes_made(initial, (*g.shape,), g.dtype) if own else shapes_of(g)
                if shapes_of(slot) == expected:
                    continue
                path = checks.leaf_path(spec, index, "updates")
                if slot is None:
                    raise ValueError(
                        f"`{path}` has a gradient, but its parameter was None (in a module: frozen) "
                        f"when the state was made: call `init`, or make the optimizer, with the "
                        f"parameter in place."
                    )
                if not step.rule.leafwise:
                    checks.raise_shape_mismatch(path, g.shape, slot.shape, f"its state `{name}`")
                raise ValueError(
                    f"`{path}` has shape {tuple(g.shape)}, for which its state `{name}` has "
                    f"{described(expected)}, but {described(shapes_of(slot))} was given: pass what "
                    f"`init` or `update` returned for a parameter of this shape."
                )
        for name, values in (step.hyper or {}).items() if step.rule.leafwise else ():
            for index, (value, g) in enumerate(zip(values, grads, strict=False)):
                if g is not None and isinstance(value, torch.Tensor) and value.dim() > 0:
                    path = checks.leaf_path(spec, index, "updates")
                    raise ValueError(
                        f"hyperparameter `{name}` of `{path}` has shape {tuple(value.shape)}, but it "
                        f"belongs to the whole leaf: use a scalar for each leaf."
                    )
    if weights and not leafwise:
        check_params(weights[0], grads, spec)


def check_params(
    params: Sequence[Any], updates: Sequence[Any], spec: PyTreeSpec, what: str = "gradient"
) -> None:
    """Raise if a parameter is not a floating tensor with the shape of its gradient or update."""
    checks.check_floating(params, spec, "params")
    for index, (p, u) in enumerate(zip(params, updates, strict=True)):
        if u is not None and (p is None or p.shape != u.shape):
            shape = "None" if p is None else tuple(p.shape)
            raise ValueError(
                f"`{checks.leaf_path(spec, index, 'params')}` is {shape}, but its {what} has "
                f"shape {tuple(u.shape)}: pass the parameters that the {what}s belong to."
            )


def shapes_of(slot: Any) -> Any:
    """Return the shape of a tensor, those of a tuple of tensors as a list, or None."""
    if slot is None or isinstance(slot, torch.Tensor):
        return None if slot is None else (*slot.shape,)
    return [shapes_of(x) for x in slot]


@lru_cache(maxsize=4096)
def _shapes_made(initial: Callable[[torch.Tensor], Any], shape: Any, dtype: torch.dtype) -> Any:
    return shapes_of(absent_as_tuple(initial(torch.empty(shape, dtype=dtype, device="meta"))))


def described(shapes: Any) -> str:
    """Return shapes in words."""
    if shapes is None or shapes == []:
        return "nothing"
    return f"shapes {shapes}" if isinstance(shapes, list) else f"shape {shapes}"
