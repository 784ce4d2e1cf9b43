"""Finds out whether a function detaches values: a finite difference would move what autograd holds.

For autograd, the results of ``detach()``, ``torch.no_grad()``, ``item()``, a comparison or ``argmax``
are constants. Where the function goes on with one, no difference is taken.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import FrameType
from typing import Any, NoReturn

import torch
import torch.nn.functional as F
from torch.overrides import _get_current_function_mode_stack
from torch.utils.weak import WeakTensorKeyDictionary

from torchopt.autodiff import decompositions
from torchopt.autodiff.decompositions.normalization import written_statistics
from torchopt.autodiff.function_mode import BackwardAwareMode, unseen
from torchopt.autodiff.graph import memory_of, nodes_reached
from torchopt.autodiff.second_order import is_foreign
from torchopt.autodiff.transforms import requires_grad, unseen_by_modes, value_of
from torchopt.pytree import tree_flatten

_T = torch.Tensor
# They return what Python computes with.
_READINGS = {
    *(_T.item, _T.tolist, _T.numpy, _T.__array__, _T.__bool__, _T.__float__, _T.__int__),
    *(_T.__index__, _T.__complex__, _T.__contains__, _T.equal, torch.equal),
    *(_T.allclose, torch.allclose, _T.is_nonzero, torch.is_nonzero),
}
# They look at the shape or the dtype of a tensor: of the first, and of the second.
_SHAPE_ONLY = {
    *(torch.zeros_like, torch.ones_like, torch.empty_like, torch.full_like),
    *(torch.rand_like, torch.randn_like, torch.randint_like),
    *(_T.new_zeros, _T.new_ones, _T.new_empty, _T.new_full),
}
_LIKE = {_T.to, _T.type_as}
_MARKS = {_T.requires_grad_, _T.requires_grad.__set__}  # type: ignore[attr-defined]
_STATISTICS = {F.batch_norm, torch.batch_norm, F.instance_norm, torch.instance_norm}
_WRITES = {"__setitem__", "__iand__", "__ior__", "__ixor__", "__ilshift__", "__irshift__"}


class RefuseDetached(BackwardAwareMode):
    """Raises where an evaluation goes on with a value that depends on variables without a graph.

    Args:
        instead: What to do: the end of a sentence.
    """

    def __init__(self, instead: str = 'use `hvp="reverse"`') -> None:
        super().__init__()
        self._instead = instead
        # Whether each shares its memory with what is differentiated.
        self._detached: WeakTensorKeyDictionary = WeakTensorKeyDictionary()

    def is_detached(self, x: torch.Tensor) -> bool:
        """Whether a tensor depends on variables without a graph."""
        # One that was detached outside of a transform has a wrapper inside.
        return not requires_grad(x) and (x in self._detached or value_of(x) in self._detached)

    def refuse(self) -> NoReturn:
        """Raise what is to be done instead."""
        raise RuntimeError(
            "finite differences would move a value that autograd holds constant: the objective "
            "detaches it, or reads it as a number, and goes on with it (a solver inside of the "
            f"objective does so, too): {self._instead}."
        )

    def refuse_saved(self, output: torch.Tensor) -> None:
        """Refuse custom functions that have saved what is detached, which no mode sees."""
        for node in nodes_reached([output]):
            if is_foreign(node.__class__) and any(
                t is not None and self.is_detached(t) for t in node.saved_tensors
            ):
                self.refuse()

    def visit(self, func: Any, args: Any, kwargs: Any) -> Any:
        """Run an operation, unless it goes on with what is detached."""
        with unseen_by_modes():
            tensors = _tensors((args, kwargs))
            tensors = tensors[1:] if func in _SHAPE_ONLY else tensors
            tensors = tensors[:1] if func in _LIKE else tensors
            tracked = any(map(requires_grad, tensors))
            detached = [t for t in tensors if self.is_detached(t)]
            moving = tracked or bool(detached)
            target = _written(func, args, kwargs) if moving else []
            if func in _STATISTICS:  # which are not read where they are written to
                detached = [t for t in detached if all(t is not w for w in target)]
            if moving and self._goes_on(func, tracked, detached, target):
                self.refuse()
        out = self.run(func, args, kwargs)
        if moving:
            with unseen_by_modes():
                self._note(tensors, [*_tensors(out), *target], target)
        return out

    def _note(
        self, given: list[torch.Tensor], results: list[torch.Tensor], target: list[torch.Tensor]
    ) -> None:
        """Note results without a graph that depend on variables."""
        # By memory: whether it depends on variables, and whether it is differentiated.
        known: dict[int, tuple[bool, bool]] = {}
        for t in given:
            shares = requires_grad(t) or bool(self._detached.get(t))
            moves, shared = known.get(_memory(t), (False, False))
            known[_memory(t)] = moves or shares or self.is_detached(t), shared or shares
        for t in results:
            moves, shares = known.get(_memory(t), (True, False))  # a view has its base's values
            if requires_grad(t) or not (moves or any(t is x for x in target)):
                continue
            # Masks of decompositions change nothing.
            if t.is_floating_point() or not _within(_is_decomposition):
                self._detached[t] = shares

    def _goes_on(
        self, func: Any, tracked: bool, detached: list[torch.Tensor], target: list[torch.Tensor]
    ) -> bool:
        if func in _READINGS:
            return not (self.backward or _in_custom_forward())
        if func in _MARKS:
            return bool(detached)
        if any(self._detached.get(t) for t in target):  # what is differentiated is written to
            return True
        if torch.is_grad_enabled():
            return tracked and bool(detached)
        return any(map(requires_grad, target))


def watched() -> bool:
    """Whether this is part of an evaluation that must not detach."""
    modes = _get_current_function_mode_stack()
    return any(isinstance(m, RefuseDetached) and not m.blind for m in modes)


def unwatched() -> AbstractContextManager[None]:
    """Run a block that may detach."""
    return unseen(RefuseDetached)


def _within(which: Callable[[FrameType], bool]) -> bool:
    """Whether one of the functions that are running is such."""
    frame = inspect.currentframe()
    while frame is not None:
        if which(frame):
            return True
        frame = frame.f_back
    return False


def _in_custom_forward() -> bool:
    """Whether the forward pass of a custom function runs, which may compute outside of PyTorch."""
    functions = [*torch.autograd.Function.__subclasses__()]
    for function in functions:
        functions += function.__subclasses__()
    theirs = [f.forward for f in functions if not f.__module__.startswith("torchopt")]
    codes = {getattr(forward, "__code__", None) for forward in theirs}
    return _within(lambda frame: frame.f_code in codes)


def _is_decomposition(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__")).startswith(decompositions.__name__)


def _memory(t: torch.Tensor) -> int:
    return memory_of(value_of(t))


def _tensors(tree: Any) -> list[torch.Tensor]:
    return [x for x in tree_flatten(tree, none_is_leaf=True)[0] if isinstance(x, torch.Tensor)]


def _written(func: Any, args: Any, kwargs: Any) -> list[torch.Tensor]:
    """Return the tensors that an operation writes to."""
    name: str = getattr(func, "__name__", "")
    out = _tensors(kwargs.get("out")) if kwargs else []
    if func in _STATISTICS:
        out += written_statistics(func, args, kwargs)
    if (name.endswith("_") and not name.endswith("__")) or name in _WRITES:
        out += _tensors(args[0])
    return out
