"""A formula on one leaf with its state and hyperparameters, and one step of it on the leaves of a tree.

Here are trees, ``None`` gradients, step counters, schedules and tensor-valued hyperparameters.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from types import FunctionType
from typing import Any, Literal, NamedTuple

import torch
from torch.autograd import forward_ad
from torch.fx.experimental.proxy_tensor import get_proxy_mode

from torchopt import checks
from torchopt.autodiff.conversion import plain
from torchopt.autodiff.half import stored
from torchopt.formula import Part, optimizers
from torchopt.io.calls import value_text
from torchopt.pytree import PyTreeSpec
from torchopt.pytree import flattening as pytree
from torchopt.transform import hyperparameters
from torchopt.transform._flat import Flat
from torchopt.transform.extra_args import ExtraArgs, missing


@dataclass(frozen=True)
class _Checked:
    """A formula that raises unless it returns an update and the new slots."""

    formula: Callable[..., tuple[torch.Tensor, ...]]
    slots: int

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


@dataclass(frozen=True, eq=False)
class Reduction:
    """Sums over elements, and the numbers that are made of them.

    See :func:`torchopt.transform.reduced`, which has the arguments of the functions.

    Attributes:
        sums: Returns the terms to be summed, by name.
        reduce: Makes numbers of the sums.
        over: What is summed over: each leaf, or all leaves.
        memory: Name and initial value of each number that is kept from step to step.
    """

    sums: Callable[..., Mapping[str, Any]]
    reduce: Callable[..., Mapping[str, Any]]
    over: Literal["leaf", "tree"]
    memory: Mapping[str, Any]
    #: The names of the numbers that ``sums`` and ``reduce`` take.
    read_by_sums: tuple[str, ...] = field(init=False)
    read_by_reduce: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "read_by_sums", keywords(self.sums))
        object.__setattr__(self, "read_by_reduce", keywords(self.reduce))

    def __reduce__(self) -> Any:
        return Reduction, (self.sums, self.reduce, self.over, self.memory)


def keywords(function: Callable[..., Any]) -> tuple[str, ...]:
    """Return the names of the keyword-only arguments of a function."""
    parameters = inspect.signature(function).parameters.values()
    return tuple(x.name for x in parameters if x.kind is x.KEYWORD_ONLY)


@dataclass(frozen=True, eq=False)
class Rule:
    """A formula with its state and hyperparameters; see :func:`torchopt.transform.elementwise`."""

    formula: Callable[..., tuple[torch.Tensor, ...]]
    state_types: tuple[type[Any], ...]
    slots: Mapping[str, Any]
    hyper: Mapping[str, Any]
    scalars: Callable[..., Mapping[str, Any]] | None
    needs_params: bool
    slots_require_grad: bool
    fused: bool | None = None
    #: What a slot is: a tree like the parameters, or the list of its leaves.
    container: Literal["tree", "list"] = "tree"
    overwrites: bool = False
    #: Whether the formula sees a leaf with its shape; see :func:`torchopt.transform.leafwise`.
    leafwise: bool = False
    #: Further arguments of `update`, which are scalars like the hyperparameters.
    reads: tuple[str, ...] = ()
    #: Sums that the formula reads; see :func:`torchopt.transform.reduced`.
    reduction: Reduction | None = None
    #: The counters in the state, and whether each skips leaves without a gradient.
    counters: Mapping[str, bool] = field(init=False)
    #: The name of the counter of all updates, which schedules read.
    schedule_counter: str = field(init=False)
    #: The names of slots, of numbers that a reduction keeps, and of counters.
    state_names: tuple[str, ...] = field(init=False)
    #: The names of fields of the state with one number for all leaves.
    single: frozenset[str] = field(init=False)
    #: The names of slots that begin as functions of the parameters, with their shapes.
    from_params: frozenset[str] = field(init=False)
    #: The names that the formula takes by keyword, with a reduction or a whole leaf; otherwise empty.
    taken: tuple[str, ...] = field(init=False)
    #: Whether every hyperparameter is a number or a scalar tensor, the same for all leaves and steps.
    constant: bool = field(init=False)
    #: The hyperparameters if all are numbers, otherwise None.
    numbers: dict[str, Any] | None = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "hyper", {name: plain(x) for name, x in self.hyper.items()})
        kept = {"count": True} if self.scalars is not None else {}
        taken: tuple[str, ...] = keywords(self.formula) if self.leafwise else ()
        memory: tuple[str, ...] = ()
        if self.reduction is not None:
            taken, memory = keywords(self.formula), tuple(self.reduction.memory)
            read = {*taken, *self.reduction.read_by_sums, *self.reduction.read_by_reduce}
            kept = {"count": True} if "count" in read else {}
        object.__setattr__(self, "taken", taken)
        made = [name for name, initial in self.slots.items() if callable(initial)]
        object.__setattr__(self, "from_params", frozenset(() if self.leafwise else made))
        alone = not kept and self.state_types[0]._fields == ("count",)
        schedule = "count" if alone else "step"
        scheduled = any(map(hyperparameters.has_schedule, self.hyper.values()))
        counters = kept | ({schedule: False} if scheduled else {})
        object.__setattr__(self, "schedule_counter", schedule)
        object.__setattr__(self, "counters", counters)
        object.__setattr__(self, "state_names", (*self.slots, *memory, *counters))
        one = self.reduction is not None and self.reduction.over == "tree"
        object.__setattr__(self, "single", frozenset((*memory, *counters) if one else ()))
        constant = all(hyperparameters.is_scalar(value) for value in self.hyper.values())
        object.__setattr__(self, "constant", constant and not self.reads)
        numeric = not self.reads and all(
            isinstance(value, (int, float)) for value in self.hyper.values()
        )
        object.__setattr__(self, "numbers", dict(self.hyper) if numeric else None)

    def __reduce__(self) -> Any:
        # Derived attributes are computed again.
        return Rule, tuple(getattr(self, f.name) for f in fields(self) if f.init)

    @property
    def scalar_names(self) -> tuple[str, ...]:
        """The names of the scalars of the formula."""
        if self.reduction is not None:
            return self.taken
        values = dict.fromkeys((*self.hyper, *self.reads), 0.5)
        return tuple(values | dict(self.scalars(1.0, **values) if self.scalars else {}))

    @property
    def counted(self) -> Part:
        """The part whose scalars are the hyperparameters and, if it matters, the number of updates."""
        if self.reduction is not None:
            return self.part(self.taken)
        return self.part((*self.hyper, *self.reads, *(("count",) if self.scalars else ())))

    def part(self, scalars: tuple[str, ...]) -> Part:
        """Return what the rule adds to a composed formula, given the names of its scalars."""
        formula, slots = self.formula, len(self.slots)
        # Ours are right. A partial function has no module in the eyes of `torch.compile`.
        if isinstance(formula, FunctionType) and formula.__module__ != optimizers.__name__:
            formula = _Checked(formula, slots)
        if self.scalars is not None and "count" in scalars:
            formula = _Counted(formula, self.scalars)
        return Part(formula, slots, scalars, self.needs_params)

    def init(self, params: Any) -> Any:
        """Return the state for a tree of parameters."""
        leaves, spec = pytree.flatten(params)
        checks.check_floating(leaves, spec, "params")
        columns = {
            name: [self._fill(leaf, value) for leaf, value in zip(leaves, values, strict=True)]
            for name, values in self._initial_values(leaves, spec)
        }
        fields = {k: self._arrange(v, spec) for k, v in columns.items()}
        if self.reduction is not None:
            for name, initial in self.reduction.memory.items():
                fields[name] = self._initial_number(name, initial, leaves, spec)
        for name in self.counters:
            counts = _new_counts(leaves)
            fields[name] = (
                next(
                    (c for c in counts if c is not None),
                    torch.zeros((), dtype=torch.int64, device="cpu"),
                )
                if name in self.single
                else self._arrange(counts, spec)
            )
        return self.state_types[0](**fields)

    def _initial_number(self, name: str, initial: Any, leaves: list[Any], spec: PyTreeSpec) -> Any:
        """Return the initial value of a number that a reduction keeps, or those of all leaves."""
        argument, value = initial if isinstance(initial, tuple) else (name, plain(initial))
        if name in self.single:
            if not hyperparameters.is_scalar(value):
                raise ValueError(
                    f"`{argument}` is {value!r}, but one number of all leaves begins with it: use a "
                    f"number or a scalar tensor."
                )
            present = [leaf for leaf in leaves if leaf is not None] or [
                torch.zeros((), device="cpu")
            ]
            dtypes = [leaf.dtype for leaf in present]
            return _number_of(value, functools.reduce(torch.promote_types, dtypes), present[0])
        values = hyperparameters.per_leaf(argument, value, leaves, leaves, spec, root="params")
        numbers = [
            None if leaf is None else _number_of(value, leaf.dtype, leaf)
            for leaf, value in zip(leaves, values, strict=True)
        ]
        return self._arrange(numbers, spec)

    def lacks_counters(self, state: Any) -> bool:
        """Whether a state of the right type has no value in the place of a counter."""
        for name in self.counters:  # noqa: SIM110 - a generator costs more than the loop
            if is_lacking(getattr(state, name)):
                return True
        return False

    def completed(self, state: Any, like: Any) -> Any:
        """Return a state with the slots and counters that one of other hyperparameters lacks.

        Args:
            state: A state of one of the types.
            like: A tree of tensors that are shaped like the parameters.
        """
        check_state(state, self.state_types)
        names = {*self.state_names}
        kept = {} if state is None else state._asdict()
        held = {k: x for k, x in kept.items() if k in names and not is_lacking(x)}
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

    def _initial_values(
        self, leaves: list[Any], spec: PyTreeSpec
    ) -> Iterator[tuple[str, Sequence[Any]]]:
        for slot, initial in self.slots.items():
            if callable(initial):
                yield slot, [initial] * len(leaves)
                continue
            name, value = initial if isinstance(initial, tuple) else (slot, initial)
            if name in hyperparameters.RATES:
                hyperparameters.warn_of_ascent(value)
            yield slot, hyperparameters.per_leaf(name, value, leaves, leaves, spec, root="params")

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


class Step(NamedTuple):
    """One update of a tree by a rule: its state and hyperparameters for each leaf.

    Attributes:
        rule: The rule.
        columns: For each slot, its leaves.
        hyper: For each hyperparameter, its value for each leaf; None if they are constant.
        counts: For each counter, its value for each leaf after this update.
        structures: The structure of each slot, number and counter; None for one of all leaves.
        memory: For each number that a reduction keeps, its value for each leaf.
        reduced: For each leaf, what its reduction has made; None before.
    """

    rule: Rule
    columns: list[list[Any]]
    hyper: dict[str, Sequence[Any]] | None
    counts: dict[str, Sequence[Any]]
    structures: list[Any]
    memory: dict[str, Sequence[Any]] = {}  # noqa: RUF012 - of most rules; nothing writes into it
    reduced: Sequence[Any] | None = None

    @classmethod
    def of(
        cls,
        rule: Rule,
        state: Any,
        grads: list[Any],
        spec: PyTreeSpec,
        like: Any,
        extra: ExtraArgs,
    ) -> Step:
        """Check a state against the leaves of the updates, and advance its counters."""
        if type(state) is not rule.state_types[0] or rule.lacks_counters(state):
            state = rule.completed(state, like)
        for name in hyperparameters.RATES & rule.hyper.keys():
            hyperparameters.warn_of_ascent(rule.hyper[name])
        if rule.constant and not rule.state_names:
            return cls(rule, [], None, {}, [])
        columns: list[Any] = []
        structures: list[PyTreeSpec | None] = []
        for name in rule.state_names:
            column = getattr(state, name)
            if name in rule.single:
                columns.append(hyperparameters.Same(column, len(grads)))
                structures.append(None)
                continue
            leaves, structure = pytree.flatten(column)
            if rule.leafwise and name in rule.slots:
                pass  # a leaf may have several tensors; `LeafwisePass` checks them
            elif spec != structure:  # in this order it can be traced
                if isinstance(column, Flat):
                    column = pytree.leaves(column.tree)
                    leaves, structure = pytree.flatten(column)
                _check_column(rule, column, structure, spec, like)
            columns.append(leaves)
            structures.append(structure)
        numbers = dict(zip(rule.state_names, columns, strict=True))
        counts = {name: numbers[name] for name in rule.counters}
        memory = {name: numbers[name] for name in rule.reduction.memory} if rule.reduction else {}
        del columns[len(rule.slots) :]
        hyper = None
        if not rule.constant:
            steps = counts.get(rule.schedule_counter, grads)
            hyper = {
                name: hyperparameters.per_leaf(name, value, steps, grads, spec, like=like)
                for name, value in rule.hyper.items()
            }
            for name in hyperparameters.RATES & hyper.keys():
                if hyperparameters.has_schedule(rule.hyper[name]):
                    hyperparameters.warn_of_ascent(
                        dict(zip(map(id, hyper[name]), hyper[name], strict=True))
                    )
            for name in rule.reads:
                if name not in extra:
                    raise missing(value_text(rule.formula), name)
                hyper[name] = hyperparameters.Same(extra[name], len(grads))
        for name, skip in rule.counters.items():
            if name not in rule.single:
                counts[name] = _advance(counts[name], grads, skip=skip)
            elif any(g is not None for g in grads):
                counts[name] = hyperparameters.Same(counts[name][0] + 1, len(grads))
        return cls(rule, columns, hyper, counts, structures, memory)

    def has_shared_scalars(self) -> bool:
        """Whether all leaves have the same scalars."""
        numbers = self.reduced or self.counts.get("count")
        return (numbers is None or hyperparameters.lockstep(numbers)) and (
            self.hyper is None
            or all(isinstance(values, hyperparameters.Same) for values in self.hyper.values())
        )

    def counts_on_device(self, index: int) -> bool:
        """Whether the number of updates of a leaf is on a GPU."""
        count = None if self.rule.reduction else self.counts.get("count")
        return count is not None and not _is_on_cpu(count[index])

    def scalar_key(self, index: int) -> tuple[Any, ...]:
        """Return a key of the scalars of a leaf: equal for leaves that share them."""
        numbers = self.reduced or self.counts.get("count")
        own = () if numbers is None else (id(numbers[index]),)
        hyper = self.hyper or {}
        return (*own, *(id(values[index]) for values in hyper.values()))

    def scalars(
        self, index: int, number: Callable[[Any], Any], *, counted: bool = False
    ) -> dict[str, Any]:
        """Return the scalar arguments of the formula for a leaf, each read by ``number``.

        With ``counted``, they are those of :attr:`Rule.counted`.
        """
        if self.rule.numbers is not None:
            values = self.rule.numbers
        elif self.hyper is None:
            values = {name: number(value) for name, value in self.rule.hyper.items()}
        else:
            values = {name: number(column[index]) for name, column in self.hyper.items()}
        if self.reduced is not None:
            values = values | {k: number(x) for k, x in self.reduced[index].items()}
            return taken(self.rule.formula, self.rule.taken, values)
        if self.rule.scalars is None:
            return values
        t = self.time(index, number)
        if counted:
            return values | {"count": t}
        return values | dict(self.rule.scalars(t, **values))

    def numbers(self) -> list[list[Any]]:
        """Return what a reduction keeps, as columns: of what is one for all leaves, that alone."""
        return [
            [column.value] if isinstance(column, hyperparameters.Same) else list(column)
            for column in self.memory.values()
        ]

    def time(self, index: int, number: Callable[[Any], Any]) -> Any:
        """Return the number of updates of a leaf, as a float or a scalar tensor of floats."""
        count = self.counts["count"][index]
        return (
            float(count) if number is _number and count.is_cpu else hyperparameters.as_float(count)
        )

    def new_state(self, columns: Sequence[Any]) -> Any:
        """Return the new state, of the structure of the old one."""
        if not self.structures:
            return self.rule.state_types[0]()
        columns = (*columns, *self.memory.values(), *self.counts.values())
        trees = map(to_tree, self.structures, columns)
        return self.rule.state_types[0](**dict(zip(self.rule.state_names, trees, strict=True)))


def absent_as_tuple(slot: Any) -> Any:
    """Return what a state has for a slot of a leaf: the empty tuple in the place of None.

    None stands for a parameter that is None, and ``vmap`` returns no None.
    """
    if isinstance(slot, torch.Tensor):
        return slot
    return () if slot is None else tuple(map(absent_as_tuple, slot))


def taken(
    function: Callable[..., Any], names: Sequence[str], values: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the numbers that a function takes by keyword."""
    if unknown := [name for name in names if name not in values]:
        raise TypeError(
            f"`{value_text(function)}` takes `{unknown[0]}` by keyword, but there are only "
            f"{', '.join(f'`{name}`' for name in values)}: use one of these names."
        )
    return {name: values[name] for name in names}


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


