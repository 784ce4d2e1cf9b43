"""The cause of a wrong gradient, by trial: which single change of the program makes it right?"""

from __future__ import annotations

import inspect
import linecache
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from types import FrameType
from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function, forward_ad, gradcheck, gradgradcheck
from torch.overrides import TorchFunctionMode
from torch.utils.checkpoint import CheckpointFunction

from torchopt.autodiff import transforms
from torchopt.autodiff.decompositions import DECOMPOSITIONS
from torchopt.autodiff.exact import HigherOrder
from torchopt.autodiff.tracking import without_hooks
from torchopt.autodiff.transforms import value_of
from torchopt.meta import _comparison
from torchopt.meta._comparison import Comparison
from torchopt.pytree import tree_flatten, tree_unflatten
from torchopt.visual import explain, record
from torchopt.visual.source import TORCHOPT, is_library, line

# What a program that is changed on trial may raise: then the change was none for the better.
_FAILURES = (RuntimeError, ValueError, TypeError, IndexError, AttributeError)
_SHOWN = 3
_TRIED = 20
_LARGE = 10**6


@dataclass(frozen=True)
class Cause:
    """What makes a gradient wrong.

    Attributes:
        kind: ``"operator"``, ``"function"`` (an ``autograd.Function``), ``"checkpoint"``,
            ``"create_graph"``, ``"detach"``, ``"no_grad"``, or what :func:`torchopt.visual.explain`
            calls it.
        where: What it is, and the line of the program.
        advice: What to do.
    """

    kind: str
    where: str
    advice: str

    def __str__(self) -> str:
        return f"{self.where}: {self.advice}."


def find_causes(comparison: Comparison) -> list[Cause]:
    """Return the causes of a wrong gradient; none if no change makes it right.

    Args:
        comparison: The comparison that failed.
    """
    trials: tuple[Callable[[Comparison], list[Cause]], ...]
    if comparison.raised is not None:
        trials = _OF_REFUSED
    elif comparison.is_finite():
        trials = _OF_WRONG
    else:
        trials = _OF_NOT_FINITE
    for trial in trials:
        causes = trial(comparison)
        if causes:
            return causes
    return []


def _is_right(comparison: Comparison, mode: AbstractContextManager[Any]) -> bool:
    """Whether the gradient of the program, run in a mode, is right."""
    try:
        with warnings.catch_warnings(), mode:
            warnings.simplefilter("ignore")
            return comparison.holds()
    except _FAILURES:
        return False


def _needed(
    comparison: Comparison, changes: list[Any], mode: Callable[[list[Any]], Any]
) -> list[Any]:
    """Return a smallest subset of changes that still makes the gradient right."""
    for change in list(changes):
        fewer = [c for c in changes if c is not change]
        if fewer and _is_right(comparison, mode(fewer)):
            changes = fewer
    return changes


# Operators whose derivatives PyTorch has wrong, or lacks.


def _decomposed(comparison: Comparison) -> list[Cause]:
    lines: dict[Any, str] = {}

    def noted(func: Any, rule: Any) -> Any:
        def run(*args: Any, **kwargs: Any) -> Any:
            lines.setdefault(func, _user_line() or "")
            return rule(*args, **kwargs)

        return run

    everything = {func: noted(func, rule) for func, rule in DECOMPOSITIONS.items()}
    if not _is_right(comparison, HigherOrder(everything)):
        return []

    def only(funcs: list[Any]) -> HigherOrder:
        return HigherOrder({func: DECOMPOSITIONS[func] for func in funcs})

    missing = comparison.raised is not None
    what = "has no derivative of this order" if missing else "has a wrong derivative"
    return [
        Cause(
            "operator",
            f"{_called(func, lines[func])} {what} in PyTorch",
            "evaluate it inside `torchopt.higher_order()`",
        )
        for func in _needed(comparison, list(lines), only)
    ]


# Places where values leave the graph.

