"""One program on several processes, each with its part of the data: losses are means over all.

The gradients of plain steps are reduced as one message, together with the vector that is pulled through
the problems below. Where a derivative is built as a graph, the loss itself is the mean over processes,
by collectives that are right under differentiation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

import torch
from torch import distributed as dist
from torch import nn

from torchopt import checks
from torchopt.autodiff.generators import seeded
from torchopt.autodiff.running_statistics import BATCH_NORMS
from torchopt.autodiff.shards import is_sharded
from torchopt.collectives.checking import digest_of
from torchopt.collectives.group import ranks_of
from torchopt.distributed import spmd
from torchopt.distributed.spmd.tie import tied
from torchopt.errors import WrappedModuleError
from torchopt.modules.wrapped import refuse_wrapped
from torchopt.multilevel._data import to_device
from torchopt.multilevel._examples import WeightedBatch, differ_inside, weights_of
from torchopt.multilevel._problem import Problem, examples_of
from torchopt.pytree import flattening as pytree

if TYPE_CHECKING:
    from torchopt.diff.problem import InnerProblem
    from torchopt.multilevel._node import Node

Grads = list[torch.Tensor | None]
Values = Mapping[str, Sequence[torch.Tensor]]
"""Parameters of problems, by their names."""


class Ranks:
    """A run of one process; subclasses are runs of several.

    Attributes:
        rank: The number of this process.
        size: How many there are.
        validates: Whether this process validates.
    """

    rank = 0
    size = 1
    validates = True

    def begin(self, problems: Sequence[Problem]) -> None:
        """Check the problems, and give all processes the same initial values."""
        for problem in problems:
            if problem._module is not None:
                self._check_module(problem)

    def mean(self, grads: Grads, like: Sequence[torch.Tensor]) -> Grads:
        """Return the mean of gradients over all processes; each is None or shaped as in ``like``."""
        return grads

    def weighted(self, problem: Problem, batches: Sequence[Any]) -> list[WeightedBatch]:
        """Return batches with the weights of this process's losses in the means over processes."""
        return [WeightedBatch(batch) for batch in batches]

    def differentiate(self, loss: torch.Tensor, inputs: Sequence[torch.Tensor]) -> Grads:
        """Return the gradient of this process's part of a loss."""
        return list(torch.autograd.grad(loss, inputs, allow_unused=True))

    def loss(self, function: Callable[[Values], torch.Tensor], values: Values) -> torch.Tensor:
        """Return the mean over all processes of a function of shared parameters."""
        return function(values)

    def parts(self, tensors: Grads) -> Grads:
        """Return this process's parts of tensors that may be sharded."""
        return tensors

    def localized(self, node: Node, problem: InnerProblem) -> InnerProblem:
        """Return a node's problem in terms of this process's shards."""
        return problem

    def check_mode(self, node: Node, read: Sequence[Node]) -> None:
        """Refuse a mode that cannot differentiate its problem, or the problems that it reads."""

    def same_random_numbers(self) -> AbstractContextManager[None]:
        """Let all processes draw the same random numbers in a block."""
        return nullcontext()

    def share_buffers(self) -> None:
        """Give all processes the buffers of the first process."""

    def check_parts(self, problem: Problem, batch: Any, loss: torch.Tensor) -> None:
        """Warn if the result differs from a run of one process on all data; called after a loss."""

    def check_statistics(self, problem: Problem) -> None:
        """Warn if a module normalizes by the statistics of each process's own part."""

    def agree(self, what: Mapping[str, Any]) -> None:
        """Raise if one of these values differs between processes."""

    def all_do(self, action: Callable[[], Any]) -> Any:
        """Run an action in all processes and return its result; raise in all if it raises in one."""
        return action()

    def share(self, value: Any) -> Any:
        """Return the value of the first process."""
        return value

    def gather(self, part: Any) -> list[Any]:
        """Return the values of all processes, by rank; empty except in the first process."""
        return [part]

    def packed(self, problem: Problem, state: Any) -> Any:
        """Return a problem's state in a form that this process can save."""
        return state

    def unpacked(self, problem: Problem, state: Any) -> Any:
        """Return the state that :meth:`packed` was called with."""
        return state

    def wait(self) -> None:
        """Wait for all processes."""

    def in_place(self, problem: Problem) -> bool:
        """Whether a problem's loss can only be evaluated with its module as it is."""
        return False

    def _check_module(self, problem: Problem) -> None:
        assert problem._module is not None
        try:
            refuse_wrapped(problem._module)
        except WrappedModuleError as error:
            raise TypeError(
                f"the module of problem {problem.name!r}, or a part of it, is wrapped in what autograd "
                f"does not see, so that its gradients would be wrong: pass the module itself with "
                f'EngineConfig(strategy="distributed"); or, for a module sharded by `fully_shard`, set '
                f'strategy="fsdp".'
            ) from error


