"""Write the public names to ``docs/names``: what is promised of each depends on its list.

``core.txt`` has the names of new programs, and ``compat.txt`` those of old programs, with their
signatures; ``data.txt`` has the classes in files, whose fields may change but for :data:`FIELDS`.
``tests/_public.py`` says which name is in which list. ``tests/test_public_names.py`` compares the files
with the package, so that a changed name or argument is a decision, which ``CHANGELOG.md`` reports.
Usage::

    python tools/public_names.py

Annotations are those of the source, so that the file is the same for each Python and PyTorch.
"""

from __future__ import annotations

import ast
import dataclasses
import enum
import functools
import inspect
import re
import sys
from abc import ABC
from pathlib import Path
from types import GenericAlias
from typing import Any, ForwardRef, Generic, Literal, Protocol, get_origin

import torch

import torchopt

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "names"
#: Of the states, whose fields may change, those that pages tell programs to read or to set.
FIELDS = {
    "torchopt.diff.zero_order.SearchState": "mean",
    "torchopt.multilevel.SingleLoopState": "count levels",
    "torchopt.transform.AddNoiseState": "key",
    "torchopt.transform.ApplyIfFiniteState": "total_notfinite",
    "torchopt.transform.InjectHyperparamsState": "hyperparams",
    "torchopt.transform.LookaheadState": "slow",
    "torchopt.transform.MonitorState": "measurements",
    "torchopt.transform.PolyakAverageState": "average",
    "torchopt.transform.ScaleByAsgdState": "average",
}
#: What only the library makes: its constructor is no promise, so that it can have further fields.
RETURNED = {
    *(f"torchopt.diff.{name}" for name in ("MemoryPlan", "PolicyCost")),
    "torchopt.diff.zero_order.TruncatedGradient",
    *(
        f"torchopt.linear_solve.{name}"
        for name in ("IterativeLinearSolver", "KrylovSolver", "LinearSolution")
    ),
    *(
        f"torchopt.meta.{name}"
        for name in ("Cause", "Direction", "Measure", "MetaGradCheck", "SoundnessCheck")
    ),
    *(f"torchopt.multilevel.{name}" for name in ("LevelGradient", "LevelStep")),
    "torchopt.quadratic.Certificate",
    *(f"torchopt.visual.{name}" for name in ("Explanation", "Finding")),
}
#: What has the code of another public class without being one: its base is no promise.
REUSES = {
    "torchopt.linear_solve.Neumann",
    "torchopt.multilevel.SABA",
    "torchopt.sets.SparseSimplex",
    "torchopt.solver.GaussNewton",
    "torchopt.solver.ProjectedGradient",
}
#: Methods with such names are called by syntax; others, as ``__repr__``, promise nothing.
SYNTAX = {"__bool__", "__call__", "__enter__", "__exit__", "__getitem__", "__iter__", "__len__"}


def texts(lists: dict[str, dict[str, Any]]) -> dict[str, str]:
    """Return the text of each list of public things: a line each, and one for each public member."""
    # What has several names is described under the first list's shortest.
    first: dict[int, str] = {}
    for things in (lists["core"], lists["data"], lists["compat"]):
        for *_, path in sorted(map(_rank, things, things.values())):
            first.setdefault(id(things[path]), path)
    return {
        name: "".join(f"{line}\n" for line in _lines(things, first, bare=name == "data"))
        for name, things in lists.items()
    }


def _rank(path: str, thing: Any) -> tuple[bool, int, bool, str]:
    old = (
        not path.startswith("torchopt.compat.")
        and getattr(thing, "__module__", "") == "torchopt.compat"
    )
    own = path.endswith(f".{getattr(thing, '__name__', '')}")
    return old, path.count("."), not own, path


def _lines(paths: dict[str, Any], first: dict[int, str], bare: bool) -> list[str]:
    described: dict[str, str] = {}
    _aliases.clear()
    for path, thing in paths.items():
        if path.startswith("torchopt.experimental"):
            continue  # docs/versions.md promises nothing there
        if isinstance(thing, str):
            described[path] = f"{path} = str"  # the version, which each release has anew
        elif inspect.ismodule(thing):
            described[path] = f"module {path}"
        elif not _is_ours(thing):
            described[path] = f"{path} = {_source(path, thing)}"
        elif first[id(thing)] != path:
            described[path] = f"{path} = {first[id(thing)]}"
        elif bare:
            described[path] = f"class {path}"
            for field in FIELDS.get(path, "").split():
                described[f"{path}.{field}"] = (
                    f"{path}.{field}: {_annotation(thing.__annotations__[field], thing)}"
                )
        elif inspect.isclass(thing):
            described |= _class(path, thing, first)
        else:
            described[path] = path + _signature(inspect.signature(thing), thing)
    listed = {path.rpartition(".")[2] for path in paths}
    where = {f"where {n} = {text}" for (n, _), text in _aliases.items() if n not in listed}
    return [*(described[path] for path in sorted(described)), *sorted(where)]