_ADVICE = {
    "detach": "do not detach where the gradient has to pass",
    "data": "use the tensor itself: `.data` leaves the graph without a word",
    "no_grad": "compute it outside of `torch.no_grad()`",
    "create_graph": "take the inner gradient with create_graph=True",
}
_AS_ASKED = "the library does so where asked to: see `first_order`, `truncate`, `stop_gradient`"
_CUTS = {
    Tensor.detach_: ("detach", "`.detach_()`"),
    Tensor.detach: ("detach", "`.detach()`"),
    torch.detach: ("detach", "`.detach()`"),
    Tensor.data.__get__: ("data", "`.data`"),  # type: ignore[attr-defined]
    transforms.set_grad_enabled: ("no_grad", "`torch.no_grad()`"),
    torch.autograd.grad: ("create_graph", "`autograd.grad` without create_graph=True"),
    Tensor.backward: ("create_graph", "`backward()` without create_graph=True"),
    torch.autograd.backward: ("create_graph", "`backward()` without create_graph=True"),
}


class _Uncut(TorchFunctionMode):
    """Replaces operations that cut values off the graph by forms that do not.

    Args:
        sites: The cuts to replace: pairs of a kind of cut and a line; None for all.
        library: Whether to replace this library's own cuts, too.

    Attributes:
        met: The cuts that were replaced.
    """

    def __init__(
        self, sites: list[tuple[str, str]] | None = None, *, library: bool = False
    ) -> None:
        super().__init__()
        self._sites, self._library = sites, library
        self.met: dict[tuple[str, str], str] = {}

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run an operation, or its form that stays in the graph."""
        kwargs = kwargs or {}
        # Asked by equality: a method of a descriptor is another object each time.
        cut = _CUTS.get(func)
        if cut is None or not _cuts(cut[0], func, args, kwargs):
            return func(*args, **kwargs)
        place = _user_line(strict=not self._library)
        if place is None or (self._sites is not None and (cut[0], place) not in self._sites):
            return func(*args, **kwargs)
        self.met[cut[0], place] = cut[1]
        if cut[0] == "create_graph":
            bound = inspect.signature(func).bind(*args, **kwargs)
            bound.arguments["create_graph"] = True
            return func(*bound.args, **bound.kwargs)
        if cut[0] == "no_grad":
            return None
        return args[0] if func is Tensor.detach_ else args[0].view_as(args[0])


def _cuts(kind: str, func: Any, args: Any, kwargs: Any) -> bool:
    if kind == "no_grad":
        return args[0] is False
    if kind == "create_graph":
        bound = inspect.signature(func).bind(*args, **kwargs)
        return not bound.arguments.get("create_graph")
    return torch.is_grad_enabled()


def _uncut(comparison: Comparison) -> list[Cause]:
    library = partial(_Uncut, library=True)
    return _uncut_by(comparison, _Uncut, _ADVICE) or _uncut_by(
        comparison, library, dict.fromkeys(_ADVICE, _AS_ASKED)
    )


def _uncut_by(
    comparison: Comparison, mode: Callable[..., _Uncut], advice: dict[str, str]
) -> list[Cause]:
    everything = mode()
    right = _is_right(comparison, everything)
    names = everything.met
    sites = list(names)
    if not right:
        # Some may be as they should: one kind after the other, then one line after the other.
        kinds = [[s for s in sites if s[0] == kind] for kind in _ADVICE]
        tries = [t for t in (*kinds, *([s] for s in sites[:_TRIED])) if t and t != sites]
        sufficient = next((t for t in tries if _is_right(comparison, mode(t))), None)
        if sufficient is None:
            return []
        sites = sufficient
    return [
        Cause(site[0], f"{names[site]} at {site[1]} cuts the gradient off", advice[site[0]])
        for site in _needed(comparison, sites, mode)
    ]


def _suspected(comparison: Comparison) -> list[Cause]:
    """Return operations that cut values off and whose replacement did not help or was impossible."""
    mode = _Uncut()
    _is_right(comparison, mode)
    latest = list(reversed(mode.met.items()))[:_SHOWN]
    return [
        Cause(kind, f"{what} at {place} is suspected", f"if it is not on purpose, {_ADVICE[kind]}")
        for (kind, place), what in latest
    ]


# Activation checkpointing.

_CHECKPOINT = Cause(
    "checkpoint",
    "activation checkpointing computes a region again with other values than the first time",
    "call modules by `torchopt.nn.functional_call`, since `torch.func.functional_call` takes the "
    "parameters out again before that, and leave preserve_rng_state=True",
)


def _kept(comparison: Comparison) -> list[Cause]:
    return [_CHECKPOINT] if _is_right(comparison, _KeptActivations()) else []


class _KeptActivations(TorchFunctionMode):
    """Turns checkpointing of activations off, so that saved tensors are kept."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run an operation without hooks on saved tensors."""
        with without_hooks():
            return func(*args, **(kwargs or {}))


