"""A choice between trees by a condition that is a tensor, so that no program branches on values."""

from __future__ import annotations

from typing import Any

import torch

from torchopt import checks
from torchopt.pytree import flattening as pytree
from torchopt.transform._inplace import targets_of, write
from torchopt.transform.chaining import GradientTransformation
from torchopt.transform.extra_args import ExtraArgs, select


def as_condition(value: Any, name: str) -> torch.Tensor:
    """Return a boolean, or a tensor with one, as a tensor; ``name`` is the function that gave it."""
    condition = torch.tensor(value, device="cpu") if isinstance(value, bool) else value
    if (
        not isinstance(condition, torch.Tensor)
        or condition.dtype != torch.bool
        or condition.dim() > 0
    ):
        found = (
            f"an object of type {type(value).__name__}"
            if not isinstance(condition, torch.Tensor)
            else f"a tensor of dtype {condition.dtype} and shape {tuple(condition.shape)}"
        )
        raise TypeError(
            f"`{name}` returned {found}: return a boolean, or a boolean tensor without dimensions."
        )
    return condition


def all_of(tests: list[torch.Tensor]) -> torch.Tensor:
    """Whether all of some boolean scalars hold, as a tensor on the device of the first."""
    if not tests:
        return torch.tensor(True, device="cpu")
    return torch.stack([test.to(tests[0].device) for test in tests]).all()


def counter_like(tree: Any) -> torch.Tensor:
    """Return a counter at zero, on the device of the first leaf of a tree."""
    device = next((x.device for x in pytree.leaves(tree) if x is not None), None)
    return torch.zeros((), dtype=torch.int64, device=device)


def zeros_like(tree: Any) -> Any:
    """Return zeros in place of the leaves of a tree."""
    return pytree.map_leaves(torch.zeros_like, tree)


def choose(condition: torch.Tensor, new: Any, old: Any, root: str) -> Any:
    """Return the leaves of one tree where a condition holds, and those of another elsewhere.

    Args:
        condition: A boolean tensor without dimensions.
        new: The first tree, whose dtypes are kept.
        old: The second tree.
        root: What the trees are, for messages.
    """
    leaves, spec = pytree.flatten(new)
    others, structure = pytree.flatten(old)
    checks.check_same_structure(
        spec,
        structure,
        root=root,
        reference="what the inner transformation returned",
        advice="call `init` of this transformation again",
    )
    chosen: list[Any] = []
    # Leaves in lockstep share a counter before and afterwards.
    counters: list[tuple[Any, Any, Any]] = []
    for x, y in zip(leaves, others, strict=True):
        if x is y or not (isinstance(x, torch.Tensor) and isinstance(y, torch.Tensor)):
            chosen.append(x)
            continue
        same = next((c for a, b, c in counters if a is x and b is y), None)
        if same is None:
            same = torch.where(condition.to(x.device), x, y.to(x.dtype))
            if not x.is_floating_point():
                counters.append((x, y, same))
        chosen.append(same)
    return pytree.unflatten(spec, chosen)


def overwrite(new: list[Any], old: list[Any], others: list[Any]) -> list[Any]:
    """Return the leaves of a new slot, written into those of the old one if no graph is needed.

    Args:
        new: The leaves.
        old: Those of the old slot.
        others: What else the update reads.
    """
    targets = targets_of([None, old], [t for t in (*old, *others) if t is not None])
    return new if targets is None else write([new], targets[1:])[0]


def update_if(
    condition: torch.Tensor,
    inner: GradientTransformation,
    updates: Any,
    state: Any,
    otherwise: Any,
    *,
    params: Any,
    inplace: bool,
    extra: ExtraArgs,
) -> tuple[Any, Any]:
    """Return the updates and the state of a transformation where a condition holds.

    Where it does not, they are ``otherwise`` and the old state, and the transformation is given zeros:
    what is not chosen then has finite derivatives, and sends no NaN backward.
    """
    # The transformation may write into the old state.
    before = state
    if inplace:
        before = pytree.map_leaves(lambda x: x.clone() if _is_floating(x) else x, state)
    given = choose(condition, updates, zeros_like(updates), "updates")
    new, new_state = inner.update(
        given, state, params=params, inplace=inplace, **select(inner, extra)
    )
    kept = rewrite(choose(condition, new_state, before, "state"), new_state, state)
    return choose(condition, new, otherwise, "updates"), kept


def rewrite(chosen: Any, written: Any, state: Any) -> Any:
    """Return a state, written into the old tensors where an update in place has written into them.

    Args:
        chosen: The state.
        written: What the update returned: some of its tensors are those of the old state.
        state: The old state.
    """
    leaves, spec = pytree.flatten(chosen)
    pairs = zip(pytree.leaves(written), pytree.leaves(state), strict=True)
    targets = [[old] if _is_floating(x) and x is old else None for x, old in pairs]
    if not any(targets):
        return chosen
    return pytree.unflatten(spec, [x for (x,) in write([[x] for x in leaves], targets)])


def _is_floating(x: Any) -> bool:
    return isinstance(x, torch.Tensor) and x.is_floating_point()