def _check_column(
    rule: Rule, column: Any, structure: PyTreeSpec, spec: PyTreeSpec, like: Any
) -> None:
    """Raise unless a column of a state has the leaves of the updates."""
    advice = "pass the gradients of the same parameters, or call `init` again for new ones"
    size = structure.num_leaves
    if rule.container != "tree" and type(column) in (list, tuple) and len(column) == size:
        if size == spec.num_leaves:
            return
        structure = pytree.flatten(like)[1]  # the parameters, if they are known, have names
        if size != structure.num_leaves:
            raise ValueError(
                f"the number of leaves of `updates` is {spec.num_leaves}, but that of the tree that "
                f"`init` was given is {size}: {advice}."
            )
    checks.check_same_structure(
        structure,
        spec,
        root="updates",
        reference="the tree that `init` was given",
        advice=advice,
    )


def _in_tree_like(like: Any, column: Any) -> Any:
    """Return the leaves of a column of a state in a tree like the parameters."""
    leaves = pytree.leaves(column.tree if isinstance(column, Flat) else column)
    spec = pytree.flatten(like)[1]
    # Another number of leaves is refused later, as in any other state.
    return pytree.unflatten(spec, leaves) if len(leaves) == spec.num_leaves else column


def to_tree(spec: PyTreeSpec | None, column: Any) -> Any:
    """Return leaves as a tree. None stands for one number."""
    return column[0] if spec is None else pytree.unflatten(spec, column)


