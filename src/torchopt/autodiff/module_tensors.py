"""The tensors that modules hold, and the modules that a function can read.

``torch.func.functional_call`` and programs replace the tensors of a module for a time. What is
evaluated in that time, and again in a backward pass after it, has to read the same ones.
"""

from __future__ import annotations

import dis
import functools
import inspect
import itertools
import types
import weakref
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

import torch
from torch import nn

FUNCTIONS = (types.FunctionType, types.MethodType, functools.partial)
_MOST = 10_000  # values that a search looks at

Table: TypeAlias = dict[str, Any]
"""The table in which a module holds its parameters or buffers."""


class ModuleTensors:
    """The tensors that modules hold at some time.

    Args:
        *values: Functions, modules, and objects; what they can read is noted.

    Attributes:
        generators: The random generators.
    """

    def __init__(self, *values: Any) -> None:
        self._first: WeakKeyDictionary[nn.Module, tuple[Table, Table]] = WeakKeyDictionary()
        self._buffers: list[tuple[weakref.ref[nn.Module], Table]] | None = None
        self._named: list[weakref.ref[torch.Tensor]] = []
        self.generators: list[torch.Generator] = []
        for x in _read_by(*values):
            if isinstance(x, torch.Generator):
                self.generators.append(x)
            elif isinstance(x, torch.Tensor):
                self._named.append(weakref.ref(x))
            else:
                self.note(x)

    def buffers(self) -> list[tuple[nn.Module, Table]]:
        """Return the modules that hold buffers, and which they held."""
        if self._buffers is None:
            tables = [(module, table) for module, (_, table) in list(self._first.items()) if table]
            self._buffers = [(weakref.ref(module), table) for module, table in tables]
        return [(m, table) for alive, table in self._buffers if (m := alive()) is not None]

    @property
    def tensors(self) -> list[torch.Tensor]:
        """All tensors that the values can read."""
        tables = itertools.chain.from_iterable(self._first.values())
        return [*self.named, *[t for table in tables for t in table.values() if t is not None]]

    @property
    def named(self) -> list[torch.Tensor]:
        """The tensors that the values can read besides those of modules."""
        return [t for reference in self._named if (t := reference()) is not None]

    def __contains__(self, module: nn.Module) -> bool:
        return module in self._first

    def __iter__(self) -> Iterator[nn.Module]:
        return iter(list(self._first))

    def note(self, module: nn.Module) -> None:
        """Note the tensors of a module, unless it is known."""
        if module not in self._first and not isinstance(module, torch.jit.ScriptModule):
            self._buffers = None
            self._first[module] = dict(module._parameters), dict(module._buffers)

    def holding(self) -> AbstractContextManager[None]:
        """Let the modules hold these tensors for a block."""
        changed: list[tuple[Table, Table]] = []
        for module, tables in list(self._first.items()):
            held: tuple[Table, Table] = module._parameters, module._buffers
            for now, then in zip(held, tables, strict=True):
                if not _is_same(now, then):
                    changed.append((now, then))
        return holding(changed) if changed else nullcontext()


def _is_same(table: Table, other: Table) -> bool:
    now = dict(table)  # also of a table that says who may read it
    return len(now) == len(other) and all(now.get(name) is t for name, t in other.items())


def _read_by(*values: Any) -> Iterator[Any]:
    """Yield the modules, tensors and generators that values can read, by a closure, say."""
    waiting, seen = deque(values), set[int]()
    for _ in range(_MOST):
        if not waiting:
            return
        value = waiting.popleft()
        kind = type(value)  # asked instead of the value, which may be a proxy of something else
        if id(value) in seen or issubclass(kind, _OPAQUE):
            continue
        seen.add(id(value))
        if issubclass(kind, (torch.Tensor, torch.Generator)):
            yield value
            continue
        if issubclass(kind, nn.Module):
            if kind.__hash__ is not None:
                yield value
            waiting += value._modules.values()
            waiting.append(inspect.getattr_static(kind, "forward", None))  # its closure and globals
            waiting += (
                x
                for name, x in vars(value).items()
                if name[0] != "_" or isinstance(x, torch.Generator)
            )
        elif issubclass(kind, dict):
            waiting += dict.values(value)
        elif issubclass(kind, (list, tuple)):
            waiting += (list if issubclass(kind, list) else tuple).__iter__(value)
        else:
            waiting += [x for _, x in read_by(value)]


