"""``update(inplace=True)``: results in the tensors that they replace, if no graph is needed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import torch
from torch.autograd import forward_ad

from torchopt.autodiff import transforms

# Functions for `map`, which runs no bytecode for each tensor.
_address, _is_inference = torch.Tensor.data_ptr, torch.Tensor.is_inference
_offset = torch.Tensor.storage_offset


def targets_of(columns: Sequence[Any], tensors: Sequence[torch.Tensor]) -> list[Any] | None:
    """Return the columns that results may be written into.

    Args:
        columns: The gradients, or None if they are not to be written into, and the slots.
        tensors: Those of all columns and of the parameters.

    Returns:
        For the updates and each slot, the old column, or None where it must stay: some of its memory
        is used twice. None if all must: some are inference tensors, or a transform of ``torch.func``
        other than ``vmap`` is active.
    """
    if transforms.are_active():
        if not transforms.only_vmaps():
            return None
        tensors = [*map(transforms.value_of, tensors)]
    if torch.compiler.is_compiling():  # memory cannot be looked at
        return [None, *columns[1:]]
    if forward_ad._current_level >= 0:
        return None
    if any(map(_is_inference, tensors)) and not torch.is_inference_mode_enabled():
        return None
    try:
        addresses = [*map(_address, tensors)]
    except RuntimeError:  # a kind of tensor that has no memory of its own
        return [None, *columns[1:]]
    apart = not any(map(_offset, tensors))  # memory that starts alike, or is not shared
    if apart and len({*addresses}) == len(addresses) and 0 not in addresses:
        return [*columns]
    uses = Counter(addresses)
    if not apart:
        _count_overlaps(tensors, uses)
    return [c if c is None or _is_separate(c, uses) else None for c in columns]


def _count_overlaps(tensors: Sequence[torch.Tensor], uses: Counter[int]) -> None:
    """Count each tensor once more whose memory begins within that of another."""
    before, end = 0, 0
    for t in sorted((t for t in tensors if t.numel()), key=_address):
        start = t.data_ptr()
        if start < end:
            uses[start] += 1
            uses[before] += 1
        steps = zip(t.shape, t.stride(), strict=True)
        stop = start + t.element_size() * (1 + sum((n - 1) * step for n, step in steps))
        if stop > end:
            before, end = start, stop


def _is_separate(column: Any, uses: Mapping[int, int]) -> bool:
    tensors = [transforms.value_of(t) for t in column if t is not None]
    return all(t.numel() == 0 or (t.data_ptr() and uses[t.data_ptr()] == 1) for t in tensors)


def are_written(results: Sequence[Any], targets: Sequence[Any]) -> bool:
    """Whether each result is the column that it replaces: a kernel has written it."""
    return all(old is None or new is old for new, old in zip(results, targets, strict=True))


def write(results: Sequence[Any], targets: Sequence[Any]) -> Sequence[Any]:
    """Write results into the columns that they replace, unless one of them has a graph.

    Args:
        results: For each result, its leaves.
        targets: What :func:`targets_of` returned.

    Returns:
        The columns of results: the old ones where they were written.
    """
    mapped = transforms.are_active()  # by `vmap` only
    if any(x is not None and _has_graph(x, mapped) for x in chain(*results)):
        return results
    pairs = zip(results, targets, strict=True)
    return [new if old is None else _written(new, old, mapped) for new, old in pairs]


def _has_graph(x: torch.Tensor, mapped: bool) -> bool:
    return transforms.requires_grad(x) if mapped else x.requires_grad


def _written(results: Any, targets: Any, mapped: bool) -> Any:
    every = zip(results, targets, strict=True)
    pairs = [(new, old) for new, old in every if new is not None and new is not old]
    for new, old in pairs:
        if new.dtype != old.dtype or new.shape != old.shape or _has_graph(old, mapped):
            return results
        if mapped and not transforms.levels_of(new) <= transforms.levels_of(old):
            return results  # one tensor for all tasks
        # An element of an expanded tensor stands for many.
        below = transforms.value_of(old) if mapped else old
        if any(n > 1 and step == 0 for n, step in zip(below.shape, below.stride(), strict=True)):
            return results
    for new, old in pairs:
        old.copy_(new)
    return targets
