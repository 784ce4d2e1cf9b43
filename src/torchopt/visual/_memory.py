"""The memory of the graph: tensors that its nodes saved for the backward pass.

Only tensors that are in memory count. What a hook has packed (activation checkpointing, offloading) is
not unpacked, which would recompute it: the packed object is counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch.autograd.graph import Node

from torchopt.io.units import size
from torchopt.pytree import flattening as pytree
from torchopt.visual._names import leaf_of
from torchopt.visual._walk import Walk

__all__ = ["Saved", "saved", "saved_values", "scales_by_number", "size"]

_FREED = "already been freed"
_RAW = "_raw_saved_"


@dataclass(frozen=True)
class Saved:
    """What each node of a walk keeps alive.

    Attributes:
        sizes: Bytes for each node, counted where a storage is first met, leaves' own storages left
            out; None where they were freed.
        freed: Whether some were freed, as a backward pass does.
        packed: Whether hooks on saved tensors have put some away.
        hidden: Whether some have no storage to look at: sparse ones, those of ``torch.func``.
    """

    sizes: list[int | None]
    freed: bool
    packed: bool
    hidden: bool


def saved(walk: Walk) -> Saved:
    """Return what each node keeps alive and no node before it does.

    Args:
        walk: A walked graph.

    Example:
        >>> import torch
        >>> from torchopt.visual._walk import walk
        >>> x = torch.ones(3, dtype=torch.float64, requires_grad=True)
        >>> saved(walk(x.exp().exp())).sizes  # the leaf, and two results
        [0, 24, 24]
    """
    met = {_storage(leaf) for node in walk.nodes if (leaf := leaf_of(node)) is not None}
    kinds: dict[type, tuple[str, ...]] = {}
    sizes: list[int | None] = []
    packed = hidden = False
    for node in walk.nodes:
        kind = type(node)
        if kind not in kinds:
            kinds[kind] = tuple(name for name in dir(node) if name.startswith(_RAW))
        total: int | None = 0
        try:
            for value in _raw(node, kinds[kind]):
                packed = packed or not isinstance(value, torch.Tensor)
                for tensor in _tensors(value):
                    key = _storage(tensor)
                    hidden = hidden or key is None
                    if key is not None and key not in met:
                        met.add(key)
                        total = (total or 0) + tensor.untyped_storage().nbytes()
        except _Freed:
            total = None
        sizes.append(total)
    return Saved(sizes, None in sizes, packed, hidden)


def saved_values(node: Node) -> list[tuple[str, Any]]:
    """Return what a node saved for its backward, by name: tensors and other values.

    Args:
        node: A node of autograd's graph.

    Returns:
        The saved values; a tensor that was freed, or that a hook has put away, is None.
    """
    values_of: list[tuple[str, Any]] = []
    names = [name for name in dir(node) if name.startswith(_RAW)]
    for raw in names:
        name = raw.removeprefix(_RAW)
        try:
            values = list(_raw(node, (raw,)))
        except _Freed:
            values_of.append((name, None))
            continue
        for k, value in enumerate(values):
            shown = value if isinstance(value, torch.Tensor) else None
            values_of.append((name if len(values) == 1 else f"{name}[{k}]", shown))
    tensors = {raw.removeprefix(_RAW) for raw in names}
    for attribute in dir(node):
        name = attribute.removeprefix("_saved_")
        if attribute.startswith("_saved_") and name not in tensors:
            values_of.append((name, getattr(node, attribute)))
    return values_of


def scales_by_number(node: Node) -> bool:
    """Whether the constant that a product or quotient was made with is a number, as far as is known.

    A number of Python's is saved as a tensor without dimensions.
    """
    for name in ("_raw_saved_other", "_raw_saved_self"):
        slot = getattr(node, name, None)
        value = None if slot is None else slot.data
        if isinstance(value, torch.Tensor):
            return value.dim() == 0
    # Freed: the constant is then the other factor for `g * 0.1` and `0.1 * g` alike.
    return len(node.next_functions) < 2 or node.next_functions[0][0] is not None


class _Freed(Exception):  # noqa: N818
    """The saved tensors of a node were freed."""


def _raw(node: Node, names: tuple[str, ...]) -> Iterator[Any]:
    """Return the saved tensors; where hooks have packed one, the packed object."""
    for name in names:
        try:
            slots = getattr(node, name)
            for slot in slots if isinstance(slots, tuple) else (slots,):
                if slot.data is not None:
                    yield slot.data
                elif slot.unpack_hook is None and not isinstance(slots, tuple):
                    # Never there, or freed: only the checked attribute tells.
                    getattr(node, name.removeprefix("_raw"))
        except RuntimeError as error:
            if _FREED not in str(error):
                raise
            raise _Freed from error


def _tensors(value: Any) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    return [leaf for leaf in pytree.leaves(value) if isinstance(leaf, torch.Tensor)]


def _storage(tensor: torch.Tensor) -> Any:
    """Return a key of the storage; None if a tensor has none (a wrapper of torch.func)."""
    try:
        storage = tensor.untyped_storage()
    except NotImplementedError:
        return None
    return storage._cdata
