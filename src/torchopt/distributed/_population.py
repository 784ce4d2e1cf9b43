"""Zero-order estimates whose evaluations run on the workers of an executor."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import torch

from torchopt import checks
from torchopt.distributed._dispatch import Call, Dispatcher
from torchopt.distributed._executor import Executor
from torchopt.distributed._executors import executor_of
from torchopt.distributed._pack import unsendable
from torchopt.io.calls import CallRepr


@dataclass(frozen=True)
class Workers(checks.Checked, CallRepr):
    """Evaluates parts of the points of a zero-order estimate on workers.

    As ``evaluation`` of :class:`torchopt.diff.ZeroOrder`. What travels is the function with its
    arguments (parameters once for each of their values), a seed, and one value for each point: never a
    direction. The numbers are those of :class:`~torchopt.diff.zero_order.Loop`, on any number of
    workers; a worker that is lost costs a retry. Under programs of ``torch.func`` and ``create_graph``
    the evaluations stay here.

    Args:
        executor: As for :func:`remote_map`.
        parts: How many parts there are, dealt out to whoever is idle; by default one for each worker.

    Raises:
        ValueError: If ``parts`` is not positive.
        TypeError: In a backward pass, if the function cannot be sent.

    Example:
        >>> import torch, torchopt
        >>> mode = torchopt.diff.ZeroOrder(
        ...     torchopt.diff.zero_order.SPSA(num_samples=4, sigma=1.0), Workers("local"), generator=0)
        >>> x = torch.tensor(2.0, requires_grad=True)
        >>> mode(torch.square)(x).backward()
        >>> x.grad
        tensor(4.)
    """

    __promised__: ClassVar[tuple[str, ...]] = ("__init__", "__call__", "executor", "parts")
    executor: Executor | str | None = None
    parts: int | None = checks.field(None, checks.or_none(checks.count(1)))

    def __call__(
        self,
        function: Callable[[Sequence[torch.Tensor]], Sequence[torch.Tensor]],
        points: Sequence[torch.Tensor],
    ) -> Sequence[torch.Tensor]:
        """Raise, as these points have no seed from which a worker could generate them."""
        raise TypeError(
            "`Workers` is for `ZeroOrder` with an estimator of directions: give persistent estimates "
            "and search distributions `Loop()` or `Vmap()`."
        )

    def spread(self, part: Callable[[int, int], Sequence[torch.Tensor]], count: int) -> list[Any]:
        """Return the values at all points; see :class:`~torchopt.diff.zero_order.Evaluation`."""
        executor = executor_of(self.executor)
        parts = min(self.parts or len(executor.workers), count)
        ends = [count * k // parts for k in range(parts + 1)]
        calls = [Call(part, (ends[k], ends[k + 1])) for k in range(parts)]
        try:
            values, _ = Dispatcher(executor, schedule="dynamic").run(calls)
        except (pickle.PicklingError, AttributeError) as error:
            raise unsendable("the function, or what it is called with,", error) from error
        return [torch.cat(column) for column in zip(*values, strict=True)]
