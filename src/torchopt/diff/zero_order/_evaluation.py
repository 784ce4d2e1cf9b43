"""How the points of an estimate are evaluated: one by one or many at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Protocol

import torch

from torchopt import checks
from torchopt.autodiff.tracking import untracked
from torchopt.io.calls import CallRepr

Function = Callable[[Sequence[torch.Tensor]], Sequence[torch.Tensor]]


class Evaluation(Protocol):
    """Evaluates a function of tensors at many points.

    One that gives parts of the points to others has a method ``spread(part, count)``, too, which is
    provisional: ``part(first, last)`` returns the values at some of the ``count`` points, stacked,
    wherever it is called, since it can be sent to another process, where the points are made again
    from their seed.
    """

    def __call__(
        self, function: Function, points: Sequence[torch.Tensor]
    ) -> Sequence[torch.Tensor]:
        """Return the results at each point, stacked.

        Args:
            function: A function of some tensors that returns some tensors.
            points: Its arguments, each with a leading axis of points.
        """
        ...


#: What is allowed as one.
EVALUATION = checks.Word("use `Loop()` or `Vmap()`", Callable)


@dataclass(frozen=True)
class Loop(CallRepr):
    """One point after the other; the function may be anything."""

    def __call__(
        self, function: Function, points: Sequence[torch.Tensor]
    ) -> Sequence[torch.Tensor]:
        """See :class:`Evaluation`."""
        # Copies, since a simulator may return the same buffer each time.
        rows = [[y.clone() for y in function(row)] for row in zip(*points, strict=True)]
        return [torch.stack(column) for column in zip(*rows, strict=True)]


@dataclass(frozen=True)
class Vmap(CallRepr):
    """All points at once, by ``torch.func.vmap``; the function must be of PyTorch's operations.

    Args:
        chunk_size: The number of points at once; by default all. Memory grows with it.

    Raises:
        ValueError: If ``chunk_size`` is not positive.
    """

    chunk_size: int | None = None

    def __post_init__(self) -> None:
        checks.check_count("chunk_size", self.chunk_size, 1, of="points", optional=True)

    def __call__(
        self, function: Function, points: Sequence[torch.Tensor]
    ) -> Sequence[torch.Tensor]:
        """See :class:`Evaluation`."""
        batched = torch.func.vmap(
            lambda row: tuple(function(row)), chunk_size=self.chunk_size, randomness="same"
        )
        return batched(list(points))


@contextmanager
def evaluating(*, tracked: bool = False) -> Iterator[None]:
    """Enclose evaluations: compiled functions run eagerly, and no derivatives are carried."""
    # Under a function mode, such as those that replay generators, the compiler would take a program
    # compiled under `vmap` for the plain one.
    with nullcontext() if tracked else untracked(), torch.compiler.set_stance("force_eager"):
        yield
