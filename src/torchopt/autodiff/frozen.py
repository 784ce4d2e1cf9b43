"""Evaluations whose constants are frozen: which are active, and what they have to be told.

How constants are found and frozen is in :mod:`torchopt.autodiff.freezing`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.overrides import _get_current_function_mode_stack

from torchopt.autodiff.function_mode import BackwardAwareMode


class FrozenEvaluation(BackwardAwareMode):
    """A mode around an evaluation whose constants are recorded or frozen.

    Attributes:
        instead: Advice where constants cannot be frozen: the end of a sentence.
        suspended: Number of nested blocks that are no part of this evaluation.
    """

    instead: str
    suspended = 0

    def note(self, tree: Any) -> None:
        """Take tensors without grad as values that depend on variables."""
        raise NotImplementedError

    def is_noted(self, x: torch.Tensor) -> bool:
        """Whether a tensor depends on variables without a graph."""
        raise NotImplementedError


def active_evaluations() -> list[FrozenEvaluation]:
    """Return the evaluations around, the outermost first."""
    return [
        mode for mode in _get_current_function_mode_stack() if isinstance(mode, FrozenEvaluation)
    ]


def suspend() -> list[FrozenEvaluation]:
    """Suspend the evaluations around; return them for :func:`resume`."""
    watches = active_evaluations()
    for watch in watches:
        watch.suspended += 1
    return watches


def resume(watches: list[FrozenEvaluation]) -> None:
    """Undo :func:`suspend`."""
    for watch in watches:
        watch.suspended -= 1


@contextmanager
def unwatched() -> Iterator[None]:
    """Run a block that is no part of the evaluations around it."""
    outer = suspend()
    try:
        yield
    finally:
        resume(outer)


def watched() -> bool:
    """Whether this is part of an evaluation whose constants are frozen."""
    return any(not watch.suspended for watch in active_evaluations())


def cut(tree: Any) -> None:
    """Tell the evaluations around that tensors depend on variables, though no operation made them."""
    for watch in active_evaluations():
        if not watch.suspended:
            watch.note(tree)


def stand_for(others: Iterable[torch.Tensor], tensors: Iterable[torch.Tensor]) -> None:
    """Tell the evaluations around that tensors have the values of others."""
    watches = active_evaluations()
    for other, t in zip(others, tensors, strict=True) if watches else ():
        for watch in watches:
            if watch.is_noted(other):
                watch.note(t)
