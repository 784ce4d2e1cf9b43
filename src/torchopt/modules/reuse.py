"""Whether the functional copy of a module can serve for another call.

It can if its call left it as it was made, if nothing refers to its modules afterwards (a checkpointed
region, a hook or a result would), and if the original has the attributes and submodules that were
copied.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from operator import is_
from typing import Any

import torch
from torch import nn

__all__ = ["Reuse"]


class Reuse:
    """What a copy and its original are like, to be compared with what they are like later.

    All is compared by identity, without bytecode for each attribute. No parameter is kept here.

    Args:
        originals: The modules of a tree, the root last. No reference to the root is kept.
        clones: Their copies.
    """

    def __init__(self, originals: Sequence[nn.Module], clones: Sequence[nn.Module]) -> None:
        self._submodules, self._clones = originals[:-1], clones
        self._original, self._copied = _Tables(_contents(originals)), _Tables(_contents(clones))
        self._parameters = _Tables([m._parameters for m in originals], values=False)
        self._filled = _Tables([m._parameters for m in clones])
        # Shared by both. What is put in later may refer to submodules, and must be copied.
        self._empty = [
            v for v in self._original.values or () if isinstance(v, (list, tuple, dict)) and not v
        ]
        self._references = self._count_references()

    def fits(self, root: nn.Module) -> bool:
        """Whether the original is as it was, apart from its parameters."""
        modules = (*self._submodules, root)
        *_, of_root, _, _ = self._original.tables
        return (
            of_root is vars(root)  # and not those of another that is equal to it
            and self._original.are_same()
            and self._parameters.are_same()
            and not any(self._empty)
            and all(map(is_, map(type, modules), map(type, self._clones)))
        )

    def fill(self, replacements: Mapping[int, torch.Tensor]) -> None:
        """Give the copy the parameters of the original, or what replaces them."""
        get = replacements.get
        for table, filled in zip(self._parameters.tables, self._filled.tables, strict=True):
            if table:
                filled.update({name: get(id(p), p) for name, p in table.items()})
        self._filled.note_values()

    def is_unused(self) -> bool:
        """Whether the copy is as it was filled, and nothing else refers to its modules."""
        return (
            self._count_references() == self._references
            and self._copied.are_same()
            and self._filled.are_same()
        )

    def empty(self) -> None:
        """Take the parameters from the copy, so that they live no longer than their graph."""
        self._filled.values = []
        for table in self._filled.tables:
            table.update(dict.fromkeys(table))

    def _count_references(self) -> list[int]:
        held = chain(self._clones, self._filled.tables, self._copied.tables)
        return [*map(sys.getrefcount, held), *map(weakref.getweakrefcount, self._clones)]


def _contents(modules: Iterable[nn.Module]) -> list[dict[str, Any]]:
    """Return where the attributes, submodules and buffers of some modules are."""
    return [table for m in modules for table in (vars(m), m._modules, m._buffers)]


class _Tables:
    """Dictionaries, with the names and values that they had at some time."""

    def __init__(self, tables: list[dict[str, Any]], *, values: bool = True) -> None:
        self.tables = tables
        self._names = [*chain.from_iterable(tables)]
        self.values: list[Any] | None = None
        if values:
            self.note_values()

    def note_values(self) -> None:
        """Note the values that they have now."""
        self.values = [*self._values_now()]

    def are_same(self) -> bool:
        """Whether they have the names, and the values if these were noted."""
        return (
            sum(map(len, self.tables)) == len(self._names)
            and all(map(is_, chain.from_iterable(self.tables), self._names))
            and (self.values is None or all(map(is_, self._values_now(), self.values)))
        )

    def _values_now(self) -> Iterable[Any]:
        return chain.from_iterable(map(dict.values, self.tables))
