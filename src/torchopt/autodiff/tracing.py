"""What is known of values: not in traced code, and on a device only by waiting, once for several."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeAlias

import torch

from torchopt.autodiff import transforms

_Checks: TypeAlias = list[tuple[Callable[..., None], Sequence[torch.Tensor]]]


class Trace:
    """What is known of code while it is traced.

    Attributes:
        checks: Functions of tensors, to be called with their values, and these tensors.
        depth: The number of loops around.
    """

    def __init__(self) -> None:
        self.checks: _Checks = []
        self.depth = 0


class _Current(threading.local):
    trace: Trace | None = None
    pending: _Checks | None = None


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
    """Call a function with tensors: now, or with their values when these are known.

    Those of traced code are when it has run; those on a device with the next that are :func:`read`,
    but inside ``torch.func`` now.

    Args:
        check: The function, which may raise or warn.
        tensors: What it is called with, of a few numbers each; if not now, the plain tensors below
            ``vmap``, without a graph.
        optional: Whether it may be left out within a loop of traced code.
    """
    trace = _CURRENT.trace
    if trace is None:
        # A value of a transform of `torch.func` would be read when that may have ended.
        if transforms.current_level() or all(t.device.type == "cpu" for t in tensors):
            check(*tensors)
            return
        with gathered() as pending:
            pending.append((check, [transforms.values_of(t) for t in tensors]))
    elif not trace.depth:
        trace.checks.append((check, [transforms.values_of(t) for t in tensors]))
    elif not optional:
        raise RuntimeError("a solve within a loop warns or raises, which looks at values")


@contextmanager
def gathered(*, apart: bool = False) -> Iterator[_Checks]:
    """Let the checks of this block wait for values that are read anyway, at the latest for its end.

    Args:
        apart: Whether they do not wait for the end of a block around it, which handles their errors.
    """
    around = _CURRENT.pending
    if around is not None and not apart:
        yield around
        return
    _CURRENT.pending = []
    try:
        yield _CURRENT.pending
    finally:  # an error that came of what a check finds is the check's
        try:
            read()
        finally:
            _CURRENT.pending = around


def read(*tensors: torch.Tensor) -> list[torch.Tensor]:
    """Return plain tensors of a few numbers on the CPU, and do the checks that wait, by one wait."""
    if tensors and all(t.device.type == "cpu" for t in tensors):
        return list(tensors)
    if pending := _CURRENT.pending or []:
        _CURRENT.pending = []
    values = _on_host([*tensors, *(t for _, needed in pending for t in needed)])
    rest = iter(values[len(tensors) :])
    for check, needed in pending:
        check(*(next(rest) for _ in needed))
    return values[: len(tensors)]


def _on_host(tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """Return copies on the CPU, made by one copy from the device."""
    if len(tensors) < 2:
        return [t.cpu() for t in tensors]
    # Counts and flags are exact in each floating dtype that is at least single.
    dtype = functools.reduce(torch.promote_types, (t.dtype for t in tensors), torch.float32)
    host = torch.cat([t.reshape(-1).to(tensors[0].device, dtype) for t in tensors]).cpu()
    parts = host.split([t.numel() for t in tensors])
    return [part.view(t.shape).to(t.dtype) for part, t in zip(parts, tensors, strict=True)]