def leaves_of_params(params: Any, spec: PyTreeSpec) -> tuple[list[Any], PyTreeSpec]:
    """Return the leaves of the parameters, which must be those of the updates, and the structure."""
    if params is None:
        raise ValueError(
            "this transformation needs the parameters (weight decay reads them): call "
            "`update(grads, state, params=params)`."
        )
    leaves, structure = pytree.flatten(params)
    checks.check_same_structure(spec, structure, root="params", reference="the updates")
    return leaves, structure


def scalar_reader() -> Callable[[Any], Any]:
    """Return the function that reads a scalar: as a number, unless it is traced."""
    traced = checks.transforms_active() or get_proxy_mode() is not None
    return _itself if traced or forward_ad._current_level >= 0 else _number


def _itself(value: Any) -> Any:
    # An operation, so that a TorchFunctionMode sees that the tensor is read.
    return value.view_as(value) if isinstance(value, torch.Tensor) else value


def _number(value: Any) -> Any:
    """Return a scalar tensor as a number if it is on the CPU and requires no grad."""
    if not isinstance(value, torch.Tensor) or value.dim() > 0:
        return value
    # `item` would wait for a device, and is this process's part of a DTensor.
    if not _is_on_cpu(value) or hasattr(value, "full_tensor"):
        return _itself(value)
    # Scalars are combined in double precision, whatever their own.
    return value.to(torch.float64) if value.requires_grad else value.item()


