"""Which of the compiler's guards are checked at each call, and what they check besides.

Dynamo guards on all that it has read. Many guards are on what no program replaces, and to check them
takes long beside a small problem: functions, classes, modules and constants of this package, and
private functions and modules of PyTorch.

Of the user's objects it takes for granted what programs rarely change: the methods of a class, and that
a name which was not found (in a dictionary, in an object with ``__getattr__``) is still not there. Here
the guards on such an object check these, too.
"""

from __future__ import annotations

import builtins
import functools
import re
import sys
import types
import weakref
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import is_
from typing import Any, TypeAlias

import torch
from torch import nn

from torchopt.autodiff.module_tensors import attributes_of, closed_over, globals_of

_Check: TypeAlias = Callable[[Any], bool]

_OURS = {"torch", "torchopt", "optree"}
_LIBRARIES = {*_OURS, *sys.stdlib_module_names}
_FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, types.MethodDescriptorType)
_NO_FUNCTIONS = (types.CodeType, types.ModuleType, type)
_CODE = (*_FUNCTIONS, *_NO_FUNCTIONS)
# Reached from a private module of PyTorch, or by a private name.
_PRIVATE = re.compile(r"__import_torch(_dot_\w+)?_dot__|\._(?!_)")
_OUR_CONSTANT = re.compile(r"G\['__import_torchopt_dot_\w+'\]\._?[A-Z][A-Z_]+\b")


def checked_at_calls(guards: Sequence[Any]) -> list[bool]:
    """Return for each guard whether it is checked, as a ``guard_filter_fn`` of ``torch.compile``.

    All are that are on what the user's code reads, and on flags and registries wherever they are. These
    are completed, too.

    Raises:
        TypeError: If the code reads a NumPy scalar, which the compiler takes for an array.
    """
    checked = [not (_OUR_CONSTANT.search(g.orig_guard.name) or _is_inner_code(g)) for g in guards]
    # The keys of these are guarded, and what is reached from these is a library's.
    known: set[Any] = {
        g.name for g in guards if g.guard_type == "DICT_KEYS_MATCH" and type(g.value) is dict
    }
    library = {
        g.orig_guard.name
        for g in guards
        if isinstance(g.value, _CODE) and _is_library(_module(g.value))
    }
    checks: list[tuple[str, _Check]] = []
    for g, is_checked in zip(guards, checked, strict=True):
        if g.has_value and g.name.startswith("___from_numpy") and not g.value.dim():
            raise TypeError("it reads a NumPy scalar, which is traced as an array: pass a float")
        if is_checked and g.has_value:
            ours = any(base.name in library for base in _bases(g.orig_guard))
            ours = ours or _is_library(_root(g.orig_guard))
            if not ours or isinstance(g.value, dict):  # such as a registry
                checks += [(g.orig_guard.name, check) for check in _taken_for_granted(g, known)]
                last = g.orig_guard
    if checks:
        last.create_fn = functools.partial(_guard, last.create_fn, checks)
    return checked


def _is_inner_code(entry: Any) -> bool:
    """Whether a guard is on code that a library reads: modules, classes, what is its own or private."""
    value, guard = entry.value, entry.orig_guard
    if not isinstance(value, _CODE) or not _is_library(_root(guard)):
        return False
    is_public = isinstance(value, _FUNCTIONS) and not _PRIVATE.search(guard.name)
    return not is_public or _module(value).split(".")[0] in ("torchopt", "optree")


def _root(guard: Any) -> str:
    """Return the name of the module from which what is guarded was reached, if it was from one."""
    source = [guard.originating_source, *_bases(guard)][-1]
    module: str = getattr(source, "global_name", "")
    return module.removeprefix("__import_").replace("_dot_", ".")


def _bases(guard: Any) -> Iterator[Any]:
    """Yield the sources through which what is guarded is reached."""
    source = guard.originating_source
    while (source := getattr(source, "base", None)) is not None:
        yield source


def _module(value: Any) -> str:
    """Return the name of the module that code belongs to."""
    is_one = isinstance(value, types.ModuleType)
    return str(value.__name__ if is_one else getattr(value, "__module__", ""))


def _is_library(module: str | None) -> bool:
    return str(module).split(".")[0] in _LIBRARIES


def _taken_for_granted(entry: Any, known: set[Any]) -> Iterator[_Check]:
    """Yield checks of what the compiler takes for granted beside a guard.

    Args:
        entry: The guard.
        known: What other guards check already: names of values, and classes.
    """
    value = entry.value
    for cls in {type(value), *_classes(value)}:
        if cls not in known and not _is_library(cls.__module__):
            known.add(cls)
            yield _same_class(cls)
    # Hooks that there are none of are guarded as such.
    if entry.name not in known and entry.guard_type != "EMPTY_NN_MODULE_HOOKS_DICT":
        known.add(entry.name)
        yield from _same_value(value)


def _guard(
    create: Callable[..., Any], checks: list[tuple[str, _Check]], builder: Any, guard: Any
) -> None:
    """Create a guard, and one for all checks, since each is a call of Python."""
    from torch._dynamo.guards import _get_closure_vars

    create(builder, guard)
    names = {f"check_{i}": check for i, (_, check) in enumerate(checks)}
    calls = [f"check_{i}({name})" for i, (name, _) in enumerate(checks)]
    text = f"as they were: {', '.join(dict(checks))}"  # one, since each of several is evaluated
    builder.add_python_lambda_leaf_guard_to_root(calls, [text], {**_get_closure_vars(), **names})


