"""A formula on one leaf with its state and hyperparameters: what a transformation is made from."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any, Literal

import torch

from torchopt import checks
from torchopt.autodiff.conversion import plain
from torchopt.autodiff.half import stored
from torchopt.autodiff.shards import local
from torchopt.formula import Part, optimizers
from torchopt.io.calls import value_text
from torchopt.pytree import PyTreeSpec
from torchopt.pytree import flattening as pytree
from torchopt.transform import hyperparameters

_NUMBERS = {int, float}


@dataclass(frozen=True)
class _Checked:
    """A formula that raises unless it returns an update and the new slots."""

    formula: Callable[..., tuple[torch.Tensor, ...]]
    slots: int

    def __hash__(self) -> int:
        return hash(_Checked)  # the compiler asks for it before there are fields (PyTorch 2.11)

    def __call__(self, *tensors: Any, **scalars: Any) -> Any:
        results: Any = self.formula(*tensors, **scalars)
        many = isinstance(results, (tuple, list))
        if many and len(results) == 1 + self.slots:
            return results
        found = f"{len(results)} results" if many else f"an object of type {type(results).__name__}"
        more = f" and {self.slots} new slots" if self.slots else ""
        example = ", ".join(["u", *(f"slot{k}" for k in range(self.slots))])
        raise TypeError(
            f"the formula `{value_text(self.formula)}` returned {found}: return a tuple of the update"
            f"{more}, `({example}{'' if self.slots else ','})`."
        )


@dataclass(frozen=True)
class _Counted:
    """A formula that makes of the number of updates what else it needs, such as bias corrections."""

    formula: Callable[..., Any]
    scalars: Callable[..., Mapping[str, Any]]

    def __call__(self, *tensors: Any, count: Any, **hyper: Any) -> Any:
        return self.formula(*tensors, **hyper, **self.scalars(count.detach(), **hyper))


def keywords(function: Callable[..., Any]) -> tuple[str, ...]:
    """Return the names of the keyword-only arguments of a function."""
    parameters = inspect.signature(function).parameters.values()
    return tuple(x.name for x in parameters if x.kind is x.KEYWORD_ONLY)


@dataclass(eq=False)
class Rule:
    """A formula with its state and hyperparameters; see :func:`torchopt.transform.elementwise`."""

    formula: Callable[..., tuple[torch.Tensor, ...]]
    #: Those that are taken, of which the first is made: given as one type, or as a tuple.
    state_types: Any
    slots: Any = None
    hyper: Any = None
    scalars: Callable[..., Mapping[str, Any]] | None = None
    needs_params: bool = False
    slots_require_grad: bool = False
    fused: bool | None = None
    #: What a slot is: a tree like the parameters, or the list of its leaves, as with whole leaves.
    container: Literal["tree", "list"] = "tree"
    overwrites: bool = False
    #: Whether the formula sees a leaf with its shape; see :func:`torchopt.transform.leafwise`.
    leafwise: bool = False
    #: Further arguments of `update`, which are scalars like the hyperparameters.
    reads: tuple[str, ...] = ()
    #: What makes numbers of whole leaves, of which some are kept; see
    #: :func:`torchopt.transform.reduced`.
    prepare: Callable[..., Mapping[str, Any]] | None = None
    over: Literal["leaf", "tree"] = "leaf"
    memory: Any = None
    #: What the user calls a hyperparameter, for messages, where that is not as usual.
    shown: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.state_types, tuple):
            self.state_types = (self.state_types,)
        home = getattr(getattr(self.formula, "func", self.formula), "__module__", "")
        if not self.shown and home.startswith("torchopt."):  # whose formulas call a beta ``b1``
            self.shown = hyperparameters.SHOWN
        self.slots = dict(self.slots or {})
        given = (self.hyper or {}).items()
        self.hyper = {k: x if type(x) in _NUMBERS else plain(x) for k, x in given}
        self.memory = dict(self.memory or {})
        values = self.hyper.values()
        #: The names that `prepare` takes.
        self.prepare_takes = keywords(self.prepare) if self.prepare else ()
        #: The names that the formula takes by keyword, if they are not the hyperparameters'.
        self.taken = keywords(self.formula) if self.leafwise or self.prepare else ()
        counts = self.scalars is not None or "count" in (*self.taken, *self.prepare_takes)
        kept = {"count": True} if counts else {}
        alone = not kept and self.state_types[0]._fields == ("count",)
        #: The name of the counter of all updates, which schedules read.
        self.schedule_counter = "count" if alone else "step"
        scheduled = any(map(hyperparameters.has_schedule, values))
        #: The counters in the state, and whether each skips leaves without a gradient.
        self.counters = kept | ({self.schedule_counter: False} if scheduled else {})
        #: The names of slots, of numbers that are kept, and of counters.
        self.state_names = (*self.slots, *self.memory, *self.counters)
        #: The names of fields of the state with one number for all leaves.
        self.single = {*self.memory, *self.counters} if self.over == "tree" else set()
        numeric = not self.reads and set(map(type, values)) <= _NUMBERS
        #: The hyperparameters if all are numbers, otherwise None.
        self.numbers = self.hyper if numeric else None

    def scalar_names(self, *, counted: bool = False) -> tuple[str, ...]:
        """Return the names of the scalars of the formula.

        With ``counted``, they are the hyperparameters and the number of updates, of which a kernel
        makes the others.
        """
        if self.prepare is not None:
            return self.taken
        values = dict.fromkeys((*self.hyper, *self.reads), 0.5)
        if self.scalars is None:
            return tuple(values)
        return (*values, "count") if counted else tuple(values | dict(self.scalars(1.0, **values)))

    def part(self, scalars: tuple[str, ...]) -> Part:
        """Return what the rule adds to a composed formula, given the names of its scalars."""
        formula: Any = self.formula
        slots = len(self.slots)
        # Ours are right. A partial function has no module in the eyes of `torch.compile`.
        if isinstance(formula, FunctionType) and formula.__module__ != optimizers.__name__:
            formula = _Checked(formula, slots)
        if not isinstance(formula, Hashable):
            formula = formula.__call__  # a method is hashed by the identity of its object
        if self.scalars is not None and "count" in scalars:
            formula = _Counted(formula, self.scalars)
        return Part(formula, slots, scalars, self.needs_params)

    def follows(self, rules: Sequence[Rule]) -> bool:
        """Whether one pass can have this rule after these."""
        return bool(rules) and not (rules[-1].leafwise or self.leafwise or self.prepare)

    def init(self, params: Any) -> Any:
        """Return the state for a tree of parameters."""
        leaves, spec = pytree.flatten(params)
        checks.check_floating(leaves, spec, "params")
        fields: dict[str, Any] = {}
        for name, initial in self.slots.items():
            values: Sequence[Any] = [initial] * len(leaves)
            if not callable(initial):
                argument, value = initial if isinstance(initial, tuple) else (name, initial)
                if argument in hyperparameters.RATES:
                    hyperparameters.warn_of_ascent(value)
                values = hyperparameters.per_leaf(
                    argument, value, leaves, leaves, spec, root="params"
                )
            column = [self._fill(leaf, x) for leaf, x in zip(leaves, values, strict=True)]
            fields[name] = self._arrange(column, spec)
        for name, initial in self.memory.items():
            fields[name] = self._initial_number(name, initial, leaves, spec)
        for name in self.counters:
            counts = hyperparameters.counters([0] * len(leaves), leaves)
            present = [count for count in counts if count is not None]
            one = present[0] if present else torch.zeros((), dtype=torch.int64, device="cpu")
            fields[name] = one if name in self.single else self._arrange(counts, spec)
        return self.state_types[0](**fields)

    def _initial_number(self, name: str, initial: Any, leaves: list[Any], spec: PyTreeSpec) -> Any:
        """Return the initial value of a number that is kept, or those of all leaves."""
        argument, value = initial if isinstance(initial, tuple) else (name, plain(initial))
        if name in self.single:
            if not hyperparameters.is_scalar(value):
                raise ValueError(
                    f"`{argument}` is {value!r}, but one number of all leaves begins with it: use a "
                    f"number or a scalar tensor."
                )
            present = [leaf for leaf in leaves if leaf is not None]
            present = present or [torch.zeros((), device="cpu")]
            dtypes = [leaf.dtype for leaf in present]
            return _number_of(value, functools.reduce(torch.promote_types, dtypes), present[0])
        values = hyperparameters.per_leaf(argument, value, leaves, leaves, spec, root="params")
        pairs = zip(leaves, values, strict=True)
        numbers = [None if p is None else _number_of(value, p.dtype, p) for p, value in pairs]
        return self._arrange(numbers, spec)

    def fits(self, state: Any) -> bool:
        """Whether a state has what this rule keeps; what else it has is left behind."""
        if type(state) is not self.state_types[0]:
            return False
        lacking = [is_lacking(getattr(state, name)) for name in self.state_names]
        return True not in lacking

    def completed(self, state: Any, like: Any) -> Any:
        """Return a state with what one of other hyperparameters, or of an earlier file, lacks.

        Args:
            state: A state of one of the types.
            like: A tree of tensors that are shaped like the parameters.
        """
        check_state(state, self.state_types)
        kept = {} if state is None else state._asdict()
        names = [name for name in self.state_names if not is_lacking(kept.get(name))]
        held = {name: kept[name] for name in names}
        slot = next((held[name] for name in self.slots if name in held), None)
        unlike = slot is None or self.leafwise
        fresh = self.init(like if unlike else _in_tree_like(like, slot))
        if slot is not None and "count" in self.counters:
            # There was an update.
            counts = pytree.map_leaves(lambda c: c if c is None else c + 1, fresh.count)
            fresh = fresh._replace(count=counts)
        return fresh._replace(**held)

    def _arrange(self, leaves: list[Any], spec: PyTreeSpec) -> Any:
        return pytree.unflatten(spec, leaves) if self.container == "tree" else leaves

    def _fill(self, leaf: torch.Tensor | None, value: Any) -> Any:
        if leaf is None:
            return None
        if callable(value):
            made = value(leaf)
            if not self.leafwise:
                return made.clone() if made is leaf else made
            made = absent_as_tuple(made)
            if self.slots_require_grad:
                made = pytree.map_leaves(lambda x: x.detach().requires_grad_(), made)
            return made
        if isinstance(value, torch.Tensor):
            return torch.zeros_like(leaf) + stored(value, leaf.dtype)
        if value and torch.finfo(leaf.dtype).bits < 32:
            value = stored(torch.tensor(float(value), device="cpu"), leaf.dtype).item()
        return torch.full_like(leaf, value, requires_grad=self.slots_require_grad)


def absent_as_tuple(slot: Any) -> Any:
    """Return what a state has for a slot of a leaf: the empty tuple in the place of None.

    None stands for a parameter that is None, and ``vmap`` returns no None.
    """
    if isinstance(slot, torch.Tensor):
        return slot
    return () if slot is None else tuple(map(absent_as_tuple, slot))


def is_lacking(value: Any) -> bool:
    """Whether a field of a state holds nothing. In files of earlier versions it is None."""
    return value is None or (isinstance(value, tuple) and len(value) == 0)


def check_state(state: Any, expected: tuple[Any, ...]) -> None:
    """Raise ``TypeError`` unless a state is of a type that is taken, of which the first is made.

    None stands for a state without fields.
    """
    if not isinstance(state, expected) and not (state is None and not expected[0]._fields):
        raise TypeError(
            f"a state of type {expected[0].__name__} is expected, but {type(state).__name__} was "
            f"given: pass what this transformation's `init` or `update` returned."
        )


def check_params(params: Any, reader: str) -> None:
    """Raise ``ValueError`` where what reads the parameters is not given them."""
    if params is None:
        raise ValueError(f"{reader} needs the parameters: call `update(..., params=params)`.")


def _in_tree_like(like: Any, column: Any) -> Any:
    """Return the leaves of a column of a state in a tree like the parameters."""
    leaves, spec = pytree.leaves(column), pytree.flatten(like)[1]
    # Another number of leaves is refused later, as in any other state.
    return pytree.unflatten(spec, leaves) if len(leaves) == spec.num_leaves else column


def _number_of(value: Any, dtype: torch.dtype, like: torch.Tensor) -> torch.Tensor:
    """Return a number as a tensor of its own, in float32 at least, on the device of another."""
    # Of the other, so that `vmap` makes one for each task, which can be written into.
    zero = local(like.detach()).reshape(-1)[:0].sum(dtype=torch.promote_types(dtype, torch.float32))
    return zero + value.to(zero) if isinstance(value, torch.Tensor) else zero + value