def _is_on_cpu(value: torch.Tensor) -> bool:
    return value.is_cpu


def _number_of(value: Any, dtype: torch.dtype, like: torch.Tensor) -> torch.Tensor:
    """Return a number as a tensor of its own, in float32 at least, on the device of another."""
    # Of the other, so that `vmap` makes one for each task, which can be written into.
    zero = like.detach().reshape(-1)[:0].sum(dtype=torch.promote_types(dtype, torch.float32))
    return zero + value.to(zero) if isinstance(value, torch.Tensor) else zero + value


def _new_counts(leaves: list[Any]) -> list[Any]:
    """Return a counter at zero for each leaf; the leaves on a device share one tensor."""
    shared = {
        device: torch.zeros((), dtype=torch.int64, device=device)
        for device in dict.fromkeys(leaf.device for leaf in leaves if leaf is not None)
    }
    return [None if leaf is None else shared[leaf.device] for leaf in leaves]


def _advance(counts: Any, grads: list[Any], *, skip: bool) -> list[Any]:
    """Increment counters, one addition for those in lockstep; ``skip`` those without a gradient."""
    if type(None) not in {*map(type, grads), *map(type, counts)} and hyperparameters.lockstep(
        counts
    ):
        return [counts[0] + 1] * len(counts)
    advanced: dict[int, torch.Tensor] = {}
    out = []
    for count, g in zip(counts, grads, strict=True):
        if count is None or (skip and g is None):
            out.append(count)
            continue
        if id(count) not in advanced:
            advanced[id(count)] = count + 1
        out.append(advanced[id(count)])
    return out
