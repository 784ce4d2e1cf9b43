"""One update of a tree by a rule: its state as columns of leaves, its counters and its numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch.autograd import forward_ad
from torch.fx.experimental.proxy_tensor import get_proxy_mode

from torchopt import checks
from torchopt.autodiff import transforms
from torchopt.autodiff.packed import MOST_ELEMENTS
from torchopt.autodiff.scan_tracing import rolling
from torchopt.io.calls import value_text
from torchopt.pytree import PyTreeSpec
from torchopt.pytree import flattening as pytree
from torchopt.transform import hyperparameters
from torchopt.transform._misfits import column_of
from torchopt.transform._rule import Rule, check_params
from torchopt.transform.extra_args import ExtraArgs, missing


class Step:
    """One update of a tree by a rule: its state and hyperparameters for each leaf.

    Attributes:
        rule: The rule.
        columns: For each slot, its leaves.
        memory: For each number that is kept, its value for each leaf.
        counts: For each counter, its value for each leaf after this update.
        hyper: For each hyperparameter, its value for each leaf; None if all are numbers.
        read: Reads a scalar.
        shared: Whether all leaves have the same scalars.
        prepared: For each leaf, what `prepare` of its rule has made; None before.
    """

    prepared: Sequence[Any] | None = None

    def __init__(
        self,
        rule: Rule,
        state: Any,
        grads: list[Any],
        spec: PyTreeSpec,
        like: Any,
        extra: ExtraArgs,
        read: Callable[[Any], Any],
    ) -> None:
        """Take a state apart, which must fit the updates, and advance its counters.

        The function ``read`` reads a scalar; see :func:`scalar_reader`.
        """
        self.rule, self.read, size = rule, read, len(grads)
        self.columns: list[list[Any]] = []
        self.memory: dict[str, Sequence[Any]] = {}
        self._structures: dict[str, PyTreeSpec | None] = {}
        if not rule.fits(state):
            state = rule.completed(state, like)
        for name in rule.state_names:
            column = getattr(state, name)
            if name in rule.single:
                column = hyperparameters.Same([column] * (size or 1))
            elif type(column) is not list or rule.container != "list" or len(column) != size:
                column, self._structures[name] = column_of(rule, column, spec, like)
            if name in rule.slots:
                self.columns.append(column)
            else:
                self.memory[name] = column
        self.hyper: dict[str, Sequence[Any]] | None = None
        if rule.numbers is None:
            steps = self.memory.get(rule.schedule_counter, grads)
            self.hyper = {
                name: hyperparameters.per_leaf(
                    rule.shown.get(name, name), value, steps, grads, spec, like=like
                )
                for name, value in rule.hyper.items()
            }
            for name in hyperparameters.RATES.intersection(self.hyper):
                rates = self.hyper[name]
                same = isinstance(rates, hyperparameters.Same)
                hyperparameters.warn_of_ascent(rates[:1] if same else rates)
            for name in rule.reads:
                if name not in extra:
                    raise missing(value_text(rule.formula), name)
                self.hyper[name] = hyperparameters.Same([extra[name]] * size)
        self.counts: dict[str, Sequence[Any]] = {}
        for name, skip in rule.counters.items():
            self.counts[name] = hyperparameters.advance(self.memory.pop(name), grads, skip=skip)
        count = self.counts.get("count")
        self.shared = (count is None or hyperparameters.lockstep(count)) and (
            self.hyper is None or set(map(type, self.hyper.values())) <= {hyperparameters.Same}
        )

    def state(self, made: Iterator[Sequence[Any]]) -> Any:
        """Return the new state: the next columns of slots and numbers, and the counters."""
        rule = self.rule
        fields: dict[str, Any] = {}
        for name in rule.state_names:
            column = self.counts[name] if name in self.counts else next(made)
            if name in rule.single:
                fields[name] = column[0]
            elif (structure := self._structures.get(name)) is not None:
                fields[name] = pytree.unflatten(structure, column)
            else:
                fields[name] = [*column]
        return rule.state_types[0](**fields)

    def numbers(self) -> list[list[Any]]:
        """Return the numbers that are kept, as columns: of what is one for all leaves, that alone."""
        single = self.rule.single
        return [[*(x[:1] if name in single else x)] for name, x in self.memory.items()]

    def counts_on_device(self, index: int) -> bool:
        """Whether the formula reads the number of updates of a leaf, which is on a GPU."""
        return self.rule.scalars is not None and not _is_on_cpu(self.counts["count"][index])

    def scalar_key(self, index: int) -> tuple[Any, ...]:
        """Return a key of the scalars of a leaf: equal for leaves that share them."""
        numbers = self.prepared or self.counts.get("count")
        own = () if numbers is None else (id(numbers[index]),)
        return (*own, *(id(values[index]) for values in (self.hyper or {}).values()))

    def values(self, index: int) -> dict[str, Any]:
        """Return the hyperparameters of a leaf."""
        if self.hyper is None:
            return self.rule.numbers or {}
        return {name: self.read(column[index]) for name, column in self.hyper.items()}

    def scalars(self, index: int, *, counted: bool = False) -> dict[str, Any]:
        """Return the scalar arguments of the formula for a leaf; see :meth:`Rule.scalar_names`."""
        rule, values = self.rule, self.values(index)
        if self.prepared is not None:
            values = values | {k: self.read(x) for k, x in self.prepared[index].items()}
            return taken(rule.formula, rule.taken, values)
        if rule.scalars is None:
            return values
        t = self.time(index)
        return values | ({"count": t} if counted else dict(rule.scalars(t, **values)))

    def time(self, index: int) -> Any:
        """Return the number of updates of a leaf, as a float or a scalar tensor of floats."""
        count = self.counts["count"][index]
        if self.read is _number and count.is_cpu:
            return float(count)
        return hyperparameters.as_float(count)


def groups_of(steps: Sequence[Step], columns: list[Any]) -> list[Sequence[int]]:
    """Return the indices of the leaves that have a gradient, by equal scalars and dtype."""
    shared = all(step.shared for step in steps)
    compiling = torch.compiler.is_compiling()
    leafwise = any(step.rule.leafwise for step in steps)
    groups: dict[Any, list[int]] = {}
    for index, g in enumerate(columns[0]):
        if g is None:
            continue
        key: tuple[Any, ...]
        if not compiling:
            scalars = () if shared else tuple(step.scalar_key(index) for step in steps)
            key = (g.dtype, g.device, scalars)
        elif shared and not leafwise and rolling() and 0 < g.numel() <= MOST_ELEMENTS:
            key = (g.device, *(column[index].dtype for column in columns))
        else:  # the compiler merges equal scalars
            key = (index,)
        groups.setdefault(key, []).append(index)
    return list(groups.values())


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


def scalar_reader(*, eager: bool) -> Callable[[Any], Any]:
    """Return the function that reads a scalar: as a number, unless it is traced."""
    traced = not eager or transforms.are_active() or get_proxy_mode() is not None
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


def leaves_of_params(params: Any, spec: PyTreeSpec) -> tuple[list[Any], PyTreeSpec]:
    """Return the leaves of the parameters, which must be those of the updates, and the structure."""
    if params is None:  # of each step of most optimizers: no call where all is well
        check_params(params, "this transformation, such as one with weight decay,")
    leaves, structure = pytree.flatten(params)
    checks.check_same_structure(spec, structure, root="params", reference="the updates")
    return leaves, structure