# Functions with a backward of their own, and single operators.


@dataclass(frozen=True)
class _Call:
    """A recorded call of a function, to be repeated."""

    function: Callable[..., Any]
    name: str
    place: str
    leaves: list[Any]
    spec: Any
    moving: list[int]
    forward: bool

    @classmethod
    def of(cls, function: Any, name: str, args: Any, kwargs: Any) -> _Call | None:
        leaves, spec = tree_flatten((args, kwargs), none_is_leaf=True)
        moving = [i for i, x in enumerate(leaves) if isinstance(x, Tensor) and _moves(x)]
        tensors = [x for x in leaves if isinstance(x, Tensor)]
        if not moving or sum(x.numel() for x in tensors) > _LARGE:
            return None
        copies = [value_of(x).detach().clone() if isinstance(x, Tensor) else x for x in leaves]
        forward = forward_ad._current_level >= 0
        return cls(function, name, _user_line() or "", copies, spec, moving, forward)

    def wrong_derivative(self) -> str | None:
        """Return the first derivative that is wrong, compared in float64."""
        leaves = [
            x.double() if isinstance(x, Tensor) and x.is_floating_point() else x
            for x in self.leaves
        ]
        point = [leaves[i].requires_grad_() for i in self.moving]

        def value(*moving: Tensor) -> tuple[Tensor, ...]:
            filled = list(leaves)
            for i, t in zip(self.moving, moving, strict=True):
                filled[i] = t
            args, kwargs = tree_unflatten(self.spec, filled)
            out = [y for y in tree_flatten(self.function(*args, **kwargs))[0] if _is_real(y)]
            return tuple(out)

        def tangents(*moving: Tensor) -> tuple[Tensor, ...]:
            with forward_ad.dual_level():
                duals = [forward_ad.make_dual(t, torch.ones_like(t)) for t in moving]
                pairs = map(forward_ad.unpack_dual, value(*duals))
                return tuple(t for _, t in pairs if t is not None)

        check = partial(gradcheck, fast_mode=True, raise_exception=False)
        twice = partial(gradgradcheck, fast_mode=True, raise_exception=False)
        try:
            if self.forward and not check(tangents, point):
                return "the gradient of the forward derivative"
            if not check(value, point):
                return "the first derivative"
            return None if twice(value, point) else "the second derivative"
        except _FAILURES:  # it has no such derivative, and says so
            return None


def _is_real(y: Any) -> bool:
    return isinstance(y, Tensor) and y.is_floating_point()


def _moves(x: Tensor) -> bool:
    wrapped = transforms.is_wrapped(x)
    return x.is_floating_point() and (x.requires_grad or wrapped)


