"""Objects as text: the call that makes them, on one line, without arguments equal to their defaults."""

from __future__ import annotations

import functools
import reprlib
from collections.abc import Callable, Iterable, Mapping
from inspect import Parameter, signature
from numbers import Real
from types import FunctionType
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, ParamSpec, TypeVar, cast

import torch

from torchopt.checks import check_keywords

_P = ParamSpec("_P")
_R = TypeVar("_R")
_F = TypeVar("_F", bound=Callable[..., Any])

#: Arguments that are shown also with their defaults.
_ALWAYS = {"lr"}


def called(
    name: str,
    arguments: Mapping[str, Any],
    defaults: Mapping[str, Any],
    positional: Iterable[Any] = (),
) -> str:
    """Return a call as text.

    Args:
        name: The name of the function or class.
        arguments: Its arguments by name.
        defaults: Their defaults. What prints like its default is left out, except a learning rate.
        positional: Arguments that are shown first, without a name.

    Example:
        >>> called("adam", {"lr": 0.1, "eps": 1e-8}, {"lr": 0.001, "eps": 1e-8})
        'adam(lr=0.1)'
    """
    shown = [*map(value_text, positional)]
    for key, value in arguments.items():
        text = value_text(value)
        if key in _ALWAYS or key not in defaults or text != value_text(defaults[key]):
            shown.append(f"{key}={text}")
    return f"{name}({', '.join(shown)})"


def defaults(parameters: Mapping[str, Parameter]) -> dict[str, Any]:
    """Return the defaults of the parameters that have one."""
    return {k: p.default for k, p in parameters.items() if p.default is not p.empty}


