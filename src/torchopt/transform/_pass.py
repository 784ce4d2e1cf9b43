"""Rules one after the other on the leaves of a tree, as one kernel where there is one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import torch

from torchopt import checks
from torchopt.autodiff import transforms
from torchopt.autodiff.half import narrow, stored, wide
from torchopt.autodiff.packed import pack, unpack
from torchopt.autodiff.shards import beside, is_sharded, placed_as
from torchopt.autodiff.tracking import PLAIN
from torchopt.collectives.dtensor import unshard
from torchopt.formula import Graph, compose, optimizers, sequence
from torchopt.ops import DTYPES, call_columns, kernel_of
from torchopt.pytree import PyTreeSpec
from torchopt.pytree import flattening as pytree
from torchopt.transform._inplace import are_written, targets_of, write
from torchopt.transform._misfits import check_leaves, described, shapes_of
from torchopt.transform._prepare import prepare
from torchopt.transform._rule import Rule, absent_as_tuple
from torchopt.transform._step import Step, groups_of, leaves_of_params, scalar_reader
from torchopt.transform.extra_args import NONE, ExtraArgs


class Pass:
    """Rules one after the other, in one pass over memory if there is a kernel for them together.

    The recorded formulas and the split into parts that have kernels are cached here. A rule that sees
    whole leaves is alone in its pass.

    Args:
        rules: The rules; only the first may prepare numbers of whole leaves.
        overwrites: Whether updates may be written into the tensors that they are made from.
    """

    def __init__(self, rules: Sequence[Rule], overwrites: bool) -> None:
        self.rules, self.overwrites = tuple(rules), overwrites
        options = [(rule.fused, rule.needs_params) for rule in rules]
        fused, needs_params = zip(*options, strict=True)
        self.leafwise = self.rules[0].leafwise
        self.needs_params = True in needs_params
        self.wants_kernel = True in fused
        self.forbids_kernel = self.leafwise or False in fused
        #: Whether the first rule multiplies by a scalar: a kernel's factor does that.
        self.scaled = self.rules[0].formula is optimizers.scale
        #: The slots that begin as functions of the parameters, with their shapes.
        slots = [] if self.leafwise else [x for rule in rules for x in rule.slots.values()]
        self.from_params = [k for k, initial in enumerate(slots) if callable(initial)]
        self._graphs: dict[Any, Graph | None] = {}
        self._splits: dict[Any, tuple[Pass, Pass] | None] = {}

    def __reduce__(self) -> Any:
        return Pass, (self.rules, self.overwrites)

    def run(
        self,
        updates: Any,
        states: Sequence[Any],
        *,
        params: Any = None,
        inplace: bool = True,
        apply: bool = False,
        extra: ExtraArgs = NONE,
    ) -> tuple[Any, Sequence[Any]]:
        """Apply the rules.

        Args:
            updates: The tree of updates.
            states: The state of each rule.
            params: The tree of parameters, if a rule needs it.
            inplace: Whether parameters are constants, and results are written into the tensors that
                they replace, if no graph is needed.
            apply: Whether to add the updates to the parameters.
            extra: Further arguments, of which rules may read some.

        Returns:
            The updates, or with ``apply`` the new parameters; and the new states.
        """
        grads, spec = pytree.flatten(updates)
        heads, result_spec = [grads], spec
        if apply or self.needs_params:
            weights, params_spec = leaves_of_params(params, spec)
            heads.append(weights)
            result_spec = params_spec if apply else spec  # a dict's order may be another
        eager = not torch.compiler.is_compiling()
        if parts := self._split(grads, apply) if eager else None:
            head, tail = parts
            options: dict[str, Any] = {"params": params, "inplace": inplace, "extra": extra}
            at = len(head.rules)
            updates, first = head.run(updates, states[:at], **options)
            updates, rest = tail.run(updates, states[at:], apply=apply, **options)
            return updates, (*first, *rest)
        like = updates if params is None else params
        read = scalar_reader(eager=eager)
        steps = [
            Step(rule, state, grads, spec, like, extra, read)
            for rule, state in zip(self.rules, states, strict=True)
        ]
        columns: list[Any] = [*heads, *chain(*[step.columns for step in steps])]
        tensors = pytree.leaves(columns) if self.leafwise else [*chain(*columns)]
        plain = not self.leafwise and are_plain(columns, tensors)
        if not plain:
            check_leaves(steps, heads, spec)
        if inplace and len(heads) == 2:
            columns[1] = constants(columns[1], grads)
        for slot in self.from_params if inplace else ():
            columns[len(heads) + slot] = constants(columns[len(heads) + slot], grads)
        memory: list[list[Any]] = []
        if self.rules[0].prepare is not None:
            memory = steps[0].numbers()
            prepare(steps[0], columns, len(heads))
        targets = None
        if inplace and not apply:
            slots = columns[len(heads) :]
            slots = [*map(pytree.leaves, slots)] if self.leafwise else slots
            targets = targets_of(
                [grads if self.overwrites else None, *slots, *memory],
                [t for t in (*tensors, *chain(*memory)) if t is not None],
            )
        together = plain and all([step.shared for step in steps])  # noqa: C419 - no frame for each
        # What a `vmap` maps is written afterwards: a kernel sees the plain tensors.
        outputs = 1 + len(columns) - len(heads)
        into = None if targets is None or transforms.are_active() else targets[:outputs]
        done = [*self._update(steps, columns, len(heads), apply, into, together, spec)]
        if memory:
            done += steps[0].numbers()
        # In traced code no kernel runs, and columns cannot be compared.
        if targets is not None and not (eager and are_written(done, targets)):
            done = [*self._written(done, targets)]
        updated, *new = done
        made = iter(new)
        after = [step.state(made) for step in steps]
        return pytree.unflatten(result_spec, updated), after

    def update(
        self, updates: Any, state: Any, params: Any = None, *, inplace: bool = True, **extra: Any
    ) -> tuple[Any, Any]:
        """Do that with the state of the only transformation."""
        updates, states = self.run(updates, (state,), params=params, inplace=inplace, extra=extra)
        return updates, states[0]

    def _written(self, columns: list[Any], targets: Sequence[Any]) -> Sequence[Any]:
        """Write results into the columns that they replace, if no graph is needed."""
        if not self.leafwise:
            return write(columns, targets)
        leaves, specs = zip(*map(pytree.flatten, map(list, columns)), strict=True)
        return [*map(pytree.unflatten, specs, write(leaves, targets))]

    def _update(
        self,
        steps: Sequence[Step],
        columns: list[Any],
        heads: int,
        apply: bool,
        targets: Sequence[Any] | None,
        together: bool,
        spec: PyTreeSpec,
    ) -> Sequence[Any]:
        """Update the leaves: all together, or those with the same scalars and dtype.

        Args:
            steps: The steps of the rules.
            columns: The gradients, the parameters if they are read, and the slots.
            heads: How many columns come before the slots: 1, or 2 with the parameters.
            apply: Whether to add the updates to the parameters.
            targets: For each result, the column that a kernel may write it into, or None.
            together: Whether all leaves are of one kind and have the same scalars.
            spec: The structure of the updates.

        Returns:
            The updates (or the new parameters), and the new slots.
        """
        if together:
            done = self._by_kernel(steps, columns, 0, heads, apply, targets)
            return done or self._by_operations(
                steps, columns, range(len(columns[0])), heads, apply, spec
            )
        first = [*columns[1]] if apply else [None] * len(columns[0])
        out: list[list[Any]] = [first, *([*column] for column in columns[heads:])]
        for group in groups_of(steps, columns):
            part = [[column[i] for i in group] for column in columns]
            done = None
            if not self.leafwise and are_plain(part, [*chain(*part)]):
                done = self._by_kernel(steps, part, group[0], heads, apply)
            if done is None and len(group) > 1 and torch.compiler.is_compiling():
                shapes = [tuple(g.shape) for g in part[0]]
                packed = [[pack(column)] for column in part]
                rows = self._by_operations(steps, packed, group[:1], heads, apply, spec)
                done = [unpack(vector, shapes) for (vector,) in rows]
            elif done is None:
                done = self._by_operations(steps, part, group, heads, apply, spec)
            for column, new in zip(out, done, strict=True):
                for i, x in zip(group, new, strict=True):
                    column[i] = x
        return out

    def _by_operations(
        self,
        steps: Sequence[Step],
        columns: list[Any],
        group: Sequence[int],
        heads: int,
        apply: bool,
        spec: PyTreeSpec,
    ) -> Sequence[Sequence[Any]]:
        """Update leaves with the scalars of the first of them, in PyTorch's operations."""
        scalars = [step.scalars(group[0]) for step in steps]
        parts = [step.rule.part(tuple(s)) for step, s in zip(steps, scalars, strict=True)]
        rows = []
        for index, old in zip(group, zip(*columns, strict=True), strict=True):
            g, *rest = map(_operand, old)
            slots = old[heads:]
            # Scalars are kept in float64; a 0-dimensional leaf must not be promoted by them.
            like = slots[0] if slots and not (apply or self.leafwise) else old[heads - 1]
            if self.leafwise and "leaf_dtype" in self.rules[0].taken:
                scalars[0]["leaf_dtype"] = like.dtype
            here = scalars
            sharded = type(g) is not torch.Tensor and is_sharded(g)
            if sharded and self.leafwise:
                # DTensor lacks operations and derivatives of what a formula may do with a leaf.
                g, *rest = unshard([placed_as(g, like), *rest], varying=False)
            elif sharded:
                here = [{name: beside(x, g) for name, x in some.items()} for some in scalars]
            p = rest[0] if heads == 2 else None
            u, *made = sequence(parts, g, p, rest[heads - 1 :], here)
            if self.leafwise:
                made = [*map(absent_as_tuple, made)]
                self._check_shapes([u, *made], [old[0], *slots], index, spec)
            u = narrow(p + u if apply else u, like.dtype)
            row = [u, *(_stored(*pair) for pair in zip(made, slots, strict=True))]
            rows.append([*map(placed_as, row, [like, *slots])] if sharded else row)
        return list(zip(*rows, strict=True))

    def _check_shapes(
        self, new: Sequence[Any], old: Sequence[Any], index: int, spec: PyTreeSpec
    ) -> None:
        """Raise unless a formula of whole leaves returned tensors shaped like those it was given."""
        (rule,) = self.rules
        for name, x, like in zip([None, *rule.slots], new, old, strict=True):
            if shapes_of(x) != shapes_of(like):
                what = f"the new `{name}`" if name else "the update"
                raise ValueError(
                    f"the formula `{getattr(rule.formula, '__name__', '?')}` returned "
                    f"{described(shapes_of(x))} for {what} of "
                    f"`{checks.leaf_path(spec, index, 'updates')}`, but "
                    f"{described(shapes_of(like))} is expected: return tensors shaped like those "
                    f"that it is given."
                )

    def graph(self, apply: bool, *, counted: bool = False) -> Graph | None:
        """Return the formula of the rules; what scales first is its factor.

        Args:
            apply: Whether the formula adds the update to the parameter.
            counted: Whether kernels make of the counters what formulas need, such as bias corrections.

        Returns:
            The formula, or None if one of the rules cannot be recorded.

        Warns:
            UserWarning: Once, if it cannot be recorded and a kernel was asked for.
        """
        key = (apply, counted)
        if key not in self._graphs:
            rules = self.rules[self.scaled :]
            parts = [rule.part(rule.scalar_names(counted=counted)) for rule in rules]
            graph = self._graphs[key] = compose(tuple(parts), apply)
            if graph is None and self.wants_kernel and not counted:
                names = ", ".join(getattr(part.formula, "__name__", "?") for part in parts)
                checks.warn(
                    f"a kernel was asked for, but a formula among ({names}) cannot be recorded; "
                    f"PyTorch's operations run instead (`torchopt.experimental.trace` says why)."
                )
        return self._graphs[key]

    def _split(self, grads: list[Any], apply: bool) -> tuple[Pass, Pass] | None:
        """Return two passes to run one after the other, so that kernels are used, or None."""
        if len(self.rules) == 1 or self.wants_kernel or self.forbids_kernel:
            return None  # a kernel for all rules is compiled, or kernels are not allowed
        if not grads or not isinstance(grads[0], torch.Tensor):
            return None
        key = (apply, grads[0].device, grads[0].dtype)
        if key not in self._splits:
            at = self._find_split(grads[0], apply)
            parts = (self._part(0, at), self._part(at, len(self.rules))) if at else None
            self._splits[key] = parts
        return self._splits[key]

    def _part(self, start: int, stop: int) -> Pass:
        return Pass(self.rules[start:stop], self.overwrites)

    def _find_split(self, like: torch.Tensor, apply: bool) -> int:
        """Return the number of rules in the first of two passes; 0 for one pass."""
        size = len(self.rules)

        def has_kernel(start: int, stop: int) -> bool:
            part = self if stop - start == size else self._part(start, stop)
            graph = part.graph(apply and stop == size)
            return graph is not None and kernel_of(graph, like) is not None

        # The longest beginning that has a kernel; else one rule, if a later part has a kernel.
        for stop in range(size, 0, -1):
            if has_kernel(0, stop):
                return stop % size
        spans = [(start, stop) for start in range(1, size) for stop in range(start + 1, size + 1)]
        return int(any(has_kernel(*span) for span in spans))

    def _by_kernel(
        self,
        steps: Sequence[Step],
        columns: list[Any],
        index: int,
        heads: int,
        apply: bool,
        targets: Sequence[Any] | None = None,
    ) -> Sequence[Any] | None:
        """Update leaves with the scalars of leaf ``index``; None if there is no kernel."""
        if self.forbids_kernel:
            return None
        # On a GPU each operation on a counter would be a kernel of its own.
        counted = any([step.counts_on_device(index) for step in steps])  # noqa: C419
        counted = counted and self.graph(apply, counted=True) is not None
        graph = self.graph(apply, counted=counted)
        if graph is None:
            return None
        values = [x for step in steps for x in step.scalars(index, counted=counted).values()]
        if not self.scaled:
            values.insert(0, 1.0)
        outputs = 1 + len(columns) - heads
        return call_columns(graph, columns, outputs, values, targets, compile=self.wants_kernel)