def _is_ours(thing: Any) -> bool:
    defined = inspect.isclass(thing) or inspect.isfunction(thing)
    return defined and thing.__module__.partition(".")[0] == "torchopt"


def _class(path: str, cls: type, public: dict[int, str]) -> dict[str, str]:
    """Return the line of a class and those of its members, which private bases give it too."""
    bases = [base for base in cls.__mro__[1:] if id(base) in public and _is_ours(base)]
    bases = [base for base in bases if path not in REUSES or inspect.isabstract(base)]
    covered = {ancestor for base in bases for ancestor in base.__mro__}
    own = [base for base in cls.__mro__ if base not in covered and _is_ours(base)]
    above = [public[id(b)] for b in bases if not any(b in c.__mro__[1:] for c in bases)]
    foreign = {b: b.__name__ for part in own for b in part.__bases__ if not _is_ours(b)}
    above += [name for b, name in foreign.items() if b not in {object, ABC, Generic, Protocol}]
    members = {}
    fields = getattr(cls, "__dataclass_fields__", {})
    for part in own:
        annotations = inspect.get_annotations(part)
        for name in (*annotations, *vars(part)):
            is_public = name in SYNTAX or not name.startswith("_")
            is_set = name in fields and not fields[name].init  # as a base promises the attribute
            if is_set and any(name in inspect.get_annotations(base) for base in covered):
                continue
            if is_public and name not in members and not _is_provisional(name, cls):
                members[name] = f"{path}.{name}{_member(name, part, annotations, public)}"
    constructor = next(c for c in cls.__mro__ if {"__init__", "__new__"} & vars(c).keys())
    made = ""
    is_promised = path not in RETURNED and not _is_provisional("__init__", cls)
    if _is_ours(constructor) and is_promised and Protocol not in cls.__bases__:
        bare = inspect.signature(cls).replace(return_annotation=inspect.Signature.empty)
        made = _signature(bare, *cls.__mro__)
    if generic := ", ".join(p.__name__ for p in getattr(cls, "__parameters__", ())):
        made = f"[{generic}]{made}"
    extends = f" extends {', '.join(above)}" if above else ""
    return {path: f"class {path}{made}{extends}"} | {f"{path}.{k}": v for k, v in members.items()}


def _is_provisional(name: str, cls: type) -> bool:
    """Return whether the next class above that has a member has a ``__promised__`` without it."""
    for base in cls.__mro__:
        if name in vars(base).get("__promised__", ()):
            return False
        is_here = name in vars(base) or name in inspect.get_annotations(base)
        if is_here and "__promised__" in vars(base):
            return True
    return False


def _member(name: str, cls: type, annotations: dict[str, Any], public: dict[int, str]) -> str:
    if name in annotations:
        written = getattr(annotations[name], "__forward_arg__", annotations[name])
        kind: Any = vars(sys.modules[cls.__module__]).get(str(written))
        is_call = Protocol in getattr(kind, "__bases__", ()) and "__call__" in vars(kind)
        if is_call and id(kind) not in public:
            return _member("__call__", kind, {}, public)  # a function of one signature
        return f": {_annotation(annotations[name], cls)}"
    member = vars(cls)[name]
    if isinstance(member, (property, functools.cached_property)):
        getter = member.fget if isinstance(member, property) else member.func
        return f": {_annotation(inspect.signature(getter).return_annotation, cls)}"  # type: ignore[arg-type]
    if isinstance(member, (staticmethod, classmethod)):
        member = member.__get__(None, cls)
        return _signature(inspect.signature(member), cls)
    if inspect.isfunction(member):
        signature = inspect.signature(member)
        return _signature(signature.replace(parameters=[*signature.parameters.values()][1:]), cls)
    return f" = {_value(member)}"


def _signature(signature: inspect.Signature, *homes: Any) -> str:
    """Return the text of a signature of what stands in the modules of some things."""
    parameters = [
        p.replace(
            annotation=p.empty
            if p.annotation is p.empty
            else _Text(_annotation(p.annotation, *_written_in(p.name, homes))),
            default=_Text(_value(p.default)) if p.default is not p.empty else p.empty,
        )
        for p in signature.parameters.values()
    ]
    bare = signature.replace(parameters=parameters, return_annotation=signature.empty)
    result = signature.return_annotation
    return f"{bare}" + ("" if result is signature.empty else f" -> {_annotation(result, *homes)}")


