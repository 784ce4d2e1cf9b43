"""Which option of a program has the library cut the graph off, for recordings of cuts to name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar

from torch.compiler import is_dynamo_compiling

__all__ = ["OPTION", "cutting"]

OPTION: ContextVar[str] = ContextVar("option that cuts", default="")


def cutting(option: str) -> AbstractContextManager[None]:
    """Enclose what the library cuts off the graph because a program asked for it.

    Args:
        option: What it asked for, as written in the program: ``"truncate=2"``.
    """
    return nullcontext() if is_dynamo_compiling() else _named(option)


@contextmanager
def _named(option: str) -> Iterator[None]:
    token = OPTION.set(OPTION.get() or option)
    try:
        yield
    finally:
        OPTION.reset(token)