class Call(NamedTuple):
    """A call of a function; as text, what :func:`called` returns."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def __str__(self) -> str:
        named, usual, rest = self.arguments()
        kinds = signature(self.function).parameters
        first = [k for k in named if kinds[k].kind is Parameter.POSITIONAL_ONLY]
        values = [*(named.pop(k) for k in first), *rest]
        return called(self.function.__name__, named, usual, values)

    def arguments(self) -> tuple[dict[str, Any], dict[str, Any], tuple[Any, ...]]:
        """Return the arguments by name, their defaults, and those of ``*args``."""
        bound = signature(self.function).bind(*self.args, **self.kwargs)
        bound.apply_defaults()
        parameters = bound.signature.parameters
        rest = [k for k in bound.arguments if parameters[k].kind is Parameter.VAR_POSITIONAL]
        named = {k: x for k, x in bound.arguments.items() if k not in rest}
        return named, defaults(parameters), tuple(x for k in rest for x in bound.arguments[k])


def records_call(
    factory: Callable[_P, _R], former: Callable[[Any, Any], tuple[Any, Any]] | None = None
) -> Callable[_P, _R]:
    """Let a factory note its call in what it returns; :func:`call_of` reads it.

    Arguments in a ``former`` form are first made those of today.
    """

    def make(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        if former is not None:
            args, kwargs = former(args, kwargs)
        try:
            result: Any = factory(*args, **kwargs)
        except TypeError:
            explain(factory, kwargs, args)
            raise
        # What was only passed through keeps the call that made it.
        if not any(result is x for x in (*args, *kwargs.values())):
            result._call = note(recorded, args, kwargs)
        return result

    note, explain = Call, check_keywords
    # With the globals of the factory's module, where doctest looks for functions.
    recorded: Any = FunctionType(make.__code__, factory.__globals__, None, None, make.__closure__)
    functools.update_wrapper(recorded, factory)
    return recorded


def takes_b1_b2(factory: Callable[_P, _R]) -> Callable[_P, _R]:
    """Let a factory that begins with ``betas`` note its call, and take that of TorchOpt 0.7.3.

    There ``b1`` and ``b2`` are two arguments. Type checkers know ``betas`` only.
    """
    default = next(iter(signature(factory).parameters.values())).default

    def former(args: Any, kwargs: Any) -> tuple[Any, Any]:
        places = 2 if args and isinstance(args[0], Real) else 0
        if "betas" in kwargs or not (places or {"b1", "b2"} & kwargs.keys()):
            return args, kwargs
        pair = dict(
            zip(("b1", "b2"), (*args[:places], *default[len(args[:places]) :]), strict=True)
        )
        pair |= {name: kwargs[name] for name in pair if name in kwargs}
        rest = {name: value for name, value in kwargs.items() if name not in pair}
        return (tuple(pair.values()), *args[places:]), rest

    return records_call(factory, former)


def explained(function: _F) -> _F:
    """Let a function answer arguments that it does not have with what may be meant."""

    @functools.wraps(function)
    def call(*args: Any, **keywords: Any) -> Any:
        try:
            return function(*args, **keywords)
        except TypeError:
            check_keywords(function, keywords, args)
            raise

    return cast("_F", call)


def call_of(made: Any) -> Call | None:
    """Return the call that made an object, if the function that was called records calls."""
    return getattr(made, "_call", None)


def copy_call(made: Any, other: _R) -> _R:
    """Let another object print as an object does."""
    if (call := call_of(made)) is not None:
        other._call = call  # type: ignore[attr-defined]
    return other


class Partial(Generic[_R]):
    """A function with arguments bound, which prints as the call that made it: :func:`records_call`.

    No subclass of ``functools.partial``, since ``torch.compile`` cannot make instances of one.
    """

    _call: Call

    def __init__(self, func: Callable[..., _R], /, *args: Any, **keywords: Any) -> None:
        self.func, self.args, self.keywords = func, args, keywords

    def __call__(self, *args: Any) -> _R:
        """Call the function with further arguments."""
        return self.func(*self.args, *args, **self.keywords)

    def __repr__(self) -> str:
        return str(self._call)


class CallRepr:
    """Lets instances of a class, and of those derived from it, print as the call that makes them.

    Arguments are the attributes of their names; those that are not kept are left out.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__repr__" not in vars(cls):
            cls.__repr__ = cls.__repr__  # type: ignore[method-assign]  # or dataclass makes one

    if not TYPE_CHECKING:  # where a class has the arguments of its own `__init__`

        def __new__(cls, *args: Any, **keywords: Any) -> Any:
            """Make an object; an unknown keyword is answered with what may be meant."""
            if keywords:
                check_keywords(cls.__init__, keywords, name=cls.__name__)
            return super().__new__(cls)

    def __repr__(self) -> str:
        kept = {k: p for k, p in signature(type(self)).parameters.items() if hasattr(self, k)}
        return called(type(self).__name__, {k: getattr(self, k) for k in kept}, defaults(kept))


class _Values(reprlib.Repr):
    """Values on one line: no address of a function, no elements of a large tensor."""

    def __init__(self) -> None:
        super().__init__()
        self.maxother = self.maxlong = 120
        self.maxstring = 60

    def repr1(self, x: Any, level: int) -> str:
        if isinstance(x, torch.Tensor):
            return _tensor(x)
        if isinstance(x, type) or (callable(x) and hasattr(x, "__qualname__")):
            return str(x.__qualname__)
        if isinstance(x, functools.partial):
            return f"partial({self.repr1(x.func, level)}, ...)"
        if isinstance(x, (float, torch.Generator)):
            return repr(x)
        if type(x) is dict and len(x) <= self.maxdict:  # in its own order
            return f"{{{', '.join(f'{k!r}: {self.repr1(v, level - 1)}' for k, v in x.items())}}}"
        if hasattr(type(x), "_fields") or not isinstance(x, (tuple, list, dict, set, str, int)):
            text = " ".join(repr(x).split())
            if text.startswith("<") and " at 0x" in text:
                return type(x).__name__
            return text if len(text) <= self.maxother else f"{type(x).__name__}(...)"
        return super().repr1(x, level)


def _tensor(x: torch.Tensor) -> str:
    if x.numel() == 1 and type(x) in (torch.Tensor, torch.nn.Parameter) and not x.is_meta:
        text = repr(x.detach())
        if "\n" not in text and "functorch" not in text.lower():
            return text
    return f"<{type(x).__name__} of shape {tuple(x.shape)}>"


value_text = _Values().repr
"""Returns a value as text on one line."""
