"""A transformation's state as ``torch.optim`` keeps one: named tensors for each parameter.

What a state holds in trees like the parameters is found by structure. Moments and counters have the
names of ``torch.optim``, other fields their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

import torch

from torchopt import transform
from torchopt.pytree import flattening as pytree
from torchopt.transform.chaining import GradientTransformation
from torchopt.transform.hyperparameters import counters, is_scalar

_MOMENTS = {"mu": "exp_avg", "nu": "exp_avg_sq"}
#: For fields of states, the key of ``torch.optim``.
_KEYS: dict[type[Any], dict[str, str]] = {
    transform.ScaleByAdamState: _MOMENTS,
    transform.ScaleByAmsgradState: {**_MOMENTS, "nu_max": "max_exp_avg_sq"},
    transform.ScaleByRAdamState: _MOMENTS,
    transform.ScaleByNAdamState: _MOMENTS,
    transform.ScaleByAsgdState: {"average": "ax"},
    transform.ScaleByAdamaxState: {"mu": "exp_avg", "nu": "exp_inf"},
    transform.ScaleByAdadeltaState: {"mu": "square_avg", "nu": "acc_delta"},
    transform.ScaleByRssState: {"sum_of_squares": "sum"},
    transform.ScaleByRmsState: {"nu": "square_avg"},
    transform.ScaleByRStdDevState: {"mu": "grad_avg", "nu": "square_avg"},
    transform.TraceState: {"trace": "momentum_buffer"},
    transform.ScaleByMuonState: {**_MOMENTS, "trace": "momentum_buffer"},
    transform.ScaleByScheduleState: {"count": "schedule_step"},
}
#: The updates of a leaf, and all updates, which schedules count.
_COUNTERS = {"count": "step", "step": "schedule_step"}
#: Of options that may be turned on after steps: their buffers then start as in ``init``.
_LATE = {"max_exp_avg_sq", "grad_avg", "momentum_buffer"}
#: Of NAdam: a number for all elements in ``torch.optim``.
_PRODUCT = "mu_product"
#: The key of what a state holds that does not belong to a parameter.
SHARED = "shared"


class _Column(NamedTuple):
    """The leaves of one field.

    Attributes:
        key: Its name in the state of a parameter.
        start: The place of its first leaf among those of the state.
        counter: Whether they count steps.
        inner: The structure of what belongs to each parameter, if that is not one tensor for each.
    """

    key: str
    start: int
    counter: bool
    inner: Sequence[Any] = ()


class Slots:
    """Where the tensors of each parameter are among the leaves of a transformation's state.

    Args:
        state: A state.
        params: The structure of the tree of parameters.
    """

    def __init__(self, state: Any, params: Any) -> None:
        self.size = params.num_leaves
        self.columns: list[_Column] = []
        #: The places of leaves that belong to no parameter.
        self.shared: list[int] = []
        self._params = params
        self._keys: set[str] = set()
        leaves, self.spec = pytree.flatten(state)
        self._visit(state, "state", 0, leaves)
        #: The columns that are entered into the states of parameters: as in ``torch.optim``, SGD's
        #: count is not. It matters only whether there was a step.
        self.stored = self.columns
        if self._keys == {"momentum_buffer", "step"}:
            self.stored = [column for column in self.columns if not column.counter]

    def _visit(self, node: Any, name: str, start: int, leaves: Sequence[Any]) -> int:
        """Enter a part of the state into the table; return where the next part begins."""
        inner, spec = pytree.flatten(node)
        end = start + len(inner)
        if inner and _alike(spec, self._params):
            counter = name in _COUNTERS.values() and all(map(_is_counter, inner))
            self._add(name, start, counter=counter)
        elif several := _several(node, self._params):
            self._add(name, start, counter=False, inner=several)
        elif inner and not spec.is_leaf():
            keys = _KEYS.get(type(node), {})
            for field, child in _children(node, name):
                key = keys.get(field, _COUNTERS.get(field, field))
                start = self._visit(child, key, start, leaves)
            self.shared += range(start, end)  # of containers that are not looked into
        else:
            self.shared += range(start, end)
        return end

    def _add(self, name: str, start: int, *, counter: bool, inner: Sequence[Any] = ()) -> None:
        number = sum(key.rpartition(".")[0] == name or key == name for key in self._keys)
        key = f"{name}.{number}" if number else name
        self._keys.add(key)
        self.columns.append(_Column(key, start, counter, inner))

    def of(self, column: _Column, leaves: Sequence[Any]) -> Sequence[Any]:
        """Return the tensors of one column: for each parameter one, or a tuple of any number."""
        if column.inner:
            rest = iter(leaves[column.start :])
            return [pytree.unflatten(spec, islice(rest, spec.num_leaves)) for spec in column.inner]
        return leaves[column.start : column.start + self.size]

    def put(self, column: _Column, values: Sequence[Any], leaves: list[Any]) -> None:
        """Write the tensors of one column."""
        values = pytree.leaves(list(values)) if column.inner else values
        leaves[column.start : column.start + len(values)] = values


def _alike(spec: Any, params: Any) -> bool:
    """Whether a tree is like the parameters, or is the list of their leaves."""
    listed = spec.type in (list, tuple) and spec.num_leaves == params.num_leaves
    return bool(spec == params) or (listed and all(c.is_leaf() for c in spec.children()))


def _several(node: Any, params: Any) -> list[Any]:
    """Return the structure of what belongs to each parameter, if that may be a tuple of tensors."""
    listed = type(node) is list and len(node) == params.num_leaves
    entries = node if listed else pytree.subtrees(params, node)
    specs = [pytree.flatten(entry)[1] for entry in entries or ()]
    fits = all(spec.is_leaf() or spec.type is tuple for spec in specs)
    inner = (child for spec in specs for child in spec.children())
    fits = fits and all(child.is_leaf() or child.num_nodes == 1 for child in inner)
    return specs if fits and any(spec.type is tuple for spec in specs) else []


def _children(node: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Yield the names and parts of a container that has an order."""
    if isinstance(node, tuple) and hasattr(node, "_fields"):
        yield from zip(node._fields, node, strict=True)
    elif isinstance(node, (list, tuple)):
        yield from ((name, child) for child in node)
    elif isinstance(node, dict):
        yield from ((str(key), node[key]) for key in pytree.flatten(node)[1].entries())


