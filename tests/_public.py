"""What the package exports, so that tests ask it and new names are found."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, get_args

import torchopt
from torchopt import solver
from torchopt.diff import _explicit
from torchopt.io import published
from torchopt.io.names import DATA, pairs
from torchopt.multilevel import compat

#: The kinds of problems without a proximal term, and with one.
SMOOTH = frozenset({"minimum", "root", "fixed_point", "least_squares"})
COMPOSITE = frozenset({"composite", "composite_least_squares"})
KINDS = {
    "minimum": torchopt.diff.Minimum,
    "least_squares": torchopt.diff.LeastSquares,
    "root": torchopt.diff.Root,
    "fixed_point": torchopt.diff.FixedPoint,
    "composite": torchopt.diff.Composite,
    "composite_least_squares": torchopt.diff.CompositeLeastSquares,
    "constrained": torchopt.diff.Constrained,
}


def keeping(memory: Any, **options: Any) -> torchopt.diff.Explicit:
    """Return the explicit mode with a policy, or with a number of carries."""
    if isinstance(memory, int):
        memory, options = "tree", {"carries": memory, **options}
    return torchopt.diff.Explicit(memory, **options)


def solved_by(method: Any) -> set[str]:
    """Return the names of the ready-made kinds that a solver solves."""
    return {name for name, kind in KINDS.items() if issubclass(kind, tuple(method.kinds))}


def modules() -> Iterator[ModuleType]:
    """Yield the modules of the core: the package, what it exports, and what these export."""
    yield from _exported_with(torchopt)


def compat_modules() -> Iterator[ModuleType]:
    """Yield the modules of names for old programs: rooms of 0.7.3, and all of `compat`."""
    for room in ("compat", *published.ROOMS.split()):
        yield importlib.import_module(f"torchopt.{room}")
    yield compat
    for _, name, _ in pkgutil.iter_modules(compat.__path__, f"{compat.__name__}."):
        if "._" not in name:
            yield importlib.import_module(name)


def lists() -> dict[str, dict[str, Any]]:
    """Return what is public, by its path: in the core, kept for old programs, and in files.

    Names of 0.7.3 and of other packages are those of `io.published` and of the packages called
    `compat`; `io.names.DATA` has the classes in files; anything else that is exported is core.
    """
    data = {id(pkgutil.resolve_name(f"{room}.{name}")) for room, name in pairs(DATA)}
    found: dict[str, dict[str, Any]] = {"core": {}, "compat": {}, "data": {}}
    for module in modules():
        for name in module.__all__:
            thing = getattr(module, name)
            found["data" if id(thing) in data else "core"][f"{module.__name__}.{name}"] = thing
    old = [(module.__name__, name) for module in compat_modules() for name in module.__all__]
    old += [("torchopt", name) for name in published.TOP]
    old += [(path, name) for path, own in published.names().items() for name in own]
    for path, name in old:
        if not any(f"{path}.{name}" in listed for listed in found.values()):
            found["compat"][f"{path}.{name}"] = getattr(importlib.import_module(path), name)
    return found


def _exported_with(module: ModuleType) -> Iterator[ModuleType]:
    yield module
    for name in module.__all__:
        if (
            inspect.ismodule(part := getattr(module, name))
            and part.__name__ == f"{module.__name__}.{name}"
        ):
            yield from _exported_with(part)


def names() -> dict[str, tuple[list[str], Any]]:
    """Return all names of each public thing, and the thing, by the last of them."""
    found: dict[int, tuple[list[str], Any]] = {}
    for module in modules():
        for name in module.__all__:
            thing = getattr(module, name)
            found.setdefault(id(thing), ([], thing))[0].append(f"{module.__name__}.{name}")
    return {them[-1]: (them, thing) for them, thing in found.values()}


def exported(module: ModuleType, kind: type | str) -> dict[str, Any]:
    """Return the concrete classes of a module with a base, or its functions that return a type."""
    things = {name: getattr(module, name) for name in module.__all__}
    if isinstance(kind, str):
        return {
            name: f for name, f in things.items() if inspect.isfunction(f) and returned(f) == kind
        }
    return {
        name: cls
        for name, cls in things.items()
        if inspect.isclass(cls) and issubclass(cls, kind) and cls is not kind
        if cls.__name__ == name and not inspect.isabstract(cls)
    }


def returned(function: Callable[..., Any]) -> str:
    """Return the name of the type that a function says it returns."""
    annotation = inspect.signature(function).return_annotation
    return str(getattr(annotation, "__name__", annotation))


#: The functions that make an optimizer.
FUNCTIONS = exported(torchopt.optimizers, "GradientTransformation")
#: Those whose steps read gradients and parameters only.
ALIASES = {name: make for name, make in FUNCTIONS.items() if not make(lr=0.1).reads}
#: The memory policies that have a name, but the one that computes nothing again.
POLICIES = {
    name: torchopt.diff.Explicit(name) for name in get_args(_explicit.Policy) if name != "graph"
}


def other_solvers(
    listed: dict[str, tuple[Any, str]], kinds: frozenset[str] = SMOOTH
) -> dict[str, tuple[Any, str]]:
    """Return the solvers with their defaults, for each kind, but those that are listed like this."""
    known = {(repr(method), kind) for method, kind in listed.values()}
    return {
        f"{name}-{kind}": (cls(), kind)
        for name, cls in exported(solver, solver.Solver).items()
        for kind in sorted(solved_by(cls) & kinds)
        if (repr(cls()), kind) not in known
    }
