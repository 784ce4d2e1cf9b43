"""Whether code is being traced, where no value is known, and what waits until it has run."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import torch

from torchopt.autodiff import transforms


class Trace:
    """What is known of code while it is traced.

    Attributes:
        checks: Functions of tensors, to be called with their values, and these tensors.
        depth: The number of loops around.
    """

    def __init__(self) -> None:
        self.checks: list[tuple[Callable[..., None], Sequence[torch.Tensor]]] = []
        self.depth = 0


class _Current(threading.local):
    trace: Trace | None = None


_CURRENT = _Current()


def tracing() -> bool:
    """Whether code is being traced, so that no value of a tensor is known."""
    return _CURRENT.trace is not None


def current() -> Trace | None:
    """Return the trace that is open, if code is being traced."""
    return _CURRENT.trace


@contextmanager
def traced() -> Iterator[Trace]:
    """Trace code in this block for :func:`torchopt.autodiff.loop_tracing.lower`."""
    before, _CURRENT.trace = _CURRENT.trace, Trace()
    try:
        yield _CURRENT.trace
    finally:
        _CURRENT.trace = before


def when_known(check: Callable[..., None], *tensors: torch.Tensor, optional: bool = False) -> None:
    """Call a function with tensors: now, or with their values when traced code has run.

    Args:
        check: The function, which may raise or warn.
        tensors: What it is called with; in traced code, the plain tensors below ``vmap``.
        optional: Whether it may be left out within a loop of traced code.
    """
    trace = _CURRENT.trace
    if trace is None:
        check(*tensors)
    elif not trace.depth:
        trace.checks.append((check, [transforms.values_of(t) for t in tensors]))
    elif not optional:
        raise RuntimeError("a solve within a loop warns or raises, which looks at values")
