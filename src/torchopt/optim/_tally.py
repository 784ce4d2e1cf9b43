"""Counters of steps for transformations that have none, as ``torch.optim`` has them."""

from __future__ import annotations

from typing import Any, NamedTuple

from torchopt.io.calls import copy_call
from torchopt.pytree import flattening as pytree
from torchopt.transform.chaining import GradientTransformation, chain, rules_of
from torchopt.transform.hyperparameters import advance, counters


class TallyState(NamedTuple):
    """The number of steps of each parameter."""

    count: Any


def with_tally(tx: GradientTransformation, *, always: bool = False) -> GradientTransformation:
    """Return a transformation that counts the steps of each leaf ahead of what it does.

    Args:
        tx: The transformation. One that counts itself, or remembers nothing, stays as it is.
        always: Whether to count for momentum alone too, for which ``torch.optim`` does not.
    """
    rules = rules_of(tx)
    slots = {slot for rule in rules for slot in rule.slots}
    if not slots or any("count" in rule.counters for rule in rules):
        return tx
    return copy_call(tx, chain(_TALLY, tx)) if always or slots != {"trace"} else tx


def _init(params: Any) -> TallyState:
    leaves, spec = pytree.flatten(params)
    return TallyState(pytree.unflatten(spec, counters([0] * len(leaves), leaves)))


def _update(
    updates: Any, state: TallyState, params: Any = None, *, inplace: bool = True
) -> tuple[Any, TallyState]:
    grads = pytree.leaves(updates)
    counts, spec = pytree.flatten(state.count)
    return updates, TallyState(pytree.unflatten(spec, advance(counts, grads, skip=True)))


_TALLY = GradientTransformation(_init, _update)
