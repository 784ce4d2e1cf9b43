"""Values that a function detaches from the graph, frozen while it is evaluated at other points.

For autograd, the results of ``detach()``, ``torch.no_grad()``, ``item()``, a comparison or ``argmax``
are constants. A finite difference of the same function would move them. So the operations that read
such values together with variables are recorded at one point, and get the same values at others.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, NamedTuple, NoReturn, TypeVar

import torch
import torch.nn.functional as F
from torch.utils.weak import WeakTensorKeyDictionary

from torchopt.autodiff.decompositions.normalization import NAMES
from torchopt.autodiff.frozen import (
    FrozenEvaluation,
    active_evaluations,
    resume,
    suspend,
)
from torchopt.autodiff.transforms import value_of
from torchopt.pytree import flattening as pytree
from torchopt.pytree import tree_flatten

_Result = TypeVar("_Result")
_T = torch.Tensor
# They return what Python computes with.
_READINGS = {
    *(_T.item, _T.tolist, _T.numpy, _T.__array__, _T.__bool__, _T.__float__, _T.__int__),
    *(_T.__index__, _T.__complex__, _T.__contains__, _T.equal, torch.equal),
    *(_T.allclose, torch.allclose, _T.is_nonzero, torch.is_nonzero),
}
# They look at the shape of their only tensor.
_SHAPE_ONLY = {
    *(torch.zeros_like, torch.ones_like, torch.empty_like, torch.full_like),
    *(torch.rand_like, torch.randn_like, torch.randint_like),
    *(_T.new_zeros, _T.new_ones, _T.new_empty, _T.new_full),
}
_MARKS = {_T.requires_grad_, _T.requires_grad.__set__}  # type: ignore[attr-defined]
_STATISTICS = {F.batch_norm, torch.batch_norm, F.instance_norm, torch.instance_norm}
_WRITES = {"__setitem__", "__iand__", "__ior__", "__ixor__", "__ilshift__", "__irshift__"}


class CannotFollowError(RuntimeError):
    """A function does what cannot be held constant."""


class _Event(NamedTuple):
    """An operation that reads constants together with variables, and the values of the constants."""

    function: Any
    values: list[Any]


class FrozenConstants:
    """The constants of a function, in the order in which it reads them.

    Args:
        instead: Advice where they cannot be frozen: the end of a sentence.

    Attributes:
        events: The recorded constants.
    """

    def __init__(self, instead: str = 'use `hvp="reverse"`') -> None:
        self.instead = instead
        self.events: list[_Event] = []

    def recording(self) -> FreezingMode:
        """Record the constants of an evaluation."""
        self.events = []
        return FreezingMode(self, record=True)

    def held(
        self, evaluate: Callable[[FreezingMode], _Result], centre: Callable[[FreezingMode], Any]
    ) -> _Result:
        """Return an evaluation at another point, with the constants of the centre.

        The centre is evaluated only if a first evaluation elsewhere shows that there are any.

        Args:
            evaluate: Evaluates the function in a mode at the other point.
            centre: Evaluates it in a mode at the centre.
        """
        if not self.events:
            out = evaluate(self.recording())
            if not self.events:
                return out
            centre(self.recording())
        return evaluate(self.holding())

    def holding(self) -> FreezingMode:
        """Evaluate the function at another point, with the recorded constants."""
        return FreezingMode(self, record=False)


class FreezingMode(FrozenEvaluation):
    """Records the constants of an evaluation, or replaces them by recorded ones.

    Args:
        cuts: The constants to write or to read.
        record: Whether to record.

    Attributes:
        made: Leaves that require grad and that the function made.
        cut: Whether one of these depends on other tensors.
        around: Evaluations around this one, whose variables count as variables here.
    """

    def __init__(self, cuts: FrozenConstants, *, record: bool) -> None:
        super().__init__()
        self.made: dict[int, torch.Tensor] = {}
        self.cut = False
        self.around: Sequence[FrozenEvaluation] = ()
        self.instead = cuts.instead
        self._cuts = cuts
        self._record = record
        self._count = 0
        self._ended = False
        self._outer: list[list[FrozenEvaluation]] = []
        self._level = torch._C._functorch.maybe_current_level() or 0
        # Values that depend on variables without a graph, and whether they share memory with one.
        self._values: WeakTensorKeyDictionary = WeakTensorKeyDictionary()
        self._instead: WeakTensorKeyDictionary = WeakTensorKeyDictionary()
        self._copies: WeakTensorKeyDictionary = WeakTensorKeyDictionary()

    def __enter__(self) -> FreezingMode:
        self._outer.append(suspend())
        super().__enter__()
        return self

    def __exit__(self, *exception: Any) -> None:
        super().__exit__(*exception)
        resume(self._outer.pop())

    @property
    def _closed(self) -> bool:
        return self._ended or self.backward > 0

    def close(self) -> None:
        """End the evaluation; only its backward pass follows."""
        self._ended = True
        if not self._record and self._count < len(self._cuts.events):
            self._raise_other_order()

    def visit(self, func: Any, args: Any, kwargs: Any) -> Any:
        """Run an operation, on the frozen values where it reads constants."""
        if self.suspended:
            return func(*args, **kwargs)
        with torch._C.DisableTorchFunction():
            leaves, spec = tree_flatten((args, kwargs), none_is_leaf=True)
            if self._instead:
                leaves = [self._instead.get(x, x) if _is_tensor(x) else x for x in leaves]
                args, kwargs = pytree.unflatten(spec, leaves)
            tensors = [x for x in leaves if _is_tensor(x)]
            tracked = any(map(self._requires_grad, tensors))
            values = [x for x in tensors if not self._requires_grad(x) and self.is_noted(x)]
            moving = tracked or bool(values)
            target = _written(func, args, kwargs) if moving else []
            if func in _STATISTICS:  # which are not read where they are written to
                values = [x for x in values if all(x is not t for t in target)]
            meet = bool(tracked and values and torch.is_grad_enabled())
        if not moving:
            out = self.run(func, args, kwargs)
            with torch._C.DisableTorchFunction():
                self._note_leaves(out, tensors)
                if func in _MARKS:
                    self._note_leaves(args[0], ())
            return out
        if func in _READINGS:
            return self._read(func, args, kwargs)
        if func in _MARKS:
            return self._mark(func, args, kwargs)
        if any(self._values.get(t) for t in target):
            raise CannotFollowError(
                f"the objective writes to a detached tensor that shares its memory with what is "
                f"differentiated, which finite differences cannot follow: `clone()` it first, or "
                f"{self.instead}."
            )
        if meet:
            leaves = self._meet(func, leaves, values, target)
            args, kwargs = pytree.unflatten(spec, leaves)
        out = self.run(func, args, kwargs)
        if target and not torch.is_grad_enabled() and not self._closed:
            self._hold_written(func, target)
        with torch._C.DisableTorchFunction():
            self._note_results(func, out, tensors, target)
        return out

    def is_noted(self, x: torch.Tensor) -> bool:
        """Whether a tensor depends on variables without a graph."""
        # One that was noted outside of a transform has a wrapper inside.
        noted = x in self._values or value_of(x) in self._values
        return noted or any(watch.is_noted(x) for watch in self.around)

    def note(self, tree: Any) -> None:
        """Take tensors without grad as values that depend on variables."""
        for t in tree_flatten(tree, none_is_leaf=True)[0]:
            if _is_tensor(t) and not self._requires_grad(t):
                self._values.setdefault(t, False)

    def _requires_grad(self, tensor: torch.Tensor) -> bool:
        if self._level:
            # Of a transform inside of the function: what those around differentiate stays as it is.
            inside = torch._C._functorch.maybe_get_level(tensor) > self._level
            return bool(inside and tensor.requires_grad)
        if tensor.requires_grad:
            return True
        return bool(
            torch._C._functorch.is_functorch_wrapped_tensor(tensor)
            and value_of(tensor).requires_grad
        )

    def _event(self, func: Any, values: Callable[[], list[Any]]) -> list[Any]:
        """Record the values of constants, or return the recorded ones."""
        if self._record:
            present = values()
            self._cuts.events.append(_Event(func, present))
            return present
        events = self._cuts.events
        if self._count >= len(events) or events[self._count].function is not func:
            self._raise_other_order()
        self._count += 1
        return events[self._count - 1].values

    def _read(self, func: Any, args: Any, kwargs: Any) -> Any:
        value = func(*args, **kwargs)
        if self._closed or _in_custom_forward():
            return value
        (held,) = self._event(func, lambda: [copy.deepcopy(value)])
        return copy.deepcopy(held)

    def _mark(self, func: Any, args: Any, kwargs: Any) -> Any:
        tensor = args[0]
        if tensor in self._values and not tensor.requires_grad and not self._closed:
            self.cut = True
            (held,) = self._event(func, lambda: [tensor.detach().clone()])
            if not self._record:
                # Another tensor: this one may share memory that must not be written to.
                self._instead[tensor] = held.clone()
                args = (self._instead[tensor], *args[1:])
        out = func(*args, **kwargs)
        with torch._C.DisableTorchFunction():
            self._note_leaves(args[0], ())
        return out

    def _meet(
        self, func: Any, leaves: list[Any], values: list[torch.Tensor], target: list[torch.Tensor]
    ) -> list[Any]:
        if self._closed:
            raise CannotFollowError(
                f"the objective detaches something in a part that the backward pass computes again "
                f"(activation checkpointing), which finite differences cannot follow: "
                f"{self.instead}."
            )
        if any(torch._C._functorch.is_functorch_wrapped_tensor(t) for t in values):
            raise CannotFollowError(
                f"the objective detaches something inside of a transform of `torch.func`, which finite "
                f"differences cannot follow: {self.instead}."
            )
        held = self._event(func, lambda: [self._copy(t) for t in values])
        if self._record:
            return leaves
        if [h.shape for h in held] != [t.shape for t in values]:
            self._raise_other_order()
        table = {id(t): h for t, h in zip(values, held, strict=True)}
        for t in target:
            if id(t) in table:
                with torch.no_grad():
                    t.copy_(table.pop(id(t)))
        return [table.get(id(x), x) for x in leaves]

    def _raise_other_order(self) -> NoReturn:
        raise CannotFollowError(
            f"the objective does other operations at a nearby point, so that finite differences cannot "
            f"hold constant what it detaches: {self.instead}."
        )

    def _copy(self, tensor: torch.Tensor) -> torch.Tensor:
        known = self._copies.get(tensor)
        if known is None or known[0] != tensor._version:
            known = self._copies[tensor] = (tensor._version, tensor.detach().clone())
        return known[1]

    def _hold_written(self, func: Any, target: list[torch.Tensor]) -> None:
        for t in target:
            if not t.requires_grad:
                continue
            if id(t) not in self.made:
                raise CannotFollowError(
                    f"the objective writes under `torch.no_grad()` to a tensor of shape "
                    f"{tuple(t.shape)} that is differentiated, which finite differences cannot "
                    f"follow: compute a new tensor, or {self.instead}."
                )
            (held,) = self._event(func, lambda t=t: [t.detach().clone()])  # type: ignore[misc]
            if not self._record:
                t.copy_(held)

    def _note_results(
        self, func: Any, out: Any, tensors: list[torch.Tensor], target: list[torch.Tensor]
    ) -> None:
        for t in target:
            if not self._requires_grad(t):
                self._values.setdefault(t, False)
        self._note_leaves(out, tensors)
        if func in _SHAPE_ONLY and len(tensors) == 1:
            return
        sharing = [t for t in tensors if self._requires_grad(t) or self._values.get(t)]
        for y in tree_flatten(out, none_is_leaf=True)[0]:
            if _is_tensor(y) and not self._requires_grad(y):
                self._values[y] = any(_share_memory(y, t) for t in sharing)

    def _note_leaves(self, out: Any, given: Any) -> None:
        for y in tree_flatten(out, none_is_leaf=True)[0]:
            if _is_tensor(y) and y.requires_grad and y.is_leaf and not any(y is t for t in given):
                self.made[id(y)] = y


def evaluated_equation() -> AbstractContextManager[None]:
    """Enclose an evaluation of the equation of an inner problem, which is solved anew at other points.

    Raises:
        RuntimeError: At its end, if the equation has constants and is part of an evaluation whose
            constants are frozen.
    """
    around = [watch for watch in active_evaluations() if not watch.suspended]
    return _free_of_cuts(around) if around else nullcontext()


@contextmanager
def _free_of_cuts(around: list[FrozenEvaluation]) -> Iterator[None]:
    cuts = FrozenConstants()
    with cuts.recording() as watch:
        watch.around = around
        yield
    if cuts.events:
        raise CannotFollowError(
            f"a problem that is solved inside of the objective detaches something, or reads it as a "
            f"number, which finite differences cannot follow: {around[-1].instead}."
        )


def _in_custom_forward() -> bool:
    """Whether the forward pass of a custom function runs, which may compute outside of PyTorch."""
    frame = inspect.currentframe()
    while frame is not None:
        if frame.f_code is _APPLY and not frame.f_locals["cls"].__module__.startswith("torchopt"):
            return True
        frame = frame.f_back
    return False


_APPLY = vars(torch.autograd.Function)["apply"].__func__.__code__


def _is_tensor(x: Any) -> bool:
    return isinstance(x, torch.Tensor)


def _written(func: Any, args: Any, kwargs: Any) -> list[torch.Tensor]:
    """Return the tensors that an operation writes to."""
    name: str = getattr(func, "__name__", "")
    out = tree_flatten(kwargs.get("out"))[0] if kwargs else []
    if func in _STATISTICS:  # PyTorch (2.13) does not count this as a new version
        given = dict(zip(NAMES[func], args, strict=False)) | kwargs
        if given.get("training", given.get("use_input_stats", func is F.instance_norm)):
            out = [*out, given.get("running_mean"), given.get("running_var")]
    if (name.endswith("_") and not name.endswith("__")) or name in _WRITES:
        out = [*out, *tree_flatten(args[0])[0]]
    return [t for t in out if _is_tensor(t)]


def _share_memory(a: torch.Tensor, b: torch.Tensor) -> bool:
    if any(
        t.layout != torch.strided or torch._C._functorch.is_functorch_wrapped_tensor(t)
        for t in (a, b)
    ):
        return False
    return bool(a.untyped_storage()._cdata == b.untyped_storage()._cdata)
