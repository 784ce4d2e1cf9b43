"""Warnings at the line of the user."""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Iterator
from types import FrameType
from typing import Any

from torchopt.errors import TorchOptWarning


def warn(text: str, category: type[Warning] = TorchOptWarning, **numbers: Any) -> None:
    """Warn at the line of the user that led here; once for each line, by Python's default filter.

    That line is in the innermost frame that is not the library's, PyTorch's or the standard library's.
    The backward pass of a GPU runs in a thread without such a frame: there it is that of the thread
    that waits for it. In any other thread without one it is that of the main thread.

    Args:
        text: What is wrong and what to do. It holds nothing that differs from call to call, since
            Python tells warnings that were given by their text.
        category: The class of the warning.
        **numbers: Attributes of the warning.
    """
    warning = category(text)
    vars(warning).update(numbers)
    frame = users_frame()
    names = frame.f_globals
    warnings.warn_explicit(
        warning,
        category,
        frame.f_code.co_filename,
        frame.f_lineno,
        names.get("__name__") or "<string>",
        names.setdefault("__warningregistry__", {}),
    )


# In code that is compiled it is called while that is traced: what
# `torch.compiler.assume_constant_result` does, without importing the compiler.
warn._dynamo_marked_constant = True  # type: ignore[attr-defined]

_LIBRARIES = sys.stdlib_module_names | {"functorch", "optree", "torch", "torchopt"}


def users_frame() -> FrameType:
    """Return the frame of the user that led here; see :func:`warn`."""
    here = sys._getframe(1)
    for frame in _stack(here):
        if _is_users(frame):
            return frame
    # Without this thread: a frame that holds itself keeps the tensors of all callers.
    me = threading.get_ident()
    for top in [top for thread, top in sys._current_frames().items() if thread != me]:
        frames = list(_stack(top))
        names = [frame.f_code.co_name for frame in frames]
        if "_engine_run_backward" in names:  # of `torch.autograd.graph`
            for frame in frames[names.index("_engine_run_backward") :]:
                if _is_users(frame):
                    return frame
    # A thread that runs a function of the library itself.
    main = sys._current_frames().get(threading.main_thread().ident or me)
    return next(filter(_is_users, _stack(main)), here)


def _stack(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def _is_users(frame: FrameType) -> bool:
    if frame.f_code.co_filename.startswith("<eval_with_key>"):  # made by `torch.fx`
        return False
    name = frame.f_globals.get("__name__") or ""
    return name.partition(".")[0] not in _LIBRARIES
