"""A transformation that maps a formula on one leaf over a tree, and several of them in one pass.

Here is everything about a transformation that is not its formula: trees, ``None`` gradients, step
counters, schedules and tensor-valued hyperparameters, dtypes, the choice between kernels and plain
operations, and errors for wrong input.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, NamedTuple

import torch
from torch.autograd import forward_ad

from torchopt import checks
from torchopt.formula import Graph, Part, compose, optimizers, sequence
from torchopt.ops import kernel_of
from torchopt.pytree import PyTreeSpec
from torchopt.pytree import flattening as pytree
from torchopt.transform import _fuse, hyperparameters
from torchopt.transform._flat import Flat, Layout

__all__ = ["GlobalFactor", "Pass", "Rule", "check_state"]


@dataclass(frozen=True, eq=False)
class Rule:
    """A formula with its state and hyperparameters; see :func:`torchopt.transform.elementwise`."""

    formula: Callable[..., tuple[torch.Tensor, ...]]
    state_type: type[Any]
    slots: Mapping[str, Any]
    hyper: Mapping[str, Any]
    scalars: Callable[..., Mapping[str, Any]] | None
    needs_params: bool
    slots_require_grad: bool
    scheduled: bool
    fused: bool | None = None
    flat: bool = False
    #: The counters in the state, and whether each skips leaves without a gradient.
    counters: Mapping[str, bool] = field(init=False)
    #: Whether every hyperparameter is a number or a scalar tensor, the same for all leaves and steps.
    constant: bool = field(init=False)
    #: The hyperparameters if all are numbers, otherwise None.
    numbers: dict[str, Any] | None = field(init=False)
    #: Cache of the recorded formulas of this rule alone.
    graphs: dict[Any, Graph | None] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        kept = {"count": True} if self.scalars is not None else {}
        counters = kept | ({"step": False} if self.scheduled else {})
        object.__setattr__(self, "counters", counters)
        constant = all(hyperparameters.is_scalar(value) for value in self.hyper.values())
        object.__setattr__(self, "constant", constant)
        numeric = all(isinstance(value, (int, float)) for value in self.hyper.values())
        object.__setattr__(self, "numbers", dict(self.hyper) if numeric else None)

    def __reduce__(self) -> Any:
        # Derived attributes are computed again.
        return Rule, tuple(getattr(self, f.name) for f in fields(self) if f.init)

    @property
    def alone(self) -> Pass:
        """A new pass of this rule alone: an attribute would be a cycle that keeps tensors alive."""
        return Pass((self,), self.graphs)

    @property
    def scalar_names(self) -> tuple[str, ...]:
        """The names of the scalars of the formula."""
        values = dict.fromkeys(self.hyper, 0.5)
        return tuple(values | dict(self.scalars(1.0, **values) if self.scalars else {}))

    def part(self, scalars: tuple[str, ...]) -> Part:
        """Return what the rule adds to a composed formula, given the names of its scalars."""
        return Part(self.formula, len(self.slots), scalars, self.needs_params)

    def init(self, params: Any) -> Any:
        """Return the state for a tree of parameters."""
        leaves, spec = pytree.flatten(params)
        checks.check_not_empty(spec, "params")
        checks.check_floating(leaves, spec, "params")
        columns = {
            name: [self._fill(leaf, value) for leaf, value in zip(leaves, values, strict=True)]
            for name, values in self._initial_values(leaves, spec)
        }
        fields = {k: self._pack(v, spec) for k, v in columns.items()}
        counts = {name: pytree.unflatten(spec, _new_counts(leaves)) for name in self.counters}
        return self.state_type(**fields, **counts)

    def _pack(self, leaves: list[Any], spec: PyTreeSpec) -> Any:
        layout = Layout.of(leaves, spec) if self.flat else None
        if layout is None:
            return pytree.unflatten(spec, leaves)
        flat = layout.pack(leaves)
        if not self.slots_require_grad:
            return flat
        return replace(flat, buffer=flat.buffer.detach().requires_grad_())

    def _initial_values(
        self, leaves: list[Any], spec: PyTreeSpec
    ) -> Iterator[tuple[str, Sequence[Any]]]:
        for slot, initial in self.slots.items():
            name, value = initial if isinstance(initial, tuple) else (slot, initial)
            yield slot, hyperparameters.per_leaf(name, value, leaves, leaves, spec, root="params")

    def _fill(self, leaf: torch.Tensor | None, value: Any) -> torch.Tensor | None:
        if leaf is None:
            return None
        if isinstance(value, torch.Tensor):
            return torch.zeros_like(leaf) + value.to(leaf.dtype)
        return torch.full_like(leaf, value, requires_grad=self.slots_require_grad)

    def update(
        self, updates: Any, state: Any, *, params: Any = None, inplace: bool = True
    ) -> tuple[Any, Any]:
        """Return the new updates and the new state."""
        updates, states = self.alone.run(updates, (state,), params=params, inplace=inplace)
        return updates, states[0]


class GlobalFactor:
    """A transformation that multiplies all updates by one scalar, computed from all of them."""

    def factor(self, leaves: list[Any]) -> torch.Tensor | None:
        """Return the scalar, or None for no change."""
        raise NotImplementedError

    def update(
        self, updates: Any, state: Any, *, params: Any = None, inplace: bool = True
    ) -> tuple[Any, Any]:
        """Return the new updates, and the state as it is."""
        return Pass(()).run(updates, (), factor=self.factor)[0], state


class _Step(NamedTuple):
    """One update of a tree by a rule: its state and hyperparameters for each leaf.

    Attributes:
        rule: The rule.
        columns: For each slot, its leaves.
        hyper: For each hyperparameter, its value for each leaf; None if they are constant.
        counts: For each counter, its value for each leaf after this update.
    """

    rule: Rule
    columns: list[list[Any] | Flat]
    hyper: dict[str, Sequence[Any]] | None
    counts: dict[str, list[Any]]

    @classmethod
    def of(cls, rule: Rule, state: Any, grads: list[Any], spec: PyTreeSpec) -> _Step:
        """Check a state against the leaves of the updates, and advance its counters."""
        check_state(state, rule.state_type)
        if rule.numbers is not None and not rule.slots and not rule.counters:
            return cls(rule, [], None, {})
        columns = [_leaves(getattr(state, name), spec) for name in rule.slots]
        counts = {name: _leaves(getattr(state, name), spec) for name in rule.counters}
        hyper = None
        if not rule.constant:
            hyper = {
                name: hyperparameters.per_leaf(name, value, counts.get("step", grads), grads, spec)
                for name, value in rule.hyper.items()
            }
        advanced = {
            name: _advance(counts[name], grads, skip=skip) for name, skip in rule.counters.items()
        }
        return cls(rule, columns, hyper, advanced)

    def has_shared_scalars(self) -> bool:
        """Whether all leaves have the same scalars."""
        count = self.counts.get("count")
        return (count is None or hyperparameters.lockstep(count)) and (
            self.hyper is None
            or all(isinstance(values, hyperparameters.Same) for values in self.hyper.values())
        )

    def scalar_key(self, index: int) -> tuple[Any, ...]:
        """Return a key of the scalars of a leaf: equal for leaves that share them."""
        count = self.counts.get("count")
        counter = () if count is None else (id(count[index]),)
        hyper = self.hyper or {}
        return (*counter, *(id(values[index]) for values in hyper.values()))

    def scalars(self, index: int, number: Callable[[Any], Any]) -> dict[str, Any]:
        """Return the scalar arguments of the formula for a leaf, each read by ``number``."""
        if self.rule.numbers is not None:
            values = self.rule.numbers
        elif self.hyper is None:
            values = {name: number(value) for name, value in self.rule.hyper.items()}
        else:
            values = {name: number(column[index]) for name, column in self.hyper.items()}
        if self.rule.scalars is None:
            return values
        count = self.counts["count"][index]
        t = float(count) if number is _number and count.is_cpu else hyperparameters.as_float(count)
        return values | dict(self.rule.scalars(t, **values))

    def new_state(self, spec: PyTreeSpec, columns: Sequence[Any]) -> Any:
        """Return the new state."""
        if not self.rule.slots and not self.counts:
            return self.rule.state_type()
        fields = dict(zip(self.rule.slots, columns, strict=True)) | self.counts
        return self.rule.state_type(**{k: _tree(spec, v) for k, v in fields.items()})


class Pass:
    """Rules one after the other, in one pass over memory if there is a kernel for them together.

    The recorded formulas and the split into parts that have kernels are cached here.
    """

    def __init__(
        self, rules: Sequence[Rule], graphs: dict[Any, Graph | None] | None = None
    ) -> None:
        self.rules = tuple(rules)
        self.needs_params = any(rule.needs_params for rule in rules)
        self.wants_kernel = any(rule.fused for rule in rules)
        self.forbids_kernel = any(rule.fused is False for rule in rules)
        #: Number of rules at the beginning that multiply by a scalar: a kernel's factor can do that.
        self.leading_scales = next(
            (k for k, r in enumerate(rules) if r.formula is not optimizers.scale), len(rules)
        )
        self._graphs: dict[Any, Graph | None] = {} if graphs is None else graphs
        self._splits: dict[Any, tuple[Pass, Pass] | None] = {}

    def __reduce__(self) -> Any:
        return Pass, (self.rules,)

    def run(
        self,
        updates: Any,
        states: Sequence[Any],
        *,
        params: Any = None,
        inplace: bool = True,
        factor: Callable[[list[Any]], Any] | None = None,
        apply: bool = False,
    ) -> tuple[Any, list[Any]]:
        """Apply the rules.

        Args:
            updates: The tree of updates.
            states: The state of each rule.
            params: The tree of parameters, if a rule needs it.
            inplace: Whether leaf parameters are constants.
            factor: Given the leaves of the updates, returns a scalar tensor that multiplies them
                first, or None.
            apply: Whether to add the updates to the parameters.

        Returns:
            The updates, or with ``apply`` the new parameters; and the new states.
        """
        grads, spec = pytree.flatten(updates)
        if parts := self._split(grads, apply):
            head, tail = parts
            at = len(head.rules)
            updates, first = head.run(
                updates, states[:at], params=params, inplace=inplace, factor=factor
            )
            updates, rest = tail.run(
                updates, states[at:], params=params, inplace=inplace, apply=apply
            )
            return updates, [*first, *rest]
        weights = None
        if apply or self.needs_params:
            weights = _leaves_of_params(params, spec)
        steps = [_Step.of(rule, s, grads, spec) for rule, s in zip(self.rules, states, strict=True)]
        columns = [column for step in steps for column in step.columns]
        leaves = _Leaves(range(len(grads)), grads, weights, columns)
        plain = _fuse.are_plain(leaves.columns)
        if not plain:
            _check(steps, grads, weights, spec)
        if inplace and weights is not None:
            leaves = leaves._replace(weights=_constants(weights, grads))
        scale = None if factor is None else factor(grads)

        updated, *slots = self._on_all(steps, leaves, scale, apply=apply, plain=plain)
        new_states, at = [], 0
        for step in steps:
            new_states.append(step.new_state(spec, slots[at : at + len(step.columns)]))
            at += len(step.columns)
        return _tree(spec, updated), new_states

    def graph(self, ahead: int, apply: bool, scalars: Sequence[Iterable[str]]) -> Graph | None:
        """Return the formula of the rules after the first ``ahead``.

        Args:
            ahead: Number of rules to leave out.
            apply: Whether the formula adds the update to the parameter.
            scalars: The names of the scalars of each rule.

        Returns:
            The formula, or None if one of the rules cannot be recorded.

        Warns:
            UserWarning: Once, if it cannot be recorded and a kernel was asked for.
        """
        key = (ahead, apply)
        if key not in self._graphs:
            rules = self.rules[ahead:]
            parts = [rule.part(tuple(s)) for rule, s in zip(rules, scalars, strict=True)]
            graph = self._graphs[key] = compose(tuple(parts), apply)
            if graph is None and self.wants_kernel:
                names = ", ".join(getattr(part.formula, "__name__", "?") for part in parts)
                checks.warn(
                    f"a kernel was asked for, but a formula among ({names}) cannot be recorded; "
                    f"PyTorch's operations run instead (`torchopt.ops.trace` says why)."
                )
        return self._graphs[key]

    def _split(self, grads: list[Any], apply: bool) -> tuple[Pass, Pass] | None:
        """Return two passes to run one after the other, so that kernels are used, or None."""
        if len(self.rules) < 2 or not grads or not isinstance(grads[0], torch.Tensor):
            return None
        if torch.compiler.is_compiling():
            return None
        key = (apply, grads[0].device, grads[0].dtype)
        if key not in self._splits:
            at = self._find_split(grads[0], apply)
            self._splits[key] = (Pass(self.rules[:at]), Pass(self.rules[at:])) if at else None
        return self._splits[key]

    def _find_split(self, like: torch.Tensor, apply: bool) -> int:
        """Return the number of rules in the first of two passes; 0 for one pass."""
        size = len(self.rules)
        if self.wants_kernel or self.forbids_kernel:
            return 0  # a kernel for all rules is compiled, or kernels are not allowed

        def has_kernel(start: int, stop: int) -> bool:
            part = Pass(self.rules[start:stop])
            names = [rule.scalar_names for rule in part.rules[part.leading_scales :]]
            graph = part.graph(part.leading_scales, apply and stop == size, names)
            return graph is not None and kernel_of(graph, like) is not None

        # The longest beginning that has a kernel; else one rule, if a later part has a kernel.
        for stop in range(size, 0, -1):
            if has_kernel(0, stop):
                return stop % size
        spans = [(start, stop) for start in range(1, size) for stop in range(start + 1, size + 1)]
        return int(any(has_kernel(*span) for span in spans))

    def _on_all(
        self, steps: Sequence[_Step], leaves: _Leaves, factor: Any, *, apply: bool, plain: bool
    ) -> Sequence[Any]:
        """Update the leaves; those with the same scalars are updated together."""
        shared = plain and all(step.has_shared_scalars() for step in steps)
        groups = [leaves.indices] if shared else _groups(steps, leaves.grads)
        together = plain and len(groups) == 1
        if together:
            done = self._by_kernel(steps, leaves, factor, apply)
            if done is not None:
                return done
        flat = [leaves.weights if apply else None, *leaves.slots]
        out = self._on_groups(steps, groups, leaves.unpacked(), factor, apply, tried=together)
        return [
            old.layout.pack(new) if isinstance(old, Flat) else new
            for old, new in zip(flat, out, strict=True)
        ]

    def _on_groups(
        self,
        steps: Sequence[_Step],
        groups: Sequence[Sequence[int]],
        leaves: _Leaves,
        factor: Any,
        apply: bool,
        *,
        tried: bool,
    ) -> Sequence[Any]:
        head: Any = leaves.weights if apply else None
        slots: Sequence[Any] = leaves.slots
        out: list[list[Any]] = [
            [None] * len(leaves.grads) if head is None else [*head],
            *([*column] for column in slots),
        ]
        for group in groups:
            part = leaves.part(group)
            done = None
            if not tried and _fuse.are_plain(part.columns):
                done = self._by_kernel(steps, part, factor, apply)
            if done is None:
                done = _by_operations(steps, part, factor, apply)
            for column, new in zip(out, done, strict=True):
                for i, x in zip(group, new, strict=True):
                    column[i] = x
        return out

    def _by_kernel(
        self, steps: Sequence[_Step], leaves: _Leaves, factor: Any, apply: bool
    ) -> Sequence[Any] | None:
        if self.forbids_kernel or torch.compiler.is_compiling():
            return None
        number = _reader()
        scalars = [step.scalars(leaves.indices[0], number) for step in steps]
        scale = 1.0 if factor is None else number(factor)
        ahead = 0
        while ahead < self.leading_scales:
            step_size = scalars[ahead]["step_size"]
            if not (_is_number(scale, 1) or _is_number(step_size, 1, -1)):
                break  # two roundings must not become one
            scale = scale * step_size
            ahead += 1
        graph = self.graph(ahead, apply, scalars[ahead:])
        if graph is None:
            return None
        head: Any = leaves.weights if apply else leaves.grads
        values = [scale, *(value for named in scalars[ahead:] for value in named.values())]
        columns = leaves.columns
        return _fuse.fused_call(
            graph, columns, [head, *leaves.slots], values, compile=self.wants_kernel
        )


def check_state(state: Any, expected: type[Any]) -> None:
    """Raise ``TypeError`` unless a state is of the type that the transformation makes."""
    if not isinstance(state, expected):
        raise TypeError(
            f"a state of type {expected.__name__} is expected, but {type(state).__name__} was given: "
            f"pass what this transformation's `init` or `update` returned."
        )


def _flatten(tree: Any) -> tuple[list[Any] | Flat, PyTreeSpec]:
    return (tree, tree.layout.spec) if isinstance(tree, Flat) else pytree.flatten(tree)


def _tree(spec: PyTreeSpec, column: Any) -> Any:
    return column if isinstance(column, Flat) else pytree.unflatten(spec, column)


def _unpack(column: Any) -> Any:
    return column.leaves() if isinstance(column, Flat) else column


class _Leaves(NamedTuple):
    """Some leaves of a tree: gradients, parameters and slots.

    Attributes:
        indices: The indices of the leaves in the tree.
        grads: The gradients, or the updates of the rules before.
        weights: The parameters, if they are read.
        slots: The slots of all rules, one after the other.
    """

    indices: Sequence[int]
    grads: list[Any]
    weights: list[Any] | Flat | None
    slots: Sequence[list[Any] | Flat]

    @property
    def columns(self) -> list[Any]:
        """Gradients, parameters (if they are read) and slots."""
        heads = [self.grads] if self.weights is None else [self.grads, self.weights]
        return [*heads, *self.slots]

    def unpacked(self) -> _Leaves:
        """Return the same leaves as lists of tensors, without flat buffers."""
        return self._replace(weights=_unpack(self.weights), slots=[*map(_unpack, self.slots)])

    def part(self, indices: Sequence[int]) -> _Leaves:
        """Return the leaves at some indices; this object must be unpacked."""
        weights: Any = self.weights
        slots: Any = self.slots
        return _Leaves(
            indices,
            [self.grads[i] for i in indices],
            None if weights is None else [weights[i] for i in indices],
            [[column[i] for i in indices] for column in slots],
        )


def _groups(steps: Sequence[_Step], grads: list[Any]) -> list[Sequence[int]]:
    """Return the indices of the leaves that have a gradient, by equal scalars and dtype."""
    if torch.compiler.is_compiling():  # the compiler merges equal scalars
        return [[index] for index, g in enumerate(grads) if g is not None]
    shared = all(step.has_shared_scalars() for step in steps)
    groups: dict[Any, list[int]] = {}
    for index, g in enumerate(grads):
        if g is not None:
            scalars = () if shared else tuple(step.scalar_key(index) for step in steps)
            groups.setdefault((g.dtype, g.device, scalars), []).append(index)
    return list(groups.values())


def _by_operations(
    steps: Sequence[_Step], leaves: _Leaves, factor: Any, apply: bool
) -> Sequence[Sequence[torch.Tensor]]:
    number = _reader()
    scalars = [step.scalars(leaves.indices[0], number) for step in steps]
    parts = [step.rule.part(tuple(s)) for step, s in zip(steps, scalars, strict=True)]
    weights: Any = leaves.weights
    columns: Any = leaves.slots
    rows = []
    for k, g in enumerate(leaves.grads):
        p = None if weights is None else weights[k]
        slots = [column[k] for column in columns]
        if factor is not None:
            g = (g * factor.to(g.device)).to(g.dtype)
        row = sequence(parts, g, p, slots, scalars, apply=apply)
        # Scalars are kept in float64; a 0-dimensional leaf must not be promoted by them.
        head = p.dtype if apply and p is not None else slots[0].dtype if slots else g.dtype
        dtypes = [head, *(slot.dtype for slot in slots)]
        rows.append([x if x.dtype == d else x.to(d) for x, d in zip(row, dtypes, strict=True)])
    return list(zip(*rows, strict=True))


def _reader() -> Callable[[Any], Any]:
    """Return the function that reads a scalar: as a number, unless a transform traces it."""
    transformed = checks.transforms_active() or forward_ad._current_level >= 0
    return _itself if transformed else _number


def _itself(value: Any) -> Any:
    # An operation, so that a TorchFunctionMode sees that the tensor is read.
    return value.view_as(value) if isinstance(value, torch.Tensor) else value


def _number(value: Any) -> Any:
    """Return a scalar tensor as a number if it is on the CPU and requires no grad."""
    if not isinstance(value, torch.Tensor) or value.dim() > 0:
        return value
    if not value.is_cpu:  # `item` would wait for the device
        return value
    # Scalars are combined in double precision, whatever their own.
    return value.to(torch.float64) if value.requires_grad else value.item()


def _is_number(value: Any, *choices: float) -> bool:
    return not isinstance(value, torch.Tensor) and value in choices


def _leaves(tree: Any, spec: PyTreeSpec) -> list[Any] | Flat:
    leaves, structure = _flatten(tree)
    checks.check_same_structure(
        structure,
        spec,
        root="updates",
        reference="the tree that `init` was given",
        advice="pass the gradients of the same parameters, or call `init` again for new ones",
    )
    return leaves


def _leaves_of_params(params: Any, spec: PyTreeSpec) -> list[Any] | Flat:
    if params is None:
        raise ValueError(
            "this transformation needs the parameters (weight decay reads them): call "
            "`update(grads, state, params=params)`."
        )
    leaves, structure = _flatten(params)
    checks.check_same_structure(spec, structure, root="params", reference="the updates")
    return leaves


def _check(
    steps: Sequence[_Step], grads: list[Any], weights: list[Any] | Flat | None, spec: PyTreeSpec
) -> None:
    """Raise if a leaf is not a floating tensor, or has not the shape of its gradient."""
    checks.check_floating(grads, spec, "updates")
    for step in steps:
        for name, column in zip(step.rule.slots, step.columns, strict=True):
            for index, (g, slot) in enumerate(zip(grads, _unpack(column), strict=True)):
                if g is None or (slot is not None and g.shape == slot.shape):
                    continue
                path = checks.leaf_path(spec, index, "updates")
                if slot is None:
                    raise ValueError(
                        f"`{path}` has a gradient, but its parameter was None (in a module: frozen) "
                        f"when the state was made: call `init`, or make the optimizer, with the "
                        f"parameter in place."
                    )
                checks.raise_shape_mismatch(path, g.shape, slot.shape, f"its state `{name}`")
    if weights is None:
        return
    leaves = _unpack(weights)
    checks.check_floating(leaves, spec, "params")
    for index, (g, p) in enumerate(zip(grads, leaves, strict=True)):
        if g is not None and (p is None or p.shape != g.shape):
            shape = "None" if p is None else tuple(p.shape)
            raise ValueError(
                f"`{checks.leaf_path(spec, index, 'params')}` is {shape}, but its gradient has "
                f"shape {tuple(g.shape)}: pass the parameters that the gradients belong to."
            )


def _constants(weights: list[Any] | Flat, grads: list[Any]) -> list[Any] | Flat:
    """Detach leaf parameters whose gradient has no graph, so that the state collects no graph."""
    if isinstance(weights, Flat):
        return weights
    return [
        p.detach() if g is not None and not g.requires_grad and p.is_leaf and p.requires_grad else p
        for g, p in zip(grads, weights, strict=True)
    ]


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
