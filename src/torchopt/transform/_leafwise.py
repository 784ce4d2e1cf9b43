"""A step on leaves that no kernel updates all together: in groups of one kind, or one by one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from torchopt import checks
from torchopt.autodiff.half import narrow, stored, wide
from torchopt.autodiff.packed import MOST_ELEMENTS, pack, unpack
from torchopt.autodiff.scan_tracing import rolling
from torchopt.formula import sequence
from torchopt.pytree import PyTreeSpec
from torchopt.transform._rule import Step, scalar_reader

Kernel = Callable[[list[Any], int], Sequence[Any] | None]
"""Given columns of leaves and the index of the first, returns the columns of results, or None."""


def update_by_groups(
    steps: Sequence[Step], columns: list[Any], heads: int, factor: Any, apply: bool, kernel: Kernel
) -> Sequence[Any]:
    """Update the leaves, those with the same scalars and dtype together.

    Args:
        steps: The steps of the rules.
        columns: The gradients, the parameters if they are read, and the slots.
        heads: How many columns come before the slots: 1, or 2 with the parameters.
        factor: A scalar tensor that multiplies the gradients first, or None.
        apply: Whether to add the updates to the parameters.
        kernel: Updates a group at once if it can.

    Returns:
        The updates (or the new parameters), and the new slots.
    """
    out: list[list[Any]] = [
        [*columns[1]] if apply else [None] * len(columns[0]),
        *([*column] for column in columns[heads:]),
    ]
    for group in groups_of(steps, columns):
        part = [[column[i] for i in group] for column in columns]
        done = kernel(part, group[0])
        if done is None and len(group) > 1 and torch.compiler.is_compiling():
            shapes = [tuple(g.shape) for g in part[0]]
            packed = [[pack(column)] for column in part]
            rows = _by_operations(steps, packed, heads, group[0], factor, apply)
            done = [unpack(vector, shapes) for (vector,) in rows]
        elif done is None:
            done = _by_operations(steps, part, heads, group[0], factor, apply)
        for column, new in zip(out, done, strict=True):
            for i, x in zip(group, new, strict=True):
                column[i] = x
    return out


def groups_of(steps: Sequence[Step], columns: list[Any]) -> list[Sequence[int]]:
    """Return the indices of the leaves that have a gradient, by equal scalars and dtype."""
    shared = all(step.has_shared_scalars() for step in steps)
    compiling = torch.compiler.is_compiling()
    groups: dict[Any, list[int]] = {}
    for index, g in enumerate(columns[0]):
        if g is None:
            continue
        key: tuple[Any, ...]
        if not compiling:
            scalars = () if shared else tuple(step.scalar_key(index) for step in steps)
            key = (g.dtype, g.device, scalars)
        elif shared and rolling() and 0 < g.numel() <= MOST_ELEMENTS:
            key = (g.device, *(column[index].dtype for column in columns))
        else:  # the compiler merges equal scalars
            key = (index,)
        groups.setdefault(key, []).append(index)
    return list(groups.values())


def _by_operations(
    steps: Sequence[Step], columns: list[Any], heads: int, index: int, factor: Any, apply: bool
) -> Sequence[Sequence[torch.Tensor]]:
    number = scalar_reader()
    scalars = [step.scalars(index, number) for step in steps]
    parts = [step.rule.part(tuple(s)) for step, s in zip(steps, scalars, strict=True)]
    rows = []
    for old in zip(*columns, strict=True):
        g, *rest = map(wide, old)
        p = rest[0] if heads == 2 else None
        state = rest[heads - 1 :]
        if factor is not None:
            g = (g * factor.to(g.device)).to(g.dtype)
        row = sequence(parts, g, p, state, scalars, apply=apply)
        # Scalars are kept in float64; a 0-dimensional leaf must not be promoted by them.
        slots = old[heads:]
        head = old[1] if apply else slots[0] if slots else old[0]
        u, *new = row
        state = [stored(x, slot.dtype) for x, slot in zip(new, slots, strict=True)]
        rows.append([narrow(u, head.dtype), *state])
    return list(zip(*rows, strict=True))


def check_leaves(steps: Sequence[Step], heads: Sequence[list[Any]], spec: PyTreeSpec) -> None:
    """Raise if a leaf is not a floating tensor, or has not the shape of its gradient."""
    grads, *weights = heads
    checks.check_floating(grads, spec, "updates")
    for step in steps:
        for name, column in zip(step.rule.slots, step.columns, strict=True):
            for index, (g, slot) in enumerate(zip(grads, column, strict=True)):
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
    for leaves in weights:
        checks.check_floating(leaves, spec, "params")
        for index, (g, p) in enumerate(zip(grads, leaves, strict=True)):
            if g is not None and (p is None or p.shape != g.shape):
                shape = "None" if p is None else tuple(p.shape)
                raise ValueError(
                    f"`{checks.leaf_path(spec, index, 'params')}` is {shape}, but its gradient has "
                    f"shape {tuple(g.shape)}: pass the parameters that the gradients belong to."
                )
