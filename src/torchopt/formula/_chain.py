"""Consecutive formulas of one optimizer as one formula, and so as one kernel: one pass over memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from torchopt.errors import FormulaError
from torchopt.formula._graph import Graph, record


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


@lru_cache(maxsize=512)  # with all that is derived from it and compiled
def compose(parts: tuple[Part, ...], apply: bool) -> Graph | None:
    """Record the formula of rules one after the other.

    Its tensors are the gradient, the parameter where it is read, and the slots; its scalars the
    factor of the gradient, and those of the rules. None where a formula cannot be recorded.
    """
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
