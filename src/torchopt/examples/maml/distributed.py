"""The meta-batch on workers: each adapts to its part of the tasks, and derivatives go through.

With an executor, one process controls the run, and its workers do what :func:`remote_map` sends them
(process, RPC, Ray). With SPMD, all ranks make the same run, and :func:`task_map` gives each its part.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

import torch
from torch import distributed, nn

from torchopt import pytree
from torchopt.distributed import Executor, remote_map
from torchopt.distributed.spmd import task_map
from torchopt.examples.maml.config import Config
from torchopt.examples.maml.functional import FunctionalLearner, Meta
from torchopt.examples.maml.problem import Problem, Tasks
from torchopt.examples.tools.workers import executor_of, joined, ranks

__all__ = ["DistributedLearner", "Spread", "by_executor", "by_ranks", "spread_of"]


class Spread(NamedTuple):
    """How the tasks of a meta-step are spread over workers.

    Attributes:
        parts: Into how many parts they are divided.
        map: ``map(function, meta, parts)`` is ``function(meta, part)`` of each part, differentiably.
    """

    parts: int
    map: Callable[[Callable[..., Any], Meta, Sequence[Tasks]], Sequence[Any]]


def by_executor(executor: Executor) -> Spread:
    """Let the workers of an executor adapt, each to one part."""

    def spread(function: Callable[..., Any], meta: Meta, parts: Sequence[Tasks]) -> Sequence[Any]:
        results: list[Any] = remote_map(function, [(meta, p) for p in parts], executor=executor)
        return results

    return Spread(len(executor.workers), spread)


def by_ranks() -> Spread:
    """Let the ranks of the process group adapt, each to one part; all of them make the same calls."""

    def spread(function: Callable[..., Any], meta: Meta, parts: Sequence[Tasks]) -> Sequence[Any]:
        stacked = task_map(function, meta, parts)
        return [pytree.tree_map(lambda leaf, k=k: leaf[k], stacked) for k in range(len(parts))]

    return Spread(distributed.get_world_size(), spread)


@contextmanager
def spread_of(config: Config, follow: Callable[..., None], *args: Any) -> Iterator[Spread | None]:
    """Start the workers that a configuration asks for, and end them.

    Args:
        config: The settings.
        follow: What the other ranks of an SPMD run do; stands at the top level of a module.
        *args: What it is called with.

    Yields:
        How the tasks of a meta-batch are spread over workers; None for one process.
    """
    with ExitStack() as stack:
        if config.distributed == "no":
            yield None
        elif config.distributed == "spmd":
            if "WORLD_SIZE" not in os.environ:  # else `torchrun` has started the ranks
                stack.enter_context(ranks(config.workers, follow, *args))
            stack.enter_context(joined())
            yield by_ranks()
        else:
            executor = executor_of(config.distributed, config.workers, config.threads)
            yield by_executor(stack.enter_context(executor))


class DistributedLearner(FunctionalLearner):
    """The functional learner, whose meta-gradient is that of the mean over the parts of the tasks.

    Args:
        config: The algorithm and its settings.
        problem: The tasks.
        network: Where to start from; it is copied.
        spread: Who adapts.
    """

    def __init__(
        self, config: Config, problem: Problem, network: nn.Module, spread: Spread
    ) -> None:
        super().__init__(config, problem, network)
        self._spread = spread
        self._gradient = self._over_parts

    def _over_parts(self, meta: Meta, tasks: Tasks) -> tuple[Meta, torch.Tensor, torch.Tensor]:
        if self._config.algorithm == "reptile":
            with torch.no_grad():
                moved, loss, score = self._mean(self._reptile, meta, tasks)
                return moved, loss, score
        meta = pytree.tree_map(lambda t: t.detach().requires_grad_(), meta)
        loss, score = self._mean(self._outer_loss, meta, tasks)
        leaves, structure = pytree.tree_flatten(meta)
        grads = pytree.tree_unflatten(structure, torch.autograd.grad(loss, leaves))
        return grads, loss.detach(), score

    def _mean(self, function: Callable[..., Any], meta: Meta, tasks: Tasks) -> Any:
        """Return the mean over all tasks of a function that returns means over its tasks."""
        count = len(tasks.support_x)
        pieces = [t.tensor_split(min(self._spread.parts, count)) for t in tasks]
        parts = [Tasks(*part) for part in zip(*pieces, strict=True)]
        weights = [len(part.support_x) / count for part in parts]
        results = self._spread.map(function, meta, parts)
        return pytree.tree_map(
            lambda *leaves: sum(w * leaf for w, leaf in zip(weights, leaves, strict=True)),
            *results,
        )
