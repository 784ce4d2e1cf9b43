"""The call of a composed formula on columns of leaves, as one kernel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from torchopt.ops import (
    DTYPES,
    FLAT,
    LIST,
    PLAIN,
    Graph,
    call,
    compile_formula,
    kernel_of,
    signature,
)
from torchopt.transform._flat import Flat

__all__ = ["are_plain", "fused_call"]


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
