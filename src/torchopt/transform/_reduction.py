"""The numbers that a rule makes of sums over elements, before its formula runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import torch

from torchopt.autodiff.half import stored
from torchopt.autodiff.loops import wide
from torchopt.errors import FormulaError
from torchopt.formula import Graph, record
from torchopt.prox.vectors import unit
from torchopt.transform import hyperparameters
from torchopt.transform._rule import Reduction
from torchopt.transform._step import Step, groups_of, taken

_Kernel = Callable[[Graph, list[Any], Sequence[Any]], Sequence[torch.Tensor] | None]


def reduced(step: Step, columns: list[Any], heads: int, kernel: _Kernel) -> None:
    """Give a step the numbers that its reduction makes, of each leaf or of all that have a gradient.

    Args:
        step: The step of the first rule of a pass.
        columns: The gradients, the parameters if they are read, and the slots.
        heads: How many columns come before the slots: 1, or 2 with the parameters.
        kernel: Sums a recorded formula over leaves of one kind at once if it can.
    """
    rule, reduction = step.rule, step.rule.reduction
    assert reduction is not None
    _check_hyper(step, reduction)
    slots = columns[heads : heads + len(rule.slots)]
    columns = [*columns[: 1 + rule.needs_params], *slots]
    grads = columns[0]
    present = [index for index, g in enumerate(grads) if g is not None]
    if not present:
        return
    names = {*reduction.read_by_sums, *reduction.read_by_reduce}.intersection(_UNITS)
    tree = reduction.over == "tree"
    made: list[Any] = [None] * len(grads)
    memory: dict[str, Any] = {name: [*column] for name, column in step.memory.items()}
    for members in [present] if tree else [[index] for index in present]:
        units = {name: _unit(columns[_UNITS[name]], members) for name in names}
        groups = groups_of([step], columns) if tree and not reduction.whole else [members]
        parts = [_sums(step, columns, group, kernel, units) for group in groups]
        kept = [column[members[0]] for column in memory.values()]
        device = kept[0].device if kept else grads[members[0]].device
        total = {name: _add([part[name] for part in parts], device) for name in parts[0]}
        numbers = _reduce(step, members[0], {**total, **units})
        copies = {device: numbers}
        for index in members:
            place = grads[index].device
            if place not in copies:
                copies[place] = {name: _on(x, place) for name, x in numbers.items()}
            made[index] = copies[place]
        for (name, column), old in zip(memory.items(), kept, strict=True):
            new = _stored(numbers[name], old)
            column[members[0]] = new
            memory[name] = hyperparameters.Same([new] * len(grads)) if tree else column
    step.memory, step.reduced = memory, made
    step.shared = step.shared and hyperparameters.lockstep(made)


def _check_hyper(step: Step, reduction: Reduction) -> None:
    """Raise if a hyperparameter of which numbers are made is not one number where it must be."""
    for name in reduction.read_by_reduce if step.hyper else ():
        column = (step.hyper or {}).get(name, ())
        values = [value for value in column if value is not None]
        if dims := [value for value in values if isinstance(value, torch.Tensor) and value.dim()]:
            raise ValueError(
                f"hyperparameter `{name}` has shape {tuple(dims[0].shape)}, but one number of each "
                f"leaf is made with it: use a number, a scalar tensor, or a tree of these."
            )
        if reduction.over == "tree" and any(value is not values[0] for value in values):
            raise ValueError(
                f"hyperparameter `{name}` is a tree, but one number of all leaves is made with it: "
                f"use a number, a scalar tensor or a schedule."
            )


def _numbers(step: Step, index: int) -> dict[str, Any]:
    """Return what a function may take by keyword for a leaf: numbers, or tensors."""
    memory = {name: step.read(column[index]) for name, column in step.memory.items()}
    count = {"count": step.time(index)} if "count" in step.counts else {}
    return {**step.values(index), **memory, **count}


#: The numbers that scale terms, by name, and the columns that they are made of.
_UNITS = {"g_unit": 0, "p_unit": 1, "mu_unit": 2}


def _unit(column: Sequence[Any], indices: Sequence[int]) -> torch.Tensor:
    """Return the power of two that scales some leaves, so that squares are numbers of their dtype."""
    leaves = [column[i].detach() for i in indices if column[i].numel()]
    device = column[indices[0]].device
    largest = [hyperparameters.as_float(g.abs().amax()).to(device) for g in leaves]
    return unit(torch.stack(largest).amax() if largest else torch.ones((), device=device))


def _sums(
    step: Step,
    columns: list[Any],
    indices: Sequence[int],
    kernel: _Kernel,
    units: Mapping[str, torch.Tensor],
) -> dict[str, Any]:
    """Return the sums of each term over some leaves, which share their numbers."""
    reduction = step.rule.reduction
    assert reduction is not None
    function, names = reduction.sums, reduction.read_by_sums
    if reduction.whole:
        return dict(function([columns[0][index] for index in indices]))
    scale = {name: step.read(_on(x, columns[0][indices[0]].device)) for name, x in units.items()}
    scalars = taken(function, names, {**_numbers(step, indices[0]), **scale})
    part = [[column[index] for index in indices] for column in columns]
    compiling = torch.compiler.is_compiling()
    if recorded := None if compiling else _recorded(function, len(part), names):
        graph, read, named = recorded
        sums = kernel(graph, [part[k] for k in read], [scalars[name] for name in graph.scalars])
        if sums is not None:
            return dict(zip(named, sums, strict=True))
    terms: dict[str, list[Any]] = {}
    for row in zip(*part, strict=True):
        row = tuple(map(wide, row))
        for name, term in function(*row, **scalars).items():
            terms.setdefault(name, []).append(_sum(term, row[0]))
    return {name: _add(them, part[0][0].device) for name, them in terms.items()}


def _sum(term: Any, like: torch.Tensor) -> Any:
    """Return the sum of a term over the elements of a leaf."""
    if not isinstance(term, torch.Tensor):
        return term * like.numel()
    # Numbers are combined in float64, whatever the dtype of the leaves.
    return hyperparameters.as_float(term.broadcast_to(like.shape).sum())


def _add(terms: Sequence[Any], device: torch.device) -> Any:
    if len(terms) == 1:
        return _on(terms[0], device)
    if not any(isinstance(term, torch.Tensor) for term in terms):
        return sum(terms)
    return torch.stack([_on(term, device) for term in terms]).sum()


def _on(x: Any, device: torch.device) -> Any:
    return x.to(device) if isinstance(x, torch.Tensor) and x.device != device else x


def _stored(value: Any, old: torch.Tensor) -> torch.Tensor:
    """Return a number with the dtype and on the device of the one that it replaces in the state."""
    if isinstance(value, torch.Tensor):
        value = stored(value, old.dtype)
    return torch.as_tensor(value, dtype=old.dtype, device=old.device)


def _reduce(step: Step, index: int, sums: Mapping[str, Any]) -> dict[str, Any]:
    """Return all that the formula may take beside hyperparameters: numbers of a leaf."""
    reduction = step.rule.reduction
    assert reduction is not None
    values = _numbers(step, index)
    kept = {name: x for name, x in values.items() if name in step.counts}
    for name, column in step.memory.items():
        # A copy: the old tensor may be written into.
        kept[name] = hyperparameters.as_float(column[index]).clone()
    kept |= sums
    arguments = taken(reduction.reduce, reduction.read_by_reduce, {**values, **kept})
    return {**kept, **reduction.reduce(**arguments)}


@lru_cache(maxsize=512)
def _recorded(
    function: Callable[..., Any], columns: int, scalars: tuple[str, ...]
) -> tuple[Graph, list[int], list[str]] | None:
    """Record the terms of sums; None if they cannot be recorded.

    Returns:
        The graph of the sums, the places of the columns that it reads, and the names of the sums.
    """
    tensors = [f"x[{k}]" for k in range(columns)]  # no names of scalars
    names: list[str] = []

    def terms(*arguments: Any) -> list[Any]:
        rest = dict(zip(scalars, arguments[columns:], strict=True))
        found = function(*arguments[:columns], **rest)
        names.extend(found)
        return [*found.values()]

    try:
        graph = record(terms, tensors, scalars)
    except FormulaError:
        return None  # operations run, as they are written
    # The first gives the shapes.
    read = [k for k, name in enumerate(tensors) if k == 0 or name in graph.reads]
    kept = tuple(name for name in scalars if name in graph.reads)
    return Graph(tuple(tensors[k] for k in read), kept, (), graph.outputs), read, names