def _same_value(value: Any) -> Iterator[_Check]:
    """Yield checks of what a value of the same class does not share with it, or may have lost."""
    if isinstance(value, torch.Tensor):
        if value.requires_grad and type(value) is torch.Tensor:
            leaf = value.is_leaf
            yield lambda x: x.is_leaf is leaf
    elif isinstance(value, (float, complex)):
        if value == 0:  # which equals -0.0
            text = str(value)
            yield lambda x: str(x) == text
    elif isinstance(value, dict):
        if "__builtins__" in value or value is sys.modules:
            return  # the names of a module, or of all: an import changes no other
        yield from _same_classes(value)
        in_order: Any = OrderedDict.keys if isinstance(value, OrderedDict) else dict.keys
        keys = tuple(in_order(value))
        yield lambda x: tuple(in_order(x)) == keys
    elif isinstance(value, types.FunctionType):
        if not _is_library(value.__module__):
            yield from _same_classes(value)
            yield from _same_names(value)
    elif not isinstance(value, _CODE) or not _is_library(_module(value)):
        yield from _same_classes(value)
        ours = type(value).__module__.split(".")[0] in _OURS and not isinstance(value, nn.Module)
        if not ours and not isinstance(value, _CODE) and type(value).__dictoffset__ != 0:
            names = frozenset(value.__dict__)
            yield lambda x: x.__dict__.keys() == names


def _same_classes(value: Any) -> Iterator[_Check]:
    """Yield a check that a value still holds the same classes, if it holds any."""
    classes = {k: weakref.ref(x) for k, x in _parts(value).items() if isinstance(x, type)}
    if classes:
        yield lambda x: all(map(is_, map(_parts(x).get, classes), [c() for c in classes.values()]))


def _parts(value: Any) -> Mapping[Any, Any]:
    """Return what a value holds."""
    if isinstance(value, dict):
        return value
    if isinstance(value, (nn.Module, types.ModuleType)):
        return vars(value)
    if isinstance(value, types.FunctionType):
        parts = _bound(value)
    elif isinstance(value, functools.partial):
        parts = [value.func, *value.args, *value.keywords.values()]
    elif isinstance(value, (list, tuple, deque)):
        parts = [*value]
    else:
        return attributes_of(value)
    return dict(enumerate(parts))


def _bound(function: types.FunctionType) -> list[Any]:
    """Return what a function closes over, and its defaults."""
    keywords = (function.__kwdefaults__ or {}).values()
    return [*closed_over(function), *(function.__defaults__ or ()), *keywords]


def _same_names(function: types.FunctionType) -> Iterator[_Check]:
    """Yield checks of which attributes a user's function has, and of what it takes for builtins."""
    attributes = frozenset(vars(function))
    yield lambda f: f.__dict__.keys() == attributes
    names = vars(builtins).keys() & {*globals_of(function.__code__)} - function.__globals__.keys()
    if names:
        yield lambda f: f.__globals__.keys().isdisjoint(names)


def _classes(value: Any) -> list[type]:
    """Return the classes that guards do not show, or that are the value."""
    values = closed_over(value) if isinstance(value, types.FunctionType) else [value]
    return [x for x in values if isinstance(x, type)]


def _same_class(cls: type) -> _Check:
    """Return a check that a class has the methods, descriptors and names that it has now.

    So have the classes that it derives from, and its metaclass. Values of other attributes have guards.
    """
    classes = [weakref.ref(c) for c in _above(cls)]
    parts = [_Methods(c) for c in dict.fromkeys(_above(cls)) if not _is_library(c.__module__)]

    def check(_: Any) -> bool:
        now = classes[0]()
        same = now is not None and _above(now) == [c() for c in classes]
        return same and all(part.are_same() for part in parts)

    return check


def _above(cls: type) -> list[type]:
    meta: type = type(cls)
    return [*cls.__mro__, *meta.__mro__]


class _Methods:
    """What a class itself defines, without keeping it alive."""

    def __init__(self, cls: type) -> None:
        self._cls = weakref.ref(cls)
        self._names = frozenset(vars(cls))
        self._methods = [
            (name, _reference(x))
            for name, x in vars(cls).items()
            if callable(x) or hasattr(type(x), "__get__")
        ]
        functions = [
            f for x in vars(cls).values() if isinstance(f := _function(x), types.FunctionType)
        ]
        self._bodies = [
            (weakref.ref(f), f.__code__, [*map(_reference, _bound(f))]) for f in functions
        ]

    def are_same(self) -> bool:
        table = vars(self._cls())
        if table.keys() != self._names:
            return False
        for name, method in self._methods:
            if table[name] is not method():
                return False
        for reference, code, read in self._bodies:
            function = reference()
            if function is None:  # as its class, which is guarded
                continue
            if function.__code__ is not code:
                return False
            if read or function.__defaults__:
                bound = _bound(function)
                if len(bound) != len(read) or not all(map(is_, bound, [x() for x in read])):
                    return False
        return True


def _function(method: Any) -> Any:
    """Return the function of a method or a property."""
    if isinstance(method, property):
        return method.fget
    return getattr(method, "__func__", method)


def _reference(value: Any) -> Callable[[], Any]:
    try:
        return weakref.ref(value)
    except TypeError:
        return lambda: value
