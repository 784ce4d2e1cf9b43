"""Running statistics of normalization, where modules cannot write to them: inside of ``torch.func``.

A module normalizes without them. The statistics of each call are recorded, and the buffers are updated
afterwards, as if one task came after the other. If the call is a repetition, they are dropped.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import torch
from torch import nn

from torchopt.autodiff.transforms import (
    current_level,
    is_batched,
    is_wrapped,
    level_of,
    outside,
    unwrapped,
)

BATCH_NORMS = (
    *(nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d, nn.SyncBatchNorm),
    *(nn.LazyBatchNorm1d, nn.LazyBatchNorm2d, nn.LazyBatchNorm3d),
)
NORMS = (
    *BATCH_NORMS,
    *(nn.InstanceNorm1d, nn.InstanceNorm2d, nn.InstanceNorm3d),
    *(nn.LazyInstanceNorm1d, nn.LazyInstanceNorm2d, nn.LazyInstanceNorm3d),
)
"""The modules with running statistics."""

STATISTICS = ("running_mean", "running_var", "num_batches_tracked")


class NotBatchableError(RuntimeError):
    """A function works for one task, but not for a batch of tasks at once."""


class RunningStatistics:
    """Records the updates of running statistics, in place of the modules' own updates.

    Args:
        drop: Whether to drop the updates, since the calls are repetitions.
    """

    def __init__(self, *, drop: bool = False) -> None:
        self._drop = drop
        self._level = 0
        self._outer: RunningStatistics | None = None
        self._updates: dict[int, _Updates] = {}  # by running mean
        self._read: dict[int, str] = {}
        self._lent: list[tuple[nn.Module, list[Any]]] = []

    @contextmanager
    def taking(self) -> Iterator[None]:
        """Enclose the calls, at the present level of ``torch.func``."""
        self._level = current_level()
        self._outer = _ACTIVE.get()
        token = _ACTIVE.set(self)
        before = nn.modules.module.register_module_forward_pre_hook(self._before_call)
        after = nn.modules.module.register_module_forward_hook(
            self._after_call, with_kwargs=True, always_call=True
        )
        try:
            yield
        finally:
            before.remove()
            after.remove()
            # PyTorch (2.13) forgets this one, and warns of it when a module is compiled later.
            nn.modules.module._global_forward_hooks_with_kwargs.pop(after.id, None)
            _ACTIVE.reset(token)
            while self._lent:
                self._take_back()

    def is_active(self) -> bool:
        """Whether this object records the calls of this thread: the innermost does."""
        return _ACTIVE.get() is self

    def taken(self) -> list[torch.Tensor]:
        """Return the statistics of the calls so far, inside of ``vmap``, for :meth:`collect`."""
        return [torch.cat(updates.calls) for updates in self._updates.values()]

    def collect(self, batched: Sequence[torch.Tensor]) -> None:
        """Record what :meth:`taken` returned, with a leading axis of tasks."""
        for updates, calls in zip(self._updates.values(), batched, strict=True):
            updates.rows.append(calls.flatten(0, 1))
            updates.calls.clear()

    def refuse(self, read: Container[torch.Tensor]) -> None:
        """Raise if the program has read a buffer that a recorded call updates."""
        for updates in self._updates.values():
            if any(b is not None and b in read for b in updates.buffers):
                raise _not_batchable(type(updates.module).__name__)

    def write(self) -> None:
        """Update the buffers, or pass the updates to the object around this one.

        Raises:
            NotBatchableError: If a task reads statistics that another task updates.
        """
        both = self._read.keys() & self._updates.keys()
        if both:
            raise _not_batchable(self._read[both.pop()])
        if self._outer is not None:
            self._outer._read.update(self._read)
            for updates in self._updates.values():
                self._outer._add(updates.module, updates.buffers, torch.cat(updates.rows))
            return
        with outside(), torch.no_grad():
            new = [updates.after() for updates in self._updates.values()]
            for updates, values in zip(self._updates.values(), new, strict=True):
                updates.write(*values)

    def _before_call(self, module: nn.Module, _: Any) -> None:
        if not self.is_active() or not isinstance(module, NORMS):
            return
        mean = module._buffers.get("running_mean")
        if mean is None or is_wrapped(mean):  # a task's own are batched: it may write to them
            return
        if not module.training:
            self._read[id(mean)] = type(module).__name__
        elif module.track_running_stats:
            self._lent.append((module, [module._buffers[name] for name in STATISTICS]))
            module._buffers.update(dict.fromkeys(STATISTICS))

    def _after_call(self, module: nn.Module, args: Any, *rest: Any) -> None:
        if not self.is_active() or not self._lent or self._lent[-1][0] is not module:
            return
        buffers = self._take_back()
        # Where the call raised there is no result, and PyTorch gives no keyword arguments.
        if rest[-1] is not None and not self._drop:
            x = args[0] if args else rest[0]["input"]
            self._add(module, buffers, _statistics(module, x, buffers[0].dtype))

    def _take_back(self) -> list[Any]:
        module, buffers = self._lent.pop()
        module._buffers.update(zip(STATISTICS, buffers, strict=True))
        return buffers

    def _add(self, module: nn.Module, buffers: list[Any], calls: torch.Tensor) -> None:
        if self._drop:
            return
        key = id(buffers[0])
        if key not in self._updates:
            self._updates[key] = _Updates(module, buffers)
        self._updates[key].calls.append(_lowered(calls, self._level))


_ACTIVE: ContextVar[RunningStatistics | None] = ContextVar("records updates", default=None)


class _Updates:
    """The running statistics of a module, and the recorded updates."""

    def __init__(self, module: Any, buffers: list[Any]) -> None:
        self.module, self.buffers = module, buffers
        self.calls: list[torch.Tensor] = []  # of the tasks that are running: (calls, 2, channels)
        self.rows: list[torch.Tensor] = []  # of the tasks that have run, one task after the other

    def after(self) -> tuple[torch.Tensor, int]:
        """Return the mean and the variance after all updates, and the number of these."""
        rows = torch.cat([_lowered(calls, 0) for calls in self.rows])
        n = rows.shape[0]
        mean, var, count = self.buffers
        before = torch.stack([mean, var])
        momentum = self.module.momentum
        if momentum is not None:
            factor = torch.full((n,), 1.0 - momentum, dtype=rows.dtype, device=rows.device)
            weights = momentum * factor ** torch.arange(n - 1, -1, -1, device=rows.device)
            keep = (1.0 - momentum) ** n
        elif self._counts():  # the mean over all batches
            total = count + n
            weights, keep = rows.new_ones(n) / total, count.to(rows.dtype) / total
        else:
            return before, n
        # Not a product of matrices, which autocast would do in half precision.
        return keep * before + (weights[:, None, None] * rows).sum(0), n

    def write(self, values: torch.Tensor, n: int) -> None:
        """Write what :meth:`after` returned."""
        mean, var, count = self.buffers
        mean.copy_(values[0])
        var.copy_(values[1])
        if self._counts():
            count.add_(n)

    def _counts(self) -> bool:
        # Instance normalization has a counter too, but leaves it.
        return isinstance(self.module, BATCH_NORMS) and self.buffers[2] is not None


def _not_batchable(name: str) -> NotBatchableError:
    return NotBatchableError(
        f"running statistics of `{name}` are read by a task and updated by another"
    )


def _statistics(module: Any, x: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Return the mean and the variance of a call's input: ``(1, 2, channels)``."""
    x = x.detach().to(torch.promote_types(x.dtype, dtype))
    if hasattr(module, "_statistics_of"):  # one whose statistics are not of its input alone
        return torch.stack(module._statistics_of(x))[None]
    if isinstance(module, BATCH_NORMS):
        var, mean = torch.var_mean(x, (0, *range(2, x.dim())))
    else:  # instance normalization, of a batch or without
        x = x.unsqueeze(0) if x.dim() == module._get_no_batch_dim() else x
        var, mean = (v.mean(0) for v in torch.var_mean(x, tuple(range(2, x.dim()))))
    return torch.stack([mean, var])[None]


def _lowered(x: torch.Tensor, level: int) -> torch.Tensor:
    """Return the value of a tensor below the transforms above a level."""
    while is_wrapped(x) and level_of(x) > level:
        if is_batched(x):
            raise NotBatchableError("running statistics are updated inside of `torch.vmap`")
        x = unwrapped(x)
    return x.detach()
