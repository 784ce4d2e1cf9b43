"""Consecutive elementwise rules as one formula, and so as one kernel: one pass over memory."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import torch

from torchopt.ops import (
    DTYPES,
    FLAT,
    LIST,
    PLAIN,
    FormulaError,
    Graph,
    call,
    compile_formula,
    kernel_of,
    record,
    signature,
)
from torchopt.transform._flat import Flat

__all__ = ["Part", "are_plain", "compose", "fused_call", "scaled", "sequence"]


def scaled(g: Any, *, step_size: Any) -> tuple[Any]:
    """Return the gradient times a factor. Before other rules, the factor of their kernel does this."""
    return (step_size * g,)


class Part(NamedTuple):
    """The part of one rule in a composed formula.

    Attributes:
        formula: ``(g, [p,] *slots, **scalars) -> (u, *slots)``.
        slots: Number of its slots.
        scalars: The names of its scalars.
        needs_params: Whether it reads the parameter.
    """

    formula: Callable[..., Any]
    slots: int
    scalars: tuple[str, ...]
    needs_params: bool


def sequence(
    parts: Sequence[Part],
    g: Any,
    p: Any,
    slots: Sequence[Any],
    scalars: Sequence[dict[str, Any]],
    *,
    factor: Any = None,
    apply: bool = False,
) -> list[Any]:
    """Evaluate rules one after the other on one leaf: tensors, or expressions.

    Args:
        parts: The rules.
        g: The gradient.
        p: The parameter, or None where no rule reads it.
        slots: The slots of all rules, one after the other.
        scalars: The scalars of each rule.
        factor: Multiplies the gradient first.
        apply: Whether to add the update to the parameter.

    Returns:
        The update (or the new parameter), and the new slots.
    """
    u = g if factor is None else g * factor
    kept, at = [], 0
    for part, values in zip(parts, scalars, strict=True):
        head = (u, p) if part.needs_params else (u,)
        u, *new = part.formula(*head, *slots[at : at + part.slots], **values)
        kept += new
        at += part.slots
    return [p + u if apply else u, *kept]


def compose(parts: tuple[Part, ...], apply: bool) -> Graph | None:
    """Record the formula of rules one after the other.

    Its tensors are the gradient, the parameter if it is read, and the slots. Its scalars are the
    factor of the gradient and the scalars of the rules. None if a formula cannot be recorded.
    """
    if all(isinstance(part.formula, Hashable) for part in parts):
        return _composed(parts, apply)  # cached, with its derivatives and compiled kernels
    return _composed.__wrapped__(parts, apply)


@lru_cache(maxsize=512)
def _composed(parts: tuple[Part, ...], apply: bool) -> Graph | None:
    reads_params = apply or any(part.needs_params for part in parts)
    slots = sum(part.slots for part in parts)
    tensors = ["g", *(["p"] if reads_params else []), *(f"s{k}" for k in range(slots))]
    scalars = ["factor", *(f"{n}{k}" for k, part in enumerate(parts) for n in part.scalars)]

    def formula(*arguments: Any) -> list[Any]:
        columns, values = arguments[: len(tensors)], iter(arguments[len(tensors) :])
        factor = next(values)
        named = [{name: next(values) for name in part.scalars} for part in parts]
        g, *rest = columns
        p = rest.pop(0) if reads_params else None
        return sequence(parts, g, p, rest, named, factor=factor, apply=apply)

    try:
        return record(formula, tensors, scalars)
    except FormulaError:
        # No kernel can do this: PyTorch's operations run instead, and raise if the formula is wrong.
        return None


def are_plain(columns: Sequence[Any]) -> bool:
    """Whether all leaves are plain floating tensors of one dtype and device, shaped like the first.

    Nearly every step is like this. Otherwise leaves are checked one by one.

    Args:
        columns: The list of gradients, then parameters and slots.
    """
    first, *others = columns
    if torch.compiler.is_compiling() or not first:
        return False
    tensors = _tensors(columns)
    if not set(map(type, tensors)) <= PLAIN:
        return False
    shapes = tuple(map(_shape, first))
    for column in others:
        flat = isinstance(column, Flat)
        if (column.layout.shapes if flat else tuple(map(_shape, column))) != shapes:
            return False
    dtypes = set(map(_dtype, tensors))
    return (
        len(dtypes) == 1
        and dtypes <= DTYPES
        and set(map(_layout, tensors)) == {torch.strided}
        and len(set(map(_device, tensors))) == 1
    )


# Getters for `map`, which runs no bytecode for each tensor.
_shape, _dtype, _layout, _device = (
    getattr(torch.Tensor, name).__get__ for name in ("shape", "dtype", "layout", "device")
)


def _tensors(columns: Sequence[Sequence[Any] | Flat]) -> list[Any]:
    tensors: list[Any] = []
    for column in columns:
        tensors += [column.buffer] if isinstance(column, Flat) else column
    return tensors


def fused_call(
    graph: Graph,
    columns: Sequence[Sequence[torch.Tensor] | Flat],
    outputs: Sequence[Sequence[torch.Tensor] | Flat],
    scalars: Sequence[Any],
    *,
    compile: bool = False,
) -> list[Sequence[torch.Tensor] | Flat] | None:
    """Run a composed formula as one kernel on leaves for which :func:`are_plain` holds.

    Args:
        graph: The formula.
        columns: For each of its tensors, one tensor for each leaf, or all in one buffer.
        outputs: For each of its outputs, a column with the layout of that output.
        scalars: Its scalars: numbers, or tensors.
        compile: Whether to compile a kernel if the library has none.

    Returns:
        For each of its outputs, one tensor for each leaf, or all in one buffer. None if there is no
        kernel, or a scalar is a tensor with dimensions.
    """
    tensors, leaves = _tensors(columns), len(columns[0])  # type: ignore[arg-type]
    kernel = kernel_of(graph, tensors[0])
    if kernel is None and compile and tensors[0].is_cpu and compile_formula(graph):
        kernel = kernel_of(graph, tensors[0])
    if kernel is None:
        return None
    numbers: list[float | None] = []
    for h in scalars:
        if not isinstance(h, torch.Tensor):
            numbers.append(float(h))
        elif h.dim() == 0:
            tensors.append(h)
            numbers.append(None)
        else:
            return None
    how = signature(graph, leaves, _modes(columns), _modes(outputs))
    blocks = call(how, numbers, tensors, kernel)
    return [
        Flat(blocks[block.start], like.layout) if isinstance(like, Flat) else blocks[block]
        for like, block in zip(outputs, how.output_blocks, strict=True)
    ]


def _modes(columns: Sequence[Sequence[torch.Tensor] | Flat]) -> tuple[int, ...]:
    return tuple([FLAT if isinstance(column, Flat) else LIST for column in columns])
