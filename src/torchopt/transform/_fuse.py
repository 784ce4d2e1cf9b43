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

__all__ = ["Part", "are_plain", "compose", "fused_call", "has_kernel", "scaled", "sequence"]


def scaled(g: Any, *, step_size: Any) -> tuple[Any]:
    """Return the gradient times a factor; ahead of other rules, it is the factor of their kernel."""
    return (step_size * g,)


class Part(NamedTuple):
    """What one rule adds to a composed formula.

    Attributes:
        formula: ``(g, [p,] *slots, **scalars) -> (u, *slots)``.
        slots: How many slots it keeps.
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

    Its tensors are the gradient, the parameter where it is read, and the slots; its scalars the
    factor of the gradient, and those of the rules. None where a formula cannot be recorded.
    """
    if all(isinstance(part.formula, Hashable) for part in parts):
        return _composed(parts, apply)  # with all that was derived from it and compiled
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
        # A transformation may do what no kernel can; it then runs as it is written, and raises there.
        return None


def are_plain(grads: list[Any], columns: Sequence[Any]) -> bool:
    """Whether all leaves are plain floating tensors of one dtype, shaped like their gradients.

    This is what nearly every step finds; where it is not so, leaves are looked at one by one.
    """
    if torch.compiler.is_compiling() or not set(map(type, grads)) <= PLAIN or not grads:
        return False
    shapes = [g.shape for g in grads]
    dtypes = {g.dtype for g in grads}
    layouts = {g.layout for g in grads}
    for column in columns:
        if isinstance(column, Flat):
            if list(column.layout.shapes) != shapes or type(column.buffer) not in PLAIN:
                return False
            dtypes.add(column.buffer.dtype)
            continue
        if not set(map(type, column)) <= PLAIN or [x.shape for x in column] != shapes:
            return False
        dtypes.update([x.dtype for x in column])
        layouts.update([x.layout for x in column])
    return len(dtypes) == 1 and dtypes <= DTYPES and layouts == {torch.strided}


def has_kernel(
    graph: Graph, columns: Sequence[Sequence[torch.Tensor] | Flat], *, compile: bool = False
) -> bool:
    """Whether a graph can be run as one kernel on columns for which :func:`are_plain` holds.

    Args:
        graph: The formula.
        columns: Its tensors.
        compile: Whether to compile a kernel where none came with the library.
    """
    tensors: list[torch.Tensor] = []
    for column in columns:
        tensors += [column.buffer] if isinstance(column, Flat) else column
    first = tensors[0]
    if not all([t.is_cpu for t in tensors]) and len({t.device for t in tensors}) > 1:  # noqa: C419
        return False
    if kernel_of(graph, first) is not None:
        return True
    return compile and first.is_cpu and compile_formula(graph)


def fused_call(
    graph: Graph,
    columns: Sequence[Sequence[torch.Tensor] | Flat],
    outputs: Sequence[Sequence[torch.Tensor] | Flat],
    scalars: Sequence[Any],
) -> list[Sequence[torch.Tensor] | Flat]:
    """Run a composed formula on a list of leaves.

    Args:
        graph: The formula.
        columns: For each of its tensors, one tensor for each leaf, or all in one buffer.
        outputs: For each of its outputs, a column that it is like.
        scalars: Its scalars: numbers, or tensors without dimensions.

    Returns:
        For each of its outputs, one tensor for each leaf, or all in one buffer.
    """
    leaves = len(columns[0])  # type: ignore[arg-type]  # the gradients, which are a list
    how = signature(
        graph,
        leaves,
        tuple([FLAT if isinstance(c, Flat) else LIST for c in columns]),
        tuple([FLAT if isinstance(c, Flat) else LIST for c in outputs]),
    )
    tensors: list[torch.Tensor] = []
    for c in columns:
        tensors += [c.buffer] if isinstance(c, Flat) else c
    numbers: list[float | None] = []
    for h in scalars:
        if isinstance(h, torch.Tensor):
            tensors.append(h)
            numbers.append(None)
        else:
            numbers.append(float(h))
    done = call(how, numbers, tensors)
    return [
        Flat(done[block.start], like.layout) if isinstance(like, Flat) else done[block]
        for like, block in zip(outputs, how.output_blocks, strict=True)
    ]
