"""Errors in functions of a program: a note on where these were called, and no frames of the library.

A *door* is where such an error leaves the library: a solve, or a backward pass. It calls :func:`trim`,
and raises again. Without an error nothing is done, nor kept.
"""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FrameType, TracebackType

import torch

from torchopt.autodiff.compiling import uncompiled

#: The library's functions that call one of a program, by the identity of their code (that of compiled
#: code has no hash); each with a function that returns the note, from the frame of the call and words
#: for the step.
CALLS: dict[int, Callable[[FrameType, str], str]] = {}
#: The library's functions that do steps, with the name of the variable that counts them, there or in
#: what they call; the number of an earlier entry goes before that of a later one.
STEPS: dict[CodeType, str] = {}

_OURS = str(Path(__file__).parents[1]) + os.sep
_BETWEEN = (
    _OURS,
    str(Path(torch.__file__).parent) + os.sep,
    contextlib.__file__,
    functools.__file__,
)
_MODES = ("__torch_function__", "__torch_dispatch__")
_NOTED = "_torchopt_noted"


@uncompiled
def trim(error: Exception, *, skip: int = 0) -> None:
    """Leave the library's frames between a door and a program's function out, and add a note.

    Where the library raised the error itself, and with ``TORCHOPT_TRACEBACK=full``, the frames stay.

    Args:
        error: The error, of any origin. Its traceback is changed below the door, which is its first
            entry.
        skip: How many entries are above the door: one in a context manager.
    """
    door, *entries = [*_entries(error.__traceback__)][skip:]
    call, there = _call(entries)
    noted = getattr(error, "__dict__", {}).get(_NOTED)  # by a door further in
    if call is not None and noted != id(frame := entries[call].tb_frame):
        with contextlib.suppress(Exception):  # Python 3.10 has no notes, a frozen error takes none
            vars(error)[_NOTED] = id(frame)
            error.add_note(CALLS[id(frame.f_code)](frame, _step(entries[:call])))  # type: ignore[attr-defined]
    elif noted is None:
        return
    if os.environ.get("TORCHOPT_TRACEBACK") == "full":
        return
    kept = [e for e in entries[:there] if not _is(e, _BETWEEN)]
    kept += [
        e for e, ours in zip(entries[there:], _of_modes(entries[there:]), strict=True) if not ours
    ]
    for entry, below in zip([door, *kept], [*kept, None], strict=True):
        entry.tb_next = below


@contextlib.contextmanager
def door() -> Iterator[None]:
    """Enclose what errors leave the library from; see :func:`trim`."""
    try:
        yield
    except Exception as error:
        trim(error, skip=1)
        raise


def _entries(entry: TracebackType | None) -> Iterator[TracebackType]:
    while entry is not None:
        yield entry
        entry = entry.tb_next


def _is(entry: TracebackType, paths: tuple[str, ...]) -> bool:
    return entry.tb_frame.f_code.co_filename.startswith(paths)


def _call(entries: list[TracebackType]) -> tuple[int | None, int]:
    """Return where the outermost function of a program is called, if it is, and its first frame."""
    call = None
    for k, entry in enumerate(entries):
        if id(entry.tb_frame.f_code) in CALLS:
            call = k
        elif call is not None and not _is(entry, _BETWEEN):
            return call, k
    if call is None:  # what a door further in has left
        foreign = (k for k, entry in enumerate(entries) if not _is(entry, _BETWEEN))
        return None, next(foreign, 0)
    # It has no frame, or is PyTorch's own.
    own = (k for k in range(call, len(entries)) if not _is(entries[k], (_OURS,)))
    return call, next(own, len(entries))


def _of_modes(entries: list[TracebackType]) -> Iterator[bool]:
    """Yield whether an entry is of a mode of ours that passes an operation of the program on."""
    inside = False
    for entry in entries:
        inside = _is(entry, (_OURS,)) and (inside or entry.tb_frame.f_code.co_name in _MODES)
        yield inside


def _step(entries: list[TracebackType]) -> str:
    """Return words for the step in which a function is called."""
    for code, name in STEPS.items():
        for k, entry in enumerate(entries):
            if entry.tb_frame.f_code is code:
                for frame in (e.tb_frame for e in entries[k : k + 2]):
                    if isinstance(number := frame.f_locals.get(name), int):
                        return f" at step {number}"
    return ""
