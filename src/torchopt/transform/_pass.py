"""Rules one after the other on the leaves of a tree, as one kernel where there is one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any

import torch

from torchopt import checks
from torchopt.autodiff import transforms
from torchopt.formula import Graph, compose, optimizers
from torchopt.ops import (
    DTYPES,
    INTO_LIST,
    LIST,
    PLAIN,
    call,
    compile_formula,
    kernel_of,
    signature,
)
from torchopt.pytree import flattening as pytree
from torchopt.transform._inplace import targets_of, write
from torchopt.transform._leafwise import check_leaves, update_by_groups
from torchopt.transform._reduction import reduced
from torchopt.transform._rule import (
    Rule,
    Step,
    leaves_of_params,
    scalar_reader,
    to_tree,
)
from torchopt.transform.extra_args import NONE, ExtraArgs


class Pass:
    """Rules one after the other, in one pass over memory if there is a kernel for them together.

    The recorded formulas and the split into parts that have kernels are cached here.

    Args:
        rules: The rules.
        factor: Given the leaves of the updates, returns a scalar tensor that multiplies them first,
            or None for no change. It is a transformation without a state of interest.
    """

    def __init__(
        self,
        rules: Sequence[Rule],
        factor: Callable[[list[Any]], torch.Tensor | None] | None = None,
    ) -> None:
        self.rules = tuple(rules)
        self.factor = factor
        #: Whether it reads the updates of all leaves first, so that no pass can go on with its rules.
        self.begins = factor is not None or (bool(rules) and rules[0].reduction is not None)
        #: How many transformations this is, each with a state.
        self.size = len(self.rules) + (factor is not None)
        self.needs_params = any(rule.needs_params for rule in rules)
        self.wants_kernel = any(rule.fused for rule in rules)
        self.forbids_kernel = any(rule.fused is False for rule in rules)
        #: Whether updates may be written into the tensors that they are made from.
        self.overwrites = all(rule.overwrites for rule in rules)
        #: Number of rules at the beginning that multiply by a scalar: a kernel's factor can do that.
        self.leading_scales = next(
            (k for k, r in enumerate(rules) if r.formula is not optimizers.scale), len(rules)
        )
        #: The slots that begin as functions of the parameters.
        slots = [(rule, name) for rule in self.rules for name in rule.slots]
        self.from_params = [k for k, (rule, n) in enumerate(slots) if n in rule.from_params]
        self._graphs: dict[Any, Graph | None] = {}
        self._splits: dict[Any, tuple[Pass, Pass] | None] = {}

    def __reduce__(self) -> Any:
        return Pass, (self.rules, self.factor)

    def without_overwriting(self) -> Pass:
        """Return a pass that writes no updates into the tensors that they are made from."""
        if not self.overwrites:
            return self
        other = type(self)(self.rules, self.factor)
        other.overwrites = False
        return other

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
        """Apply the factor and the rules.

        Args:
            updates: The tree of updates.
            states: The state of each transformation.
            params: The tree of parameters, if a rule needs it.
            inplace: Whether parameters are constants, and results are written into the tensors that
                they replace, if no graph is needed.
            apply: Whether to add the updates to the parameters.
            extra: Further arguments, of which rules may read some.

        Returns:
            The updates, or with ``apply`` the new parameters; and the new states.
        """
        grads, spec = pytree.flatten(updates)
        if parts := self._split(grads, apply):
            head, tail = parts
            if apply or self.needs_params:
                leaves_of_params(params, spec)  # raises before the first pass writes
            updates, first = head.run(
                updates, states[: head.size], params=params, inplace=inplace, extra=extra
            )
            updates, rest = tail.run(
                updates,
                states[head.size :],
                params=params,
                inplace=inplace,
                apply=apply,
                extra=extra,
            )
            return updates, [*first, *rest]
        skip = self.size - len(self.rules)
        inner = states[skip:]
        columns: list[Any] = [grads]
        result_spec = spec
        if apply or self.needs_params:
            weights, params_spec = leaves_of_params(params, spec)
            columns.append(weights)
            result_spec = params_spec if apply else spec  # a dict's order may be another
        heads = len(columns)
        like = updates if params is None else params
        steps = [
            Step.of(rule, s, grads, spec, like, extra)
            for rule, s in zip(self.rules, inner, strict=True)
        ]
        columns += [column for step in steps for column in step.columns]
        tensors = [*chain(*columns)]
        plain = are_plain(columns, tensors)
        if not plain:
            check_leaves(steps, columns[:heads], spec)
        if inplace and heads == 2:
            columns[1] = constants(columns[1], grads)
        for slot in self.from_params if inplace else ():
            columns[heads + slot] = constants(columns[heads + slot], grads)
        scale = None if self.factor is None else self.factor(grads)
        memory: list[list[Any]] = []
        if self.rules and self.rules[0].reduction is not None:
            memory = steps[0].numbers()
            steps[0] = reduced(steps[0], columns, heads, self._sums_by_kernel)
        targets = None
        if inplace and not apply:
            old = [grads if self.overwrites else None, *columns[heads:], *memory]
            tensors = [*tensors, *chain(*memory)]
            targets = targets_of(old, tensors if plain else [t for t in tensors if t is not None])
        if memory and targets is not None:
            at = len(targets) - len(memory)
            new = write(steps[0].numbers(), targets[at:])
            steps[0] = steps[0]._replace(memory=dict(zip(steps[0].memory, new, strict=True)))
            targets = targets[:at]

        together = plain and all(step.has_shared_scalars() for step in steps)
        # What a `vmap` maps is written afterwards: a kernel sees the plain tensors.
        into = None if transforms.are_active() else targets
        done = self._by_kernel(steps, columns, 0, heads, scale, apply, into) if together else None
        if done is None:
            into = None

            def kernel(part: list[Any], index: int) -> Sequence[Any] | None:
                if together or not are_plain(part, [*chain(*part)]):
                    return None
                return self._by_kernel(steps, part, index, heads, scale, apply)

            done = update_by_groups(steps, columns, heads, scale, apply, kernel)
        if into is None and targets is not None:
            done = write(done, targets)
        updated, *slots = done
        new_states, at = [*states[:skip]], 0
        for step in steps:
            new_states.append(step.new_state(slots[at : at + len(step.columns)]))
            at += len(step.columns)
        return to_tree(result_spec, updated), new_states

    def update(
        self,
        updates: Any,
        state: Any,
        *,
        params: Any = None,
        inplace: bool = True,
        **extra: Any,
    ) -> tuple[Any, Any]:
        """Do that with the state of the only transformation."""
        updates, states = self.run(updates, (state,), params=params, inplace=inplace, extra=extra)
        return updates, states[0]

    def _sums_by_kernel(
        self, graph: Graph, columns: list[Any], scalars: Sequence[Any]
    ) -> Sequence[torch.Tensor] | None:
        """Return the sums of a formula over leaves; None if there is no kernel."""
        if self.forbids_kernel or not are_plain(columns, [*chain(*columns)]):
            return None
        return _call(graph, columns, 0, scalars, compile=self.wants_kernel)

    def graph(
        self,
        ahead: int,
        apply: bool,
        scalars: Sequence[Iterable[str]],
        *,
        counted: bool = False,
    ) -> Graph | None:
        """Return the formula of the rules after the first ``ahead``.

        Args:
            ahead: Number of rules to leave out.
            apply: Whether the formula adds the update to the parameter.
            scalars: The names of the scalars of each rule.
            counted: Whether they are those of :attr:`Rule.counted`.

        Returns:
            The formula, or None if one of the rules cannot be recorded.

        Warns:
            UserWarning: Once, if it cannot be recorded and a kernel was asked for.
        """
        key = (ahead, apply, counted)
        if key not in self._graphs:
            rules = self.rules[ahead:]
            parts = [rule.part(tuple(s)) for rule, s in zip(rules, scalars, strict=True)]
            graph = self._graphs[key] = compose(tuple(parts), apply)
            if graph is None and self.wants_kernel:
                names = ", ".join(getattr(part.formula, "__name__", "?") for part in parts)
                checks.warn(
                    f"a kernel was asked for, but a formula among ({names}) cannot be recorded; "
                    f"PyTorch's operations run instead (`torchopt.experimental.trace` says why)."
                )
        return self._graphs[key]

    def _counts(self) -> bool:
        """Whether kernels can make of the counters what formulas need, such as bias corrections."""
        if None not in self._graphs:
            parts = tuple(rule.counted for rule in self.rules)
            self._graphs[None] = compose(parts, apply=False)
        return self._graphs[None] is not None

    def _split(self, grads: list[Any], apply: bool) -> tuple[Pass, Pass] | None:
        """Return two passes to run one after the other, so that kernels are used, or None."""
        if len(self.rules) < 2 or not grads or not isinstance(grads[0], torch.Tensor):
            return None
        if torch.compiler.is_compiling():
            return None
        key = (apply, grads[0].device, grads[0].dtype)
        if key not in self._splits:
            at = self._find_split(grads[0], apply)
            parts = (Pass(self.rules[:at], self.factor), Pass(self.rules[at:])) if at else None
            for part in parts or ():
                part.overwrites = self.overwrites
            self._splits[key] = parts
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

    def _by_kernel(
        self,
        steps: Sequence[Step],
        columns: list[Any],
        index: int,
        heads: int,
        factor: Any,
        apply: bool,
        targets: Sequence[Any] | None = None,
    ) -> Sequence[Any] | None:
        """Update leaves with the scalars of leaf ``index``; None if there is no kernel."""
        if self.forbids_kernel or torch.compiler.is_compiling():
            return None
        number = scalar_reader()
        # On a GPU each operation on a counter would be a kernel of its own.
        counted = any(step.counts_on_device(index) for step in steps) and self._counts()
        scalars = [step.scalars(index, number, counted=counted) for step in steps]
        scale = 1.0 if factor is None else number(factor)
        ahead = 0
        while ahead < self.leading_scales:
            step_size = scalars[ahead]["step_size"]
            if not (_is_number(scale, 1) or _is_number(step_size, 1, -1)):
                break  # two roundings must not become one
            scale = scale * step_size
            ahead += 1
        graph = self.graph(ahead, apply, scalars[ahead:], counted=counted)
        if graph is None:
            return None
        values = [scale]
        for named in scalars[ahead:]:
            values += named.values()
        outputs = 1 + len(columns) - heads
        return _call(graph, columns, outputs, values, targets, compile=self.wants_kernel)


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


def _call(
    graph: Graph,
    columns: Sequence[Sequence[torch.Tensor]],
    outputs: int,
    scalars: Sequence[Any],
    targets: Sequence[Any] | None = None,
    *,
    compile: bool = False,
) -> Sequence[Any] | None:
    """Run a composed formula as one kernel on leaves for which :func:`are_plain` holds.

    Args:
        graph: The formula.
        columns: For each of its tensors, one tensor for each leaf.
        outputs: How many outputs it has.
        scalars: Its scalars: numbers, or tensors.
        targets: For each output, the column that it may be written into, or None.
        compile: Whether to compile a kernel if the library has none.

    Returns:
        For each of its outputs, one tensor for each leaf; and its sums. None if there is no kernel, or
        a scalar is a tensor with dimensions.
    """
    tensors, leaves = [*chain(*columns)], len(columns[0])
    kernel = kernel_of(graph, tensors[0])
    if kernel is None and compile and tensors[0].is_cpu and compile_formula(graph):
        kernel = kernel_of(graph, tensors[0])
    if kernel is None:
        return None
    numbers: Sequence[float | None] = scalars
    if knobs := [h for h in scalars if isinstance(h, torch.Tensor)]:
        if any(h.dim() > 0 for h in knobs):
            return None
        tensors += knobs
        numbers = [None if isinstance(h, torch.Tensor) else h for h in scalars]
    old = targets or [None] * outputs
    into = [*chain(*(c for c in old if c is not None))]
    modes = tuple([LIST if column is None else INTO_LIST for column in old])
    how = signature(graph, leaves, (LIST,) * len(columns), modes)
    blocks = call(how, numbers, tensors, kernel, into)
    made = [blocks[block] for block in how.output_blocks]
    if into and blocks[how.first_given] is not into[0]:  # the kernel has not written them
        return write(made, old)
    return [*made, *blocks[how.output_size :]]


def _is_number(value: Any, *choices: float) -> bool:
    return not isinstance(value, torch.Tensor) and value in choices


def constants(weights: list[Any], grads: list[Any]) -> list[Any]:
    """Detach parameters whose gradient has no graph, so that the state collects no graph."""
    has_graph = transforms.requires_grad if transforms.are_active() else _requires_grad
    return [
        p.detach() if g is not None and not has_graph(g) and has_graph(p) else p
        for g, p in zip(grads, weights, strict=True)
    ]
