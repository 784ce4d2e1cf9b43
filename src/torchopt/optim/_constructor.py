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

import torch
from torch import nn

from torchopt.pytree.typing import ParameterGroups
from torchopt.transform.chaining import GradientTransformation

_P = ParamSpec("_P")
_Q = ParamSpec("_Q")
_Self = TypeVar("_Self")

_PLAIN = """Plain training of parameters; :func:`torchopt.optimizers.{function}` has the formula.

Options of ``torch.optim`` that choose an implementation, such as ``foreach`` and ``fused``, are
accepted and change nothing.
{note}
Args:
    params: Tensors, names and tensors, or groups with options of their own; see
        :class:`torchopt.Optimizer`.
{arguments}

Example:
    >>> import torch, torchopt
    >>> net = torch.nn.Linear(2, 1)
    >>> optimizer = torchopt.optim.{name}(net.parameters(), lr=0.1)
{step}
"""

_META = """Differentiable training of a module; :func:`torchopt.optimizers.{function}` has the formula.
{note}
Args:
    module: The module. See :class:`torchopt.MetaOptimizer`.
{arguments}

Example:
    >>> import torch, torchopt
    >>> net = torch.nn.Linear(2, 1)
    >>> optimizer = torchopt.optim.{name}(net, lr=0.1)
    >>> optimizer.step(net(torch.ones(1, 2)).square().sum())
    >>> net.weight.is_leaf
    False
"""

_STEP = """\
    >>> net(torch.ones(1, 2)).sum().backward()
    >>> optimizer.step()"""

#: Where the transformation reads the loss.
_STEP_WITH_CLOSURE = """\
    >>> def closure():
    ...     optimizer.zero_grad()
    ...     loss = net(torch.ones(1, 2)).square().sum()
    ...     loss.backward()
    ...     return loss
    >>> loss = optimizer.step(closure)"""


class _Params(Protocol[_P]):
    def __call__(
        self, params: ParameterGroups, *args: _P.args, **options: _P.kwargs
    ) -> tuple[Any, dict[str, Any]]: ...


class _Module(Protocol[_P]):
    def __call__(
        self, module: nn.Module, *args: _P.args, **options: _P.kwargs
    ) -> tuple[Any, GradientTransformation]: ...


def params_and(function: Callable[_P, GradientTransformation], **defaults: Any) -> _Params[_P]:
    """Return a function that makes the parameters and the options of an optimizer.

    Args:
        function: A functional optimizer: its arguments follow ``params``.
        **defaults: Defaults of the class, where they are not those of the function.
    """
    make = _with_defaults(function, defaults)

    def arguments(
        params: ParameterGroups, *args: _P.args, **options: _P.kwargs
    ) -> tuple[Any, dict[str, Any]]:
        make(*args, **options)  # raises for arguments that are wrong
        bound = inspect.signature(make).bind(*args, **options)
        bound.apply_defaults()
        return params, bound.arguments

    arguments.__dict__.update(make=make, docstring=_PLAIN, start="_start")
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

    arguments.__dict__.update(make=make, docstring=_META, start="__init__")
    return arguments


def constructor(
    arguments: Callable[_Q, tuple[Any, Any]],
) -> Callable[[Callable[[_Self], None]], Callable[Concatenate[_Self, _Q], None]]:
    """Replace an ``__init__`` by one that calls the base's with what ``arguments`` returns.

    The class gets the docstring of ``arguments``; what it has itself is kept, as a note.
    """
    made: Any = _Constructor(arguments)
    return lambda _: made


class _Constructor:
    """Replaces itself by the ``__init__`` of the class in which it stands."""

    def __init__(self, arguments: Any) -> None:
        self.arguments = arguments

    def __set_name__(self, owner: Any, name: str) -> None:
        arguments, make, start = self.arguments, self.arguments.make, self.arguments.start
        theirs: dict[str, Any] = {}
        if start == "_start":
            theirs, owner._not_in_torch = _unlike_torch(owner.__name__, make)

        most = sum(
            p.kind is not p.KEYWORD_ONLY for p in inspect.signature(make).parameters.values()
        )
        by_name = [*inspect.signature(make).parameters][most:]

        def init(self: Any, *args: Any, **options: Any) -> None:
            if len(args) > most + 1:
                raise TypeError(
                    f"{init.__qualname__}() was given {len(args)} arguments by position, of which it "
                    f"takes {most + 1}: pass the others by name, such as `{by_name[0]}=`."
                )
            further = {name: options.pop(name, default) for name, default in theirs.items()}
            getattr(super(owner, self), start)(*arguments(*args, **options), **further)

        this = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        first, *_ = inspect.signature(arguments, eval_str=True).parameters.values()
        parameters = [first, *inspect.signature(make).parameters.values()]
        init.__dict__["__signature__"] = inspect.Signature([this, *parameters])
        init.__annotations__ = {p.name: p.annotation for p in parameters}
        init.__name__, init.__module__ = name, owner.__module__
        # Python's errors of calls name the inner function, which has the arguments.
        init.__qualname__ = arguments.__qualname__ = f"{owner.__qualname__}.{name}"
        setattr(owner, name, init)
        owner._make, owner._options = staticmethod(make), tuple(inspect.signature(make).parameters)
        owner.__doc__ = arguments.docstring.format(
            function=make.__name__,
            note="".join(
                f"\n{note}\n"
                for note in (owner.__doc__ and inspect.getdoc(owner), make.note)
                if note
            ),
            arguments=_documented(make),
            name=owner.__name__,
            step=_STEP_WITH_CLOSURE if make(lr=0.1).reads else _STEP,
        )


def _with_defaults(
    function: Callable[_P, GradientTransformation], defaults: dict[str, Any]
) -> Callable[_P, GradientTransformation]:
    """Return a function with other defaults, which has their signature."""
    signature = inspect.signature(function, eval_str=True)
    names = list(signature.parameters)
    assert set(defaults) <= set(names)

    def make(*args: Any, **options: Any) -> GradientTransformation:
        unset = {name: x for name, x in defaults.items() if names.index(name) >= len(args)}
        return function(*args, **unset | options)

    parameters = signature.parameters.values()
    changed = [p.replace(default=defaults.get(p.name, p.default)) for p in parameters]
    functools.update_wrapper(make, function)
    make.__dict__["__signature__"] = inspect.Signature(changed)
    texts = ", ".join(f"{name}={x!r}" for name, x in defaults.items())
    make.__dict__["note"] = texts and (
        f"Other defaults than the function's, as in TorchOpt 0.7.3 or ``torch.optim``: ``{texts}``."
    )
    return make


def _unlike_torch(name: str, make: Callable[..., Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the options that only PyTorch's class has, and those that only our function has."""
    # PyTorch's L-BFGS is a loop, and its options are about the loop.
    if not hasattr(torch.optim, name) or name == "LBFGS":
        return {}, {}
    theirs = inspect.signature(getattr(torch.optim, name)).parameters
    ours = inspect.signature(make).parameters
    return (
        {k: p.default for k, p in theirs.items() if k not in ours and k != "params"},
        {k: p.default for k, p in ours.items() if k not in theirs},
    )


def _documented(make: Callable[..., Any]) -> str:
    """Return what a docstring says of the arguments, in the order of the signature."""
    _, _, section = (inspect.getdoc(make) or "").partition("\nArgs:\n")
    entry = re.compile(r"^    (\w+)(:.*(?:\n     .*)*)", re.MULTILINE)
    texts = dict(entry.findall(section.partition("\n\n")[0]))
    names = inspect.signature(make).parameters
    return "\n".join(f"    {name}{texts[name]}" for name in names if name in texts)