def _alone(comparison: Comparison) -> list[Cause]:
    """Return the first function or operator whose derivative is wrong where it runs alone."""
    functions: dict[Any, _Call | None] = {}
    operators = _Operators()
    with _applied(functions):
        _is_right(comparison, operators)
    if CheckpointFunction in functions:
        return [_CHECKPOINT]
    users = (
        c for f, c in functions.items() if not f.__module__.startswith(("torch.", "torchopt."))
    )
    calls = (
        (users, "function", _OF_TENSORS),
        (operators.calls.values(), "operator", "compute it by other operations"),
    )
    for some, kind, advice in calls:
        for call in some:
            which = call and call.wrong_derivative()
            if call and which:
                where = f"{which} of {_called(call.name, call.place)} is wrong"
                return [Cause(kind, where, advice)]
    return []


_OF_TENSORS = (
    "write its backward with differentiable operations of the tensors that "
    "`ctx.save_for_backward` keeps"
)


@contextmanager
def _applied(calls: dict[Any, _Call | None]) -> Iterator[None]:
    """Record the first call of each ``autograd.Function``, which no mode of PyTorch sees."""
    before, apply = sys.getprofile(), Function.__dict__["apply"].__func__.__code__

    def look(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call" and frame.f_code is apply and frame.f_locals["cls"] not in calls:
            cls, args, kwargs = (frame.f_locals[name] for name in ("cls", "args", "kwargs"))
            with transforms.unseen_by_modes():
                calls[cls] = _Call.of(cls.apply, cls.__name__, args, kwargs)

    sys.setprofile(look)
    try:
        yield
    finally:
        sys.setprofile(before)


class _Operators(TorchFunctionMode):
    """Records one call of each operator for each shape of its arguments."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: dict[Any, _Call | None] = {}

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run an operation, and record it."""
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "")
        ours = getattr(func, "namespace", "") == "torchopt"
        if not (ours or func in DECOMPOSITIONS or name.endswith("_") or name in _NO_OPERATORS):
            leaves, _ = tree_flatten((args, kwargs), none_is_leaf=True)
            shapes = tuple(x.shape if isinstance(x, Tensor) else repr(x) for x in leaves)
            if (func, shapes) not in self.calls and len(self.calls) < 300:
                self.calls[func, shapes] = _Call.of(func, name, args, kwargs)
        return func(*args, **kwargs)


_NO_OPERATORS = {"grad", "backward", "detach", "__get__", "__set__", "requires_grad_", "item"}


# What the graph itself shows.


def _explained(comparison: Comparison) -> list[Cause]:
    program = comparison.program
    try:
        with warnings.catch_warnings(), record() as recording, program.at(program.leaves) as placed:
            warnings.simplefilter("ignore")  # of PyTorch's anomaly mode
            params, inputs = placed
            value = program.output(params, inputs)
            named = dict(zip(program.names, inputs, strict=True))
            findings = explain(value, named, recording=recording)
    except _FAILURES:
        return []
    wrong = [
        f for f in findings if f.cause and (f.name in comparison.wrong or not comparison.wrong)
    ]
    causes = {(f.cause, f.where): Cause(f.cause, f.where, f.advice) for f in reversed(wrong)}
    return list(reversed(causes.values()))


def _called(func: Any, place: str) -> str:
    name = func if isinstance(func, str) else func.__name__
    return f"`{name}`" + (f" at {place}" if place else "")


def _user_line(*, strict: bool = False) -> str | None:
    """Return the line of the program that is running; None in the check itself.

    Args:
        strict: Whether to return None if a frame of this library is between that line and here.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if not is_library(file):
            code = linecache.getline(file, frame.f_lineno, frame.f_globals)
            return line(file, frame.f_lineno, code)
        if file == _comparison.__file__ or (
            strict and file.startswith(TORCHOPT) and file != __file__
        ):
            return None
        frame = frame.f_back
    return None


_OF_WRONG = (_decomposed, _uncut, _kept, _alone, _explained, _suspected)
_OF_NOT_FINITE = (_decomposed, _explained)
_OF_REFUSED = (_decomposed, _kept)