def _operand(x: Any) -> Any:
    """Return what a formula is given: float32 at least, and None in the place of the empty tuple."""
    return wide(x) if isinstance(x, torch.Tensor) else tuple(map(_operand, x)) or None


def _stored(x: Any, like: Any) -> Any:
    """Return a new slot, or the tensors of one, in the dtypes of the old."""
    if isinstance(like, torch.Tensor):
        return stored(x, like.dtype)
    return tuple(_stored(*pair) for pair in zip(x, like, strict=True))


def are_plain(columns: Sequence[Any], tensors: Sequence[Any]) -> bool:
    """Whether all leaves are plain floating tensors of one dtype and device, shaped like the first.

    Nearly every step is like this. Otherwise leaves are checked one by one.

    Args:
        columns: The list of gradients, then parameters and slots.
        tensors: Their tensors.
    """
    first, *others = columns
    if torch.compiler.is_compiling() or not first:
        return False
    if not set(map(type, tensors)) <= PLAIN:
        return False
    with transforms.unseen_by_modes():  # each would be told of each attribute
        shapes = tuple(map(_shape, first))
        for column in others:
            if tuple(map(_shape, column)) != shapes:
                return False
        dtypes = set(map(_dtype, tensors))
        return (
            len(dtypes) == 1
            and dtypes <= DTYPES
            and set(map(_layout, tensors)) == {torch.strided}
            and (all(map(_is_cpu, tensors)) or len(set(map(_device, tensors))) == 1)
        )


# Getters for `map`, which runs no bytecode for each tensor.
_shape, _dtype, _layout, _device, _is_cpu, _requires_grad = (
    getattr(torch.Tensor, name).__get__
    for name in ("shape", "dtype", "layout", "device", "is_cpu", "requires_grad")
)


def constants(weights: list[Any], grads: list[Any]) -> list[Any]:
    """Detach parameters whose gradient has no graph, so that the state collects no graph."""
    has_graph = transforms.requires_grad if transforms.are_active() else _requires_grad
    return [
        p.detach() if g is not None and not has_graph(g) and has_graph(p) else p
        for g, p in zip(grads, weights, strict=True)
    ]