_OPAQUE = (
    *(bool, int, float, str, bytes, complex, type(None)),
    *(torch.dtype, torch.device),
    *(type, types.ModuleType, types.BuiltinFunctionType, weakref.ProxyType),
    *(types.MethodWrapperType, types.WrapperDescriptorType),  # `type.__call__`, of most classes
)


@contextmanager
def holding(tables: Sequence[tuple[Table, Table]]) -> Iterator[None]:
    """Replace entries in tables of modules for a block."""
    before = [dict(table) for table, _ in tables]
    try:
        for table, entries in tables:
            table.update(entries)
        yield
    finally:
        for (table, _), entries in zip(tables, before, strict=True):
            table.clear()
            table.update(entries)


def read_by(function: Any) -> list[tuple[str, Any]]:
    """Return what a callable, or another object, reads, each with its name."""
    kind = type(function)  # asked instead of the object, which may be a proxy of something else
    if issubclass(kind, functools.partial):
        arguments = [(f"argument {k}", value) for k, value in enumerate(function.args)]
        return [("func", function.func), *arguments, *function.keywords.items()]
    if issubclass(kind, types.MethodType):
        return [("func", function.__func__), *attributes_of(function.__self__).items()]
    if issubclass(kind, tuple):  # a gradient transformation
        return [(str(k), value) for k, value in enumerate(function)]
    if issubclass(kind, (type, types.BuiltinFunctionType)):
        return []
    if not issubclass(kind, types.FunctionType):
        held = attributes_of(function)
        if kind.__module__.partition(".")[0] != "torchopt":
            held["__call__"] = kind.__call__
        return [*held.items()]
    read: list[tuple[str, Any]] = []
    if (inner := getattr(function, "__wrapped__", None)) is not None:
        read.append(("__wrapped__", inner))
    scope = function.__globals__
    package = scope.get("__name__", "").split(".")[0]
    if package == "torch":
        return read  # has no state of the user's, but counters of its own
    if package != "torchopt":
        read += [(name, scope[name]) for name in globals_of(function.__code__) if name in scope]
    read += [(f"default {k}", value) for k, value in enumerate(function.__defaults__ or ())]
    read += (function.__kwdefaults__ or {}).items()
    read += zip(function.__code__.co_freevars, closed_over(function), strict=True)
    return read


def closed_over(function: types.FunctionType) -> list[Any]:
    """Return what a function closes over; None for what is not assigned yet."""
    return [*map(_content, function.__closure__ or ())]


def _content(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return None


def attributes_of(owner: Any) -> dict[str, Any]:
    """Return the attributes of an object, those of slots, too; of a module itself."""
    kind = type(owner)
    if issubclass(kind, nn.Module):
        return {"self": owner}
    if issubclass(kind, (type, types.ModuleType)):
        return {}
    held = object.__getattribute__(owner, "__dict__") if kind.__dictoffset__ else {}
    held = {f"self.{name}": value for name, value in held.items()}
    slots = _SLOTS.get(kind)
    if slots is None:  # each as a name, and the place of its base in the order of bases
        slots = _SLOTS[kind] = [
            (depth, name)
            for depth, base in enumerate(kind.__mro__)
            for name, slot in vars(base).items()
            if isinstance(slot, types.MemberDescriptorType)
        ]
    for depth, name in slots:
        try:
            held[f"self.{name}"] = vars(kind.__mro__[depth])[name].__get__(owner, kind)
        except AttributeError:  # not set
            continue
    return held


_SLOTS: WeakKeyDictionary[type, list[tuple[int, str]]] = WeakKeyDictionary()


@functools.lru_cache(maxsize=1024)
def globals_of(code: types.CodeType) -> tuple[str, ...]:
    """Return the names of globals and builtins that code reads, also in functions and classes."""
    names = [i.argval for i in dis.get_instructions(code) if i.opname in _LOADS]
    inner = (c for c in code.co_consts if isinstance(c, types.CodeType))
    return tuple(dict.fromkeys([*names, *(name for c in inner for name in globals_of(c))]))


_LOADS = ("LOAD_GLOBAL", "LOAD_NAME")
