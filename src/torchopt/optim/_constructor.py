"""The constructor of an optimizer's class: ``params``, or a module, and a function's arguments.

Signature, types and docstring come from the function, such as :func:`torchopt.adam`. Only the class
statement has to be written, because type checkers take nothing else for a class.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from torch import nn

from torchopt.transform.chaining import GradientTransformation

__all__ = ["constructor", "module_and", "params_and"]

_P = ParamSpec("_P")
_Q = ParamSpec("_Q")
_Self = TypeVar("_Self")

_PLAIN = """Plain training of parameters with :func:`torchopt.{function}`, which has the formula.
{note}
Args:
    params: An iterable of tensors, or any tree of them.
{arguments}

Example:
    >>> import torch, torchopt
    >>> net = torch.nn.Linear(2, 1)
    >>> optimizer = torchopt.{name}(net.parameters(), lr=0.1)
    >>> net(torch.ones(1, 2)).sum().backward()
    >>> optimizer.step()
"""

_META = """Differentiable training of a module with :func:`torchopt.{function}`, which has the formula.
{note}
Args:
    module: The module. See :class:`torchopt.MetaOptimizer`.
{arguments}

Example:
    >>> import torch, torchopt
    >>> net = torch.nn.Linear(2, 1)
    >>> optimizer = torchopt.{name}(net, lr=0.1)
    >>> optimizer.step(net(torch.ones(1, 2)).square().sum())
    >>> net.weight.is_leaf
    False
"""


class _Params(Protocol[_P]):
    def __call__(
        self, params: Any, *args: _P.args, **options: _P.kwargs
    ) -> tuple[Any, GradientTransformation]: ...


class _Module(Protocol[_P]):
    def __call__(
        self, module: nn.Module, *args: _P.args, **options: _P.kwargs
    ) -> tuple[Any, GradientTransformation]: ...


def params_and(function: Callable[_P, GradientTransformation], **defaults: Any) -> _Params[_P]:
    """Return a function that makes the arguments of :class:`torchopt.Optimizer`.

    Args:
        function: A functional optimizer: its arguments follow ``params``.
        **defaults: Defaults of the class, where they are not those of the function.
    """
    make = _with_defaults(function, defaults)

    def arguments(
        params: Any, *args: _P.args, **options: _P.kwargs
    ) -> tuple[Any, GradientTransformation]:
        return params, make(*args, **options)

    _describe(arguments, make, _PLAIN)
    return arguments


def module_and(function: Callable[_P, GradientTransformation], **defaults: Any) -> _Module[_P]:
    """Return a function that makes the arguments of :class:`torchopt.MetaOptimizer`.

    Args:
        function: A functional optimizer: its arguments follow ``module``.
        **defaults: Defaults of the class, where they are not those of the function.
    """
    make = _with_defaults(function, defaults)

    def arguments(
        module: nn.Module, *args: _P.args, **options: _P.kwargs
    ) -> tuple[Any, GradientTransformation]:
        return module, make(*args, **options)

    _describe(arguments, make, _META)
    return arguments


def constructor(
    arguments: Callable[_Q, tuple[Any, GradientTransformation]],
) -> Callable[[Callable[[_Self], None]], Callable[Concatenate[_Self, _Q], None]]:
    """Replace an ``__init__`` by one that calls the base's with what ``arguments`` returns.

    The class gets the docstring of ``arguments``; what it has itself is kept, as a note.
    """
    made: Any = _Constructor(arguments)
    return lambda _: made


class _Constructor:
    """Becomes the ``__init__`` of the class in which it stands."""

    def __init__(self, arguments: Any) -> None:
        self.arguments = arguments

    def __set_name__(self, owner: Any, name: str) -> None:
        arguments = self.arguments

        def init(self: Any, *args: Any, **options: Any) -> None:
            super(owner, self).__init__(*arguments(*args, **options))

        this = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        parameters = arguments.__signature__.parameters
        init.__dict__["__signature__"] = inspect.Signature([this, *parameters.values()])
        init.__annotations__ = {name: p.annotation for name, p in parameters.items()}
        init.__name__, init.__module__ = name, owner.__module__
        # Errors of calls name the function that takes the arguments.
        init.__qualname__ = arguments.__qualname__ = f"{owner.__qualname__}.{name}"
        setattr(owner, name, init)
        note = f"\n{inspect.getdoc(owner)}\n" if owner.__doc__ else ""
        owner.__doc__ = arguments.__doc__.format(name=owner.__name__, note=note)


def _with_defaults(
    function: Callable[_P, GradientTransformation], defaults: dict[str, Any]
) -> Callable[_P, GradientTransformation]:
    # A function may wrap another for its docstring only.
    signature = inspect.signature(function, follow_wrapped=False, eval_str=True)
    names = list(signature.parameters)
    assert set(defaults) <= set(names)

    def make(*args: Any, **options: Any) -> GradientTransformation:
        unset = {name: x for name, x in defaults.items() if names.index(name) >= len(args)}
        return function(*args, **unset | options)

    parameters = signature.parameters.values()
    changed = [p.replace(default=defaults.get(p.name, p.default)) for p in parameters]
    functools.update_wrapper(make, function)
    make.__dict__["__signature__"] = inspect.Signature(changed)
    return make


def _describe(arguments: Any, make: Any, docstring: str) -> None:
    """Add the signature of ``make``, and what its docstring says of its arguments."""
    first, *_ = inspect.signature(arguments, eval_str=True).parameters.values()
    others = make.__signature__.parameters
    arguments.__signature__ = inspect.Signature([first, *others.values()])
    _, _, section = (inspect.getdoc(make) or "").partition("\nArgs:\n")
    entry = re.compile(r"^    (\w+)(:.*(?:\n     .*)*)", re.MULTILINE)
    texts = dict(entry.findall(section.partition("\n\n")[0]))
    arguments.__doc__ = docstring.replace("{function}", make.__name__).replace(
        "{arguments}", "\n".join(f"    {name}{texts[name]}" for name in others if name in texts)
    )