def _written_in(name: str, homes: tuple[Any, ...]) -> list[Any]:
    """Return the class that annotates a field; without one, all."""
    fields = [home for home in homes if name in getattr(home, "__annotations__", ())]
    return fields[:1] or [*homes]


class _Text:
    """What a signature prints as it is."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def _annotation(annotation: Any, *homes: Any) -> str:
    if isinstance(annotation, ForwardRef):
        annotation = annotation.__forward_arg__
    if annotation is type(None) or annotation is None:
        return "None"
    if isinstance(annotation, str):
        return _with_words(annotation, [*map(_globals, homes)])
    if inspect.isclass(annotation) and not isinstance(annotation, GenericAlias):
        return annotation.__qualname__
    return re.sub(r"\b(?:\w+\.)+(?=\w)", "", repr(annotation))  # without modules


def _globals(home: Any) -> dict[str, Any]:
    """Return the names of the file in which a class or a function is written."""
    own = [vars(home).get("__init__"), *vars(home).values()] if inspect.isclass(home) else [home]
    functions = map(inspect.unwrap, filter(inspect.isfunction, own))
    return next((function.__globals__ for function in functions), {})


#: The unions and functions that signatures name, by module, with the text of each.
_aliases: dict[tuple[str, str], str] = {}


def _with_words(annotation: str, scopes: list[dict[str, Any]]) -> str:
    """Return an annotation with the words for which a name in it stands."""

    def words(name: re.Match[str]) -> str:
        for thing in (scope[name[0]] for scope in scopes if name[0] in scope):
            if get_origin(thing) is Literal:
                return repr(thing).removeprefix("typing.")
            for module, text in _assignments().get(name[0], {}).items():
                source = vars(sys.modules[module]) if module in sys.modules else {}
                is_alias = isinstance(thing, str) or get_origin(thing) is not None
                if is_alias and source.get(name[0]) is thing and (name[0], module) not in _aliases:
                    _aliases[name[0], module] = ""  # which may name itself
                    _aliases[name[0], module] = _with_words(text.strip("'"), [source])
        return name[0]

    return re.sub(r"(?<![\w.'\"])[A-Za-z_]\w*(?!['\"])\b", words, annotation)


def _value(value: Any) -> str:
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}"
    if inspect.isclass(value) or inspect.isroutine(value):
        return str(value.__name__)
    kind = type(value).__name__
    if dataclasses.is_dataclass(value):  # in full, since its own defaults may be no promise
        options = [f.name for f in dataclasses.fields(value) if f.init]
        return f"{kind}({', '.join(f'{name}={_value(getattr(value, name))}' for name in options)})"
    if isinstance(value, torchopt.GradientTransformation):
        return repr(value)
    if isinstance(value, (tuple, list)):
        return f"({', '.join(map(_value, value))}{',' if len(value) == 1 else ''})"
    if isinstance(value, (set, frozenset)):
        return f"{{{', '.join(sorted(map(_value, value)))}}}"
    if isinstance(value, (bool, int, float, str, torch.dtype, torch.device, type(None))):
        return repr(value)
    return "..." if kind in ("object", "ellipsis") or kind.startswith("_") else f"{kind}(...)"


def _source(path: str, thing: Any) -> str:
    """Return the expression that makes something, else the package that it comes from."""
    for name, expression in _assignments().get(path.rpartition(".")[2], {}).items():
        if getattr(sys.modules.get(name), path.rpartition(".")[2], None) is thing:
            return re.sub(r"^_\w+\((.*)\)$", r"\1", expression)
    return _value(thing) if isinstance(thing, int) else str(thing.__module__).partition(".")[0]


@functools.cache
def _assignments() -> dict[str, dict[str, str]]:
    """Return, for each name that a module assigns at its top, the modules and the expressions."""
    found: dict[str, dict[str, str]] = {}
    for file in sorted((ROOT / "src" / "torchopt").rglob("*.py")):
        module = ".".join(file.relative_to(ROOT / "src").with_suffix("").parts)
        body = ast.parse(file.read_text(encoding="utf-8")).body
        # What runs of `if TYPE_CHECKING: ... else: ...`.
        for node in [n for s in body for n in (s.orelse if isinstance(s, ast.If) else [s])]:
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    pass
                case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                    pass
                case _:
                    continue
            found.setdefault(name, {})[module.removesuffix(".__init__")] = ast.unparse(value)
    return found


def now() -> dict[str, str]:
    """Return what each file should hold, by its name."""
    sys.path.insert(0, str(ROOT / "tests"))
    import _public  # type: ignore[import-not-found]  # of the tests, which ask it too

    return texts(_public.lists())


if __name__ == "__main__":
    for name, text in now().items():
        FOLDER.joinpath(f"{name}.txt").write_text(text, encoding="utf-8")
