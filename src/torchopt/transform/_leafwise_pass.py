"""A rule whose formula sees leaves with their shapes: one leaf after the other, and no kernel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

import torch

from torchopt import checks
from torchopt.autodiff.half import narrow, stored, wide
from torchopt.pytree import PyTreeSpec
from torchopt.pytree import flattening as pytree
from torchopt.transform._inplace import targets_of, write
from torchopt.transform._leafwise import check_leaves
from torchopt.transform._pass import Pass, constants
from torchopt.transform._rule import (
    Step,
    absent_as_tuple,
    leaves_of_params,
    scalar_reader,
    to_tree,
)
from torchopt.transform.extra_args import NONE, ExtraArgs


class LeafwisePass(Pass):
    """One rule that is given whole leaves. In a chain it is no part of another pass.

    What it keeps for a leaf may be one tensor of any shape, a tuple of tensors, or the empty tuple.
    """

    def __reduce__(self) -> Any:
        return LeafwisePass, (self.rules,)

    def run(
        self,
        updates: Any,
        states: Sequence[Any],
        *,
        params: Any = None,
        inplace: bool = True,
        apply: bool = False,
        extra: ExtraArgs = NONE,
    ) -> tuple[Any, list[Any]]:
        """Apply the rule; see :meth:`Pass.run`."""
        (rule,), (state,) = self.rules, states
        grads, spec = pytree.flatten(updates)
        heads: list[Any] = [grads]
        result_spec = spec
        if apply or rule.needs_params:
            weights, params_spec = leaves_of_params(params, spec)
            heads.append(weights)
            result_spec = params_spec if apply else spec
        step = Step.of(rule, state, grads, spec, updates if params is None else params, extra)
        check_leaves([], heads, spec)
        if inplace and len(heads) == 2:
            heads[1] = constants(heads[1], grads)
        pairs = zip(step.columns, step.structures, strict=False)  # counters have structures too
        columns = [_by_leaf(*pair, spec) for pair in pairs]
        _check(step, grads, columns, spec)
        targets = None
        if inplace and not apply:
            old = [grads if self.overwrites else None, *step.columns]
            tensors = [t for t in chain(*heads, *step.columns) if t is not None]
            targets = targets_of(old, tensors)

        out: list[Any] = [*heads[1]] if apply else [None] * len(grads)
        for index, g in enumerate(grads):
            if g is None:
                continue
            p = heads[1][index] if len(heads) == 2 else None
            slots = [column[index] for column in columns]
            u, *slots = _on_leaf(step, index, g, p, slots, spec)
            out[index] = p + u if apply else u
            for column, slot in zip(columns, slots, strict=True):
                column[index] = slot
        done: Sequence[Any] = [out, *map(pytree.leaves, columns)]
        if targets is not None:
            done = write(done, targets)
        updated, *new_columns = done
        return to_tree(result_spec, updated), [step.new_state(new_columns)]


def _by_leaf(column: list[Any], structure: PyTreeSpec | None, spec: PyTreeSpec) -> list[Any]:
    """Return what a slot has for each leaf: a tensor, a tuple of tensors, or None as the leaf."""
    assert structure is not None  # only sums over all leaves have none
    tree = pytree.unflatten(structure, column)
    # The state of an optimizer has lists.
    if type(tree) is list and len(tree) == spec.num_leaves:
        return tree
    subtrees = pytree.subtrees(spec, tree)
    if subtrees is None:  # or it has a list for a tuple
        subtrees = [_at(tree, accessor) for accessor in spec.accessors()]
    if sum(pytree.flatten(x)[1].num_leaves for x in subtrees) != structure.num_leaves:
        raise _other_tree("a leaf is missing")
    return subtrees


def _at(tree: Any, accessor: Any) -> Any:
    """Return what a tree has at a place."""
    try:
        return accessor(tree)
    except (LookupError, TypeError, AttributeError):
        raise _other_tree(f"`{accessor.codify('updates')}` is not expected") from None


def _other_tree(where: str) -> ValueError:
    return ValueError(
        f"`updates` does not have the tree structure of the tree that `init` was given: {where}; "
        f"pass the gradients of the same parameters, or call `init` again for new ones."
    )


def _check(step: Step, grads: list[Any], columns: list[list[Any]], spec: PyTreeSpec) -> None:
    """Raise unless the state and the hyperparameters are those of the leaves."""
    for name, values in (step.hyper or {}).items():
        for index, (value, g) in enumerate(zip(values, grads, strict=False)):
            if g is not None and isinstance(value, torch.Tensor) and value.dim() > 0:
                path = checks.leaf_path(spec, index, "updates")
                raise ValueError(
                    f"hyperparameter `{name}` of `{path}` has shape {tuple(value.shape)}, but it "
                    f"belongs to the whole leaf: use a scalar for each leaf."
                )
    if torch.compiler.is_compiling():
        return
    for (name, initial), column in zip(step.rule.slots.items(), columns, strict=True):
        for index, (g, slot) in enumerate(zip(grads, column, strict=True)):
            if g is None:
                continue
            expected = _shapes_of(initial, g) if callable(initial) else _shapes(g)
            if _shapes(slot) == expected:
                continue
            path = checks.leaf_path(spec, index, "updates")
            if slot is None:
                raise ValueError(
                    f"`{path}` has a gradient, but its parameter was None (in a module: frozen) "
                    f"when the state was made: call `init`, or make the optimizer, with the "
                    f"parameter in place."
                )
            raise ValueError(
                f"`{path}` has shape {tuple(g.shape)}, for which its state `{name}` has "
                f"{_described(expected)}, but {_described(_shapes(slot))} was given: pass what "
                f"`init` or `update` returned for a parameter of this shape."
            )


def _shapes(slot: Any) -> Any:
    """Return the shape of a tensor, those of a tuple of tensors as a list, or None."""
    if slot is None or isinstance(slot, torch.Tensor):
        return None if slot is None else (*slot.shape,)
    return [_shapes(x) for x in slot]


def _shapes_of(initial: Callable[[torch.Tensor], Any], leaf: torch.Tensor) -> Any:
    return _shapes_made(initial, (*leaf.shape,), leaf.dtype)


@lru_cache(maxsize=4096)
def _shapes_made(initial: Callable[[torch.Tensor], Any], shape: Any, dtype: torch.dtype) -> Any:
    return _shapes(absent_as_tuple(initial(torch.empty(shape, dtype=dtype, device="meta"))))


def _described(shapes: Any) -> str:
    if shapes is None or shapes == []:
        return "nothing"
    return f"shapes {shapes}" if isinstance(shapes, list) else f"shape {shapes}"


def _on_leaf(
    step: Step, index: int, g: torch.Tensor, p: Any, slots: list[Any], spec: PyTreeSpec
) -> list[Any]:
    """Return the update of a leaf and its new slots, of the dtypes of the parameter and the slots."""
    scalars = step.scalars(index, scalar_reader())
    part = step.rule.part(tuple(scalars))
    head = (g, p) if part.needs_params else (g,)
    if "leaf_dtype" in step.rule.taken:
        scalars["leaf_dtype"] = head[-1].dtype
    u, *made = part.formula(*map(_operand, (*head, *slots)), **scalars)
    new = [u, *map(absent_as_tuple, made)]
    # Scalars are kept in float64; a 0-dimensional leaf must not be promoted by them.
    old = [g if p is None else p, *slots]
    for k, (x, like) in enumerate(zip(new, old, strict=True)):
        if _shapes(x) != _shapes(like):
            what = f"the new `{[*step.rule.slots][k - 1]}`" if k else "the update"
            raise ValueError(
                f"the formula `{getattr(step.rule.formula, '__name__', '?')}` returned "
                f"{_described(_shapes(x))} for {what} of "
                f"`{checks.leaf_path(spec, index, 'updates')}`, but {_described(_shapes(like))} is "
                f"expected: return tensors shaped like those that it is given."
            )
        new[k] = _cast(x, like, stored if k else narrow)
    return new


def _cast(x: Any, like: Any, cast: Callable[..., torch.Tensor]) -> Any:
    """Return tensors in the dtypes of others."""
    if isinstance(like, torch.Tensor):
        return cast(x, like.dtype)
    return tuple(_cast(*pair, cast) for pair in zip(x, like, strict=True))


def _operand(x: Any) -> Any:
    """Return what a formula is given: float32 at least, and None in the place of the empty tuple."""
    if isinstance(x, torch.Tensor):
        return wide(x)
    return tuple(map(_operand, x)) or None