def _is_counter(leaf: Any) -> bool:
    return leaf is None or (leaf.dim() == 0 and leaf.dtype == torch.int64)


def read_state(
    tx: GradientTransformation,
    params: Any,
    held: Sequence[Mapping[str, Any]],
    shared: Sequence[Any] = (),
    *,
    owner: str,
    complete: bool = False,
) -> Any:
    """Return a transformation's state from those of parameters; what is missing is as in ``init``.

    Args:
        tx: The transformation.
        params: The tree of parameters.
        held: The state of each leaf of the tree, empty before its first step.
        shared: What belongs to no parameter.
        owner: The name of the optimizer, for messages.
        complete: Whether a state must have all keys, and not only those that there always are.

    Raises:
        ValueError: If the state of a parameter lacks a key.
    """
    spec = pytree.flatten(params)[1]
    template = tx.init(params)
    slots = Slots(template, spec)
    leaves = pytree.leaves(template)
    held = [{key: x for key, x in mine.items() if x is not None} for mine in held]
    required = [column.key for column in slots.columns if not column.counter]
    initial_of = {column.key: slots.of(column, leaves) for column in slots.columns}
    for index, mine in enumerate(held):
        wanted = [key for key in required if not is_nothing(initial_of[key][index])]
        lacking = [key for key in wanted if mine and key not in mine]
        if lacking and (complete or len(lacking) == len(required) or not {*lacking} <= _LATE):
            raise ValueError(
                f"the state of a parameter is without `{lacking[0]}`, which {owner} needs: load the "
                f"state of an optimizer of this kind, or, if an option was changed after steps were "
                f"done, make the optimizer anew."
            )
    for column in slots.columns:
        initial = initial_of[column.key]
        if column.counter:
            values = _read_counts(column.key, initial, held)
        else:
            values = [_like(h.get(column.key, x), x) for h, x in zip(held, initial, strict=True)]
            if column.key == _PRODUCT:
                pairs = zip(values, initial, strict=True)
                values = [v if v is None else v.expand_as(x).clone() for v, x in pairs]
        slots.put(column, values, leaves)
    if shared and len(shared) != len(slots.shared):
        raise ValueError(
            f"the state has {len(shared)} values that belong to no parameter, but that of {owner} has "
            f"{len(slots.shared)}: load the state of an optimizer of this kind."
        )
    for place, value in zip(slots.shared, shared or (leaves[i] for i in slots.shared), strict=True):
        leaves[place] = value
    return pytree.unflatten(slots.spec, leaves)


def as_in_torch(entry: dict[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the state of a parameter with the numbers that ``torch.optim`` keeps and we do not.

    Args:
        entry: The state of the parameter.
        options: Those of its group.
    """
    product, average, step = (entry.get(key) for key in (_PRODUCT, "ax", "step"))
    if product is not None:
        values = product.flatten() if product.numel() else product.new_ones(1)  # whatever it is
        if bool((values == values[0]).all()):
            return {**entry, _PRODUCT: values[0].clone()}
    names = ("lr", "lambd", "alpha", "t0")
    if average is None or step is None or not all(map(is_scalar, map(options.get, names))):
        return entry
    # ASGD: the learning rate and the share of the average of the next step.
    lr, lambd, alpha, t0 = (float(options[name]) for name in names)
    t = float(step)
    kept = {"eta": lr / (1 + lambd * lr * t) ** alpha, "mu": 1 / max(1.0, t - t0)}
    return entry | {key: average.new_tensor(x) for key, x in kept.items()}


def _like(value: Any, initial: Any) -> Any:
    if initial is None or value is initial:
        return initial
    if isinstance(initial, tuple):
        return tuple(map(_like, value, initial))
    value = value.detach() if value.requires_grad else value
    return value.to(dtype=initial.dtype, device=initial.device)


def _read_counts(key: str, initial: Sequence[Any], held: Sequence[Mapping[str, Any]]) -> list[Any]:
    # SGD does not count, but only whether there was a step matters to it.
    counts = [int(h.get(key, h.get("step", bool(h)))) for h in held]
    if key == "schedule_step":  # these count the steps of all
        counts = [max(counts)] * len(counts)
    return counters(counts, initial)


def is_nothing(value: Any) -> bool:
    """Whether a state has nothing for a parameter."""
    return value is None or (isinstance(value, tuple) and not value)


def numbers(counts: Sequence[Any]) -> list[int]:
    """Return the values of counters, each tensor read once; 0 where there is none."""
    known = {id(c): c for c in counts if c is not None}
    values = {key: int(c) for key, c in known.items()}
    return [0 if c is None else values[id(c)] for c in counts]