class Replicas(Ranks):
    """Processes that hold the same values, and each its part of the data."""

    def __init__(self) -> None:
        self._ranks = ranks_of(None)
        self.rank, self.size = self._ranks.rank, self._ranks.size
        self.validates = self.rank == 0
        self._buffers: list[torch.Tensor] = []
        self._warned: set[str] = set()

    def begin(self, problems: Sequence[Problem]) -> None:
        super().begin(problems)
        params = _once(p for problem in problems for p in problem.parameters())
        modules = [problem._module for problem in problems if problem._module is not None]
        self._buffers = _once(b for module in modules for b in module.buffers())
        _broadcast([*(p for p in params if not is_sharded(p)), *self._buffers])

    def mean(self, grads: Grads, like: Sequence[torch.Tensor]) -> Grads:
        present = torch.tensor([g is not None for g in grads], device="cpu").to(like[0])
        whole = [torch.zeros_like(t) if g is None else g for g, t in zip(grads, like, strict=True)]
        # With the numbers of ranks that have each: what is None here may not be so elsewhere.
        *sums, counts = spmd.psum([*whole, present])
        means = [s.div_(self.size) for s in sums]
        if all(g is not None for g in grads):
            return means
        return [m if n else None for m, n in zip(means, counts.tolist(), strict=True)]

    def weighted(self, problem: Problem, batches: Sequence[Any]) -> list[WeightedBatch]:
        name, place = problem.name, (problem.name, problem.count)
        everyone = self._ranks.objects((place, [examples_of(problem, b) for b in batches]))
        for rank, (there, _) in enumerate(everyone):
            if there != everyone[0][0]:
                raise RuntimeError(
                    f"process {rank} is at step {there[1]} of problem {there[0]!r}, and process 0 at "
                    f"step {everyone[0][0][1]} of problem {everyone[0][0][0]!r}: let all processes "
                    f"make the same calls of the same engine, resumed from the same file."
                )
        if problem.config.reduction == "sum":
            return [WeightedBatch(batch, float(self.size)) for batch in batches]
        columns = list(zip(*(parts for _, parts in everyone), strict=True))
        weights = [weights_of(name, column)[self.rank] for column in columns]
        if name not in self._warned and any(map(differ_inside, columns)):
            self._warned.add(name)
            checks.warn(
                f"the shapes of the processes' batches of problem {name!r} differ not only in their "
                f"first dimension, by which losses are weighted: define `num_examples(self, batch)` in "
                f"the problem's class if its loss is a mean over something else, such as tokens.",
            )
        return [WeightedBatch(b, weight) for b, weight in zip(batches, weights, strict=True)]

    def loss(self, function: Callable[[Values], torch.Tensor], values: Values) -> torch.Tensor:
        varied_values: dict[str, Sequence[torch.Tensor]] = {}
        varying: list[torch.Tensor] = []
        everything = checks.transforms_active()
        for name, tensors in values.items():
            moving = [t for t in tensors if everything or t.requires_grad]
            varied = spmd.pvary(moving)  # one message for each problem
            table = {id(t): v for t, v in zip(moving, varied, strict=True)}
            varied_values[name] = [table.get(id(t), t) for t in tensors]
            varying += sorted(varied, key=torch.Tensor.numel)[:1]
        # Every rank takes part in the reductions of each, whatever its own loss reads.
        (loss,) = tied([function(varied_values)], varying)
        return spmd.pmean(loss)

    def same_random_numbers(self) -> AbstractContextManager[None]:
        seed = torch.randint(1 << 62, (), device="cpu")
        return seeded(int(self.share(int(seed))))

    def share_buffers(self) -> None:
        _broadcast(self._buffers)

    def check_parts(self, problem: Problem, batch: Any, loss: torch.Tensor) -> None:
        tensors = [x for x in pytree.leaves(batch) if isinstance(x, torch.Tensor)]
        leaves = [x for x in tensors if not x.is_nested]
        names, module = _own_statistics(problem), problem._module
        buffers = {} if module is None else dict(module.named_buffers())
        parts = self._ranks.objects(
            (
                [(tuple(t.shape), digest_of(t)) for t in leaves],
                _length(problem.train_data_loader),
                None if problem._overrides("num_examples") else float(loss.detach()),
                {name: digest_of(b) for name, b in buffers.items()},
            )
        )
        batches, lengths, losses, left = zip(*parts, strict=True)
        differing = [n for n in buffers if any(each.get(n) != left[0][n] for each in left)]
        others = [n for n in differing if n.rpartition(".")[0] not in names]
        what = f"problem {problem.name!r}"
        if leaves and self.size > 1 and all(theirs == batches[0] for theirs in batches):
            checks.warn(
                f"all {self.size} processes were given the same first batch of {what}, so "
                f"that they do the same work: give its loader a "
                f"`torch.utils.data.DistributedSampler`, or each process other data."
            )
        if not tensors and len({loss for loss in losses if loss is not None}) > 1:
            checks.warn(
                f"{what} has batches without tensors, and its loss differs between processes, whose "
                f"means count the same: define `num_examples(self, batch)` in its class, which returns "
                f"over how many examples the loss is a mean."
            )
        if len(set(lengths)) > 1:
            checks.warn(
                f"the loaders of {what} have {', '.join(map(str, lengths))} batches in the processes, "
                f"in order: those with fewer begin their next epoch before others; give all the same "
                f"number, as a `torch.utils.data.DistributedSampler` does."
            )
        self.check_statistics(problem)
        if others:
            checks.warn(
                f"the buffer `{others[0]}` in the module of {what} depends on each process's own part, "
                f"and is that of the first process after each step: compute it from all parts, by "
                f"`torchopt.distributed.spmd.pmean`, if the run reads it."
            )

    def check_statistics(self, problem: Problem) -> None:
        names = _own_statistics(problem) if self.size > 1 else []
        if names:
            checks.warn(
                f"`{names[0]}` in the module of problem {problem.name!r} normalizes by the statistics "
                f"of each process's own part, so that the run is not that of one process on the "
                f"concatenated batch: convert the module by "
                f"`torchopt.distributed.spmd.sync_batch_norm`, or set `{names[0]}` to evaluation mode."
            )

    def agree(self, what: Mapping[str, Any]) -> None:
        everyone = self._ranks.objects({label: repr(value) for label, value in what.items()})
        for rank, theirs in enumerate(everyone):
            for label in {**everyone[0], **theirs}:
                a, b = everyone[0].get(label, "none"), theirs.get(label, "none")
                if a != b:
                    raise ValueError(
                        f"the processes run different programs: {label} is {a} in process 0, and {b} "
                        f"in process {rank}."
                    )

    def all_do(self, action: Callable[[], Any]) -> Any:
        result, error = None, None
        try:
            result = action()
        except Exception as caught:
            error = caught
        failures = self._ranks.objects(error and f"{type(error).__name__}: {error}")
        if error is not None:
            raise error
        for rank, text in enumerate(failures):
            if text is not None:
                raise RuntimeError(f"process {rank} has failed: {text}")
        return result

    def share(self, value: Any) -> Any:
        return self._ranks.objects(value)[0]

    def gather(self, part: Any) -> list[Any]:
        parts = [None] * self.size if self.rank == 0 else None
        dist.gather_object(to_device(part, "cpu"), parts, dst=0)
        return parts or []

    def wait(self) -> None:
        self._ranks.objects(None)


def _length(loader: Any) -> Any:
    """Return the number of batches of an epoch, of each of several loaders, where they have one."""
    if isinstance(loader, tuple):
        return tuple(map(_length, loader))
    try:
        return len(loader)
    except (NotImplementedError, TypeError):
        return None


def _own_statistics(problem: Problem) -> list[str]:
    """Return a problem's batch normalizations that use the statistics of this process's batch only."""
    return [
        path
        for path, part in (() if problem._module is None else problem._module.named_modules())
        if isinstance(part, BATCH_NORMS)
        and not isinstance(part, spmd.SyncBatchNorm | nn.SyncBatchNorm)
        and (part.training or part.running_mean is None)
    ]


def _once(tensors: Iterable[torch.Tensor]) -> list[torch.Tensor]:
    return list({id(t): t for t in tensors}.values())


def _broadcast(tensors: Sequence[torch.Tensor]) -> None:
    """Write the values of the first process where others differ."""
    if not tensors:
        return
    with torch.no_grad():
        values = spmd.broadcast([t.detach() for t in tensors])
        for t, value in zip(tensors, values, strict=True):
            if not torch.equal(t, value):
                t.copy_(value)
