"""The cause of a wrong gradient, by trial: which single change of the program makes it right?"""

from __future__ import annotations

import inspect
import linecache
import sys
import warnings
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from types import FrameType
from typing import Any

import torch
from torch import Tensor
from torch.autograd import forward_ad, gradcheck, gradgradcheck
from torch.autograd.function import BackwardCFunction
from torch.overrides import TorchFunctionMode
from torch.utils.checkpoint import CheckpointFunction

from torchopt.autodiff import transforms
from torchopt.autodiff.decompositions import DECOMPOSITIONS, SPARSE
from torchopt.autodiff.exact import HigherOrder
from torchopt.autodiff.tracking import without_hooks
from torchopt.autodiff.transforms import value_of
from torchopt.diff import OneStep, Solution, ValueFunction, ZeroOrder
from torchopt.diff.problem import InnerProblem, watching
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
            ``"create_graph"``, ``"detach"``, ``"no_grad"``, ``"approximation"`` (by a mode), or what
            :func:`torchopt.visual.explain` calls it.
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
    refused = comparison.raised is not None
    finite = bool(comparison.gradient.isfinite().all())
    causes = _tried(comparison, {"operator"})
    if not causes and finite:
        causes = _tried(comparison, _ADVICE) or _tried(comparison, _ADVICE, library=True)
    if not causes and (finite or refused):
        causes = _tried(comparison, {"checkpoint"})
    if not causes and finite:
        causes = _alone(comparison)
    if not causes and not refused:
        approximate = _approximated(comparison)
        causes = approximate + _suspected(comparison) if approximate else _explained(comparison)
    return causes or (_suspected(comparison) if finite else [])


# Trials.

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
_CHECKPOINT = Cause(
    "checkpoint",
    "activation checkpointing computes a region again with other values than the first time",
    "call modules by `torchopt.nn.functional_call`, since `torch.func.functional_call` takes the "
    "parameters out again before that, and leave preserve_rng_state=True",
)


