"""The state of a parameter group: entries of its parameters, and a transformation's state."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import is_
from typing import Any

from torchopt.optim._slots import SHARED, Slots, is_nothing, read_state
from torchopt.pytree import flattening as pytree
from torchopt.pytree.named import in_order
from torchopt.transform.chaining import GradientTransformation


class Leaves(list[Any]):
    """The parameters of a group that were given as a tree, without the None among its leaves."""

    def __init__(self, params: Iterable[Any], spec: Any, kept: Sequence[bool]) -> None:
        super().__init__(params)
        self.spec, self.kept = spec, tuple(kept)

    def __reduce__(self) -> Any:
        return Leaves, (list(self), self.spec, self.kept)


def read_options(group: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Return options of a group; values by the names of parameters are put in their order."""
    options = {name: group[name] for name in names if name in group}
    if params := group.get("param_names"):
        return {name: in_order(value, params, what=name) for name, value in options.items()}
    return options


def spread(params: list[Any], values: Iterable[Any]) -> list[Any]:
    """Return a value for each leaf of a group's tree, given those of its parameters."""
    if not isinstance(params, Leaves):
        return list(values)
    remaining = iter(values)
    return [next(remaining) if kept else None for kept in params.kept]


def as_tree(params: list[Any], values: Iterable[Any]) -> Any:
    """Return a value for each parameter of a group as a tree like that of the group."""
    leaves = spread(params, values)
    return pytree.unflatten(params.spec, leaves) if isinstance(params, Leaves) else leaves


def structure(params: list[Any]) -> Any:
    """Return the structure of a group's tree."""
    return params.spec if isinstance(params, Leaves) else pytree.flatten(list(params))[1]


class GroupState:
    """A group's transformation and its state, read anew only where other hands changed an entry.

    The entries of ``optimizer.state`` are what counts. The transformation's state is made of the same
    tensors, and is kept from step to step.

    Args:
        index: The number of the group.
        params: Its parameters.
    """

    def __init__(self, index: int, params: list[Any]) -> None:
        self.params = params
        self._index = index
        self._members = list(params)
        self._options: Sequence[Any] | None = None
        self._tx: Any = None
        self._state: Any = None
        self._slots: Slots | None = None
        self._columns: list[tuple[str, Sequence[Any]]] = []
        self._entries: list[Any] = [None] * len(params)

    def is_of(self, params: list[Any]) -> bool:
        """Whether this is the state of these parameters."""
        return (
            params is self.params
            and len(params) == len(self._members)
            and all(map(is_, params, self._members))
        )

    def transformation(
        self, options: Sequence[Any], make: Callable[[], GradientTransformation]
    ) -> GradientTransformation:
        """Return the transformation, made anew if an option has changed."""
        if self._options is None or not all(map(is_, options, self._options)):
            self._tx, self._options = make(), options
        return self._tx

    def read(self, state: Mapping[Any, Any], owner: str) -> Any:
        """Return the transformation's state, given those of all parameters."""
        entries = [state.get(p) or None for p in self.params]
        if self._state is None or not self._is_current(entries):
            new = read_state(
                self._tx,
                as_tree(self.params, self.params),
                [entry or {} for entry in spread(self.params, entries)],
                state.get(SHARED, {}).get(self._index, ()),
                owner=owner,
            )
            self._entries = entries
            self.write(state, new, [False] * len(entries))
        return self._state

    def _is_current(self, entries: Sequence[Any]) -> bool:
        if not all(map(is_, entries, self._entries)):
            return False
        entries = spread(self.params, entries)
        if None not in entries:  # the usual case, in few operations
            return all(
                all(map(is_, [entry.get(key) for entry in entries], values))
                for key, values in self._columns
            )
        return all(
            entry is None or entry.get(key) is value
            for key, values in self._columns
            for entry, value in zip(entries, values, strict=True)
        )

    def write(self, state: Any, new: Any, moved: Sequence[bool]) -> None:
        """Put a new state into the entries of parameters that have one or are moved."""
        leaves, spec = pytree.flatten(new)
        slots = self._slots
        if slots is None or spec != slots.spec:
            slots = self._slots = Slots(new, structure(self.params))
        self._columns = [(column.key, slots.of(column, leaves)) for column in slots.stored]
        self._state = new
        if self._columns:
            self._entries = [
                state.setdefault(p, {}) if entry is None and m else entry
                for p, entry, m in zip(self.params, self._entries, moved, strict=True)
            ]
        entries = spread(self.params, self._entries)
        for key, values in self._columns:
            for entry, value in zip(entries, values, strict=True):
                if entry is not None and not is_nothing(value):
                    entry[key] = value
        if slots.shared:
            # Not into the table, which may be that of the optimizer whose state was loaded.
            shared = [leaves[place] for place in slots.shared]
            state[SHARED] = {**state.get(SHARED, {}), self._index: shared}
