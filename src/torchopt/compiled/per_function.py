"""Entries by function, kept while the function lives, and then for one made like it."""

from __future__ import annotations

import functools
import types
import weakref
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from torchopt.autodiff.module_tensors import closed_over

_T = TypeVar("_T")


class PerFunction(Generic[_T]):
    """A table by function object, which neither compares nor hashes its keys, nor keeps them alive.

    Two functions that live at the same time never share an entry, such as the functions that one
    decorator returns. A function that is made again, as a lambda in a loop is, takes over the entry
    of one that was made in the same place, over functions made in the same places, and has died.

    Args:
        make: Makes an entry.
    """

    _most_spare = 8  # not a global, which is None when the interpreter ends

    def __init__(self, make: Callable[[], _T]) -> None:
        self._make = make
        self._living: dict[Any, tuple[Any, _T]] = {}
        self._spare: dict[Any, list[_T]] = {}

    def __getitem__(self, function: Callable[..., Any]) -> _T:
        """Return the entry of a function."""
        subject = function.__self__ if isinstance(function, types.MethodType) else function
        key = id(subject), getattr(function, "__code__", None)  # of a method: its function's
        if key not in self._living:
            place = _place(function, set())
            spare = self._spare.get(place)
            entry = spare.pop() if spare else self._make()
            try:
                held: Any = weakref.ref(subject, lambda _: self._release(key, place))
            except TypeError:  # an object without weak references, whose identity must stay its own
                held = subject
            self._living[key] = held, entry
        return self._living[key][1]

    def _release(self, key: Any, place: Any) -> None:
        _, entry = self._living.pop(key)
        spare = self._spare.setdefault(place, [])
        if len(spare) < self._most_spare:
            spare.append(entry)


def _place(value: Any, seen: set[int]) -> Any:
    """Return a key that stays the same when a function, or a callable object, is made again."""
    if id(value) in seen:
        return None
    seen.add(id(value))
    if isinstance(value, types.MethodType):
        return value.__func__.__code__, _place(value.__self__, seen)
    if isinstance(value, types.FunctionType):
        return value.__code__, *(_place(x, seen) for x in closed_over(value))
    if isinstance(value, functools.partial):
        parts = (value.func, *value.args, *value.keywords.values())
        return functools.partial, *(_place(x, seen) for x in parts)
    attributes = getattr(value, "__dict__", {}) if callable(value) else {}
    called = (x for x in attributes.values() if isinstance(x, _FUNCTIONS))
    return type(value), *(_place(x, seen) for x in called)


_FUNCTIONS = (types.FunctionType, types.MethodType, functools.partial)