class _Changed(HigherOrder):
    """Runs a program with some changes, and notes those that it made.

    An operator is decomposed, a value stays in the graph where it is cut off, and activations are kept
    instead of computed again.

    Args:
        kinds: The kinds of changes to make.
        only: Which of these to make; None for all.
        missing: Whether operators are without a derivative, instead of with a wrong one.
        library: Whether to replace this library's own cuts, too.

    Attributes:
        made: What each change says of the program, if that helps.
    """

    def __init__(
        self,
        kinds: Collection[str],
        only: Collection[Any] | None = None,
        *,
        missing: bool = False,
        library: bool = False,
    ) -> None:
        self._kinds, self._only, self._library = kinds, only, library
        self._what = "has no derivative of this order" if missing else "has a wrong derivative"
        self.made: dict[Any, Cause] = {_CHECKPOINT: _CHECKPOINT} if "checkpoint" in kinds else {}
        operators = DECOMPOSITIONS.keys() - SPARSE if "operator" in kinds else set()
        super().__init__({f: partial(self._decompose, f) for f in operators if self._makes(f)})

    def _makes(self, change: Any) -> bool:
        return self._only is None or change in self._only

    def _decompose(self, func: Any, *args: Any, **kwargs: Any) -> Any:
        if func not in self.made:
            where = f"{_called(func, _user_line() or '')} {self._what} in PyTorch"
            self.made[func] = Cause(
                "operator", where, "evaluate it inside `torchopt.higher_order()`"
            )
        return DECOMPOSITIONS[func](*args, **kwargs)

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run an operation, or its form that stays in the graph."""
        kwargs = kwargs or {}
        # Asked by equality: a method of a descriptor is another object each time.
        kind, what = _CUTS.get(func, ("", ""))
        if kind in self._kinds and _cuts(kind, func, args, kwargs):
            own = _user_line(strict=True)
            place = own or (_user_line() if self._library else None)
            if place is not None and self._makes((kind, place)):
                advice = _ADVICE[kind] if own else _AS_ASKED
                where = f"{what} at {place} cuts the gradient off"
                self.made.setdefault((kind, place), Cause(kind, where, advice))
                return _uncut(kind, func, args, kwargs)
        with without_hooks() if "checkpoint" in self._kinds else nullcontext():
            return super().__torch_function__(func, types, args, kwargs)


def _cuts(kind: str, func: Any, args: Any, kwargs: Any) -> bool:
    if kind == "no_grad":
        return args[0] is False
    if kind == "create_graph":
        return not inspect.signature(func).bind(*args, **kwargs).arguments.get("create_graph")
    return torch.is_grad_enabled()


def _uncut(kind: str, func: Any, args: Any, kwargs: Any) -> Any:
    """Do what an operation does, but for its cut."""
    if kind == "create_graph":
        bound = inspect.signature(func).bind(*args, **kwargs)
        bound.arguments["create_graph"] = True
        return func(*bound.args, **bound.kwargs)
    if kind == "no_grad":
        return None
    return args[0] if func is Tensor.detach_ else args[0].view_as(args[0])


def _is_right(comparison: Comparison, mode: AbstractContextManager[Any]) -> bool:
    """Whether the gradient of the program, run in a mode, is right."""
    try:
        with warnings.catch_warnings(), mode:
            warnings.simplefilter("ignore")
            return comparison.holds()
    except _FAILURES:
        return False


def _tried(comparison: Comparison, kinds: Collection[str], *, library: bool = False) -> list[Cause]:
    """Return what a smallest set of changes that makes the gradient right says."""
    missing = comparison.raised is not None
    mode = partial(_Changed, kinds, missing=missing, library=library)
    every = mode()
    changes = [*every.made] if _is_right(comparison, every) else None
    # Some may be as they should: one after the other.
    singles = ([change] for change in [*every.made][:_TRIED])
    changes = changes or next((s for s in singles if _is_right(comparison, mode(s))), [])
    for change in list(changes):
        fewer = [c for c in changes if c is not change]
        if fewer and _is_right(comparison, mode(fewer)):
            changes = fewer
    return [every.made[change] for change in changes]


def _suspected(comparison: Comparison) -> list[Cause]:
    """Return operations that cut values off and whose replacement did not help or was impossible."""
    mode = _Changed(_ADVICE)
    _is_right(comparison, mode)
    latest = list(reversed(mode.made.values()))[:_SHOWN]
    return [
        Cause(
            c.kind,
            c.where.replace("cuts the gradient off", "is suspected"),
            f"if it is not on purpose, {c.advice}",
        )
        for c in latest
    ]


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
            every = tree_flatten(self.function(*args, **kwargs))[0]
            out = [y for y in every if isinstance(y, Tensor) and y.is_floating_point()]
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


def _moves(x: Tensor) -> bool:
    wrapped = transforms.is_wrapped(x)
    return x.is_floating_point() and (x.requires_grad or wrapped)


def _alone(comparison: Comparison) -> list[Cause]:
    """Return the first function or operator whose derivative is wrong where it runs alone."""
    calls = _Calls()
    _is_right(comparison, calls)
    if CheckpointFunction in calls.functions:
        return [_CHECKPOINT]
    for some, kind, advice in (
        (calls.functions, "function", _OF_TENSORS),
        (calls.operators, "operator", "compute it by other operations"),
    ):
        for call in some.values():
            which = call and call.wrong_derivative()
            if call and which:
                where = f"{which} of {_called(call.name, call.place)} is wrong"
                return [Cause(kind, where, advice)]
    return []


_OF_TENSORS = (
    "write its backward with differentiable operations of the tensors that "
    "`ctx.save_for_backward` keeps"
)


class _Calls(TorchFunctionMode):
    """Records one call of each ``autograd.Function``, and of each operator for each shape.

    A profiler shows the functions, which no mode sees: what they are given is what their ``forward`` or
    ``setup_context`` is given.
    """

    def __init__(self) -> None:
        super().__init__()
        self.functions: dict[Any, _Call | None] = {}
        self.operators: dict[Any, _Call | None] = {}

    def __enter__(self) -> _Calls:
        self._before = sys.getprofile()
        sys.setprofile(self._look)
        return super().__enter__()

    def __exit__(self, *exception: object) -> None:
        sys.setprofile(self._before)
        super().__exit__(*exception)

    def _look(self, frame: FrameType, event: str, argument: Any) -> None:
        name = frame.f_code.co_name
        if event != "call" or name not in ("forward", "setup_context"):
            return
        names, others, _, given = inspect.getargvalues(frame)
        ctx: Any = None
        ctx, *args = [*(given[n] for n in names), *(given[others] if others else ())] or [None]
        if not isinstance(ctx, BackwardCFunction):
            return
        cls = vars(type(ctx))["_forward_cls"]
        known = cls in self.functions or cls.__module__.startswith(("torch.", "torchopt."))
        if not known or cls is CheckpointFunction:
            args = args if name == "forward" else args[0]
            with transforms.unseen_by_modes():
                self.functions[cls] = _Call.of(cls.apply, cls.__name__, args, {})

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run an operation, and record it."""
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "")
        ours = getattr(func, "namespace", "") == "torchopt"
        if not (ours or func in DECOMPOSITIONS or name.endswith("_") or name in _NO_OPERATORS):
            leaves, _ = tree_flatten((args, kwargs), none_is_leaf=True)
            shapes = tuple(x.shape if isinstance(x, Tensor) else repr(x) for x in leaves)
            if (func, shapes) not in self.operators and len(self.operators) < 300:
                self.operators[func, shapes] = _Call.of(func, name, args, kwargs)
        return func(*args, **kwargs)


_NO_OPERATORS = {"grad", "backward", "detach", "__get__", "__set__", "requires_grad_", "item"}


# What the graph itself shows.


def _approximated(comparison: Comparison) -> list[Cause]:
    """Return the modes of the program whose derivative is an approximation."""
    found: dict[str, Cause] = {}

    def solve(mode: Any, problem: InnerProblem) -> Solution:
        if isinstance(mode, (OneStep, ValueFunction, ZeroOrder)):
            where = f"`{mode}` at {_user_line()} gives an approximate derivative"
            found[where] = Cause(
                "approximation", where, "allow its error by `rtol=`, or use `diff.Implicit()`"
            )
        return mode.differentiate(problem)

    _is_right(comparison, watching(solve))
    return list(found.values())


def _explained(comparison: Comparison) -> list[Cause]:
    program = comparison.program
    try:
        with warnings.catch_warnings(), record() as recording, program.at(program.x) as params:
            warnings.simplefilter("ignore")  # of PyTorch's anomaly mode
            value = program.output(params)
            names = [name for name, _ in program.leaves]
            named = dict(zip(names, program.inputs(params), strict=True))
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
    between = False
    while frame is not None and frame.f_code.co_filename != _comparison.__file__:
        file = frame.f_code.co_filename
        if not is_library(file):
            code = linecache.getline(file, frame.f_lineno, frame.f_globals)
            return None if strict and between else line(file, frame.f_lineno, code)
        # A mode of the library sees what the user's line calls.
        between = frame.f_code.co_name != "__torch_function__" and (
            between or (file.startswith(TORCHOPT) and file != __file__)
        )
        frame = frame.f_back
    return None
