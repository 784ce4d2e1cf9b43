"""What each memory policy would take for a problem, from one measured step."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from torchopt import checks
from torchopt.autodiff.environment import leaving_no_trace
from torchopt.autodiff.shards import local
from torchopt.autodiff.tracking import untracked
from torchopt.diff import _checkpoints
from torchopt.diff._explicit import Explicit
from torchopt.diff._steps import tensors_of
from torchopt.diff.problem import InnerProblem, Iterate
from torchopt.io.table import table
from torchopt.io.units import size
from torchopt.pytree import flattening as pytree

_MODES = (
    Explicit(),
    Explicit("step"),
    Explicit("sqrt"),
    Explicit("tree"),
    Explicit("tree", carries=1),
    Explicit(offload="disk"),
    Explicit("step", offload="disk"),
)


@dataclass(frozen=True)
class PolicyCost:
    """What a policy takes, of DTensors in this process.

    Attributes:
        mode: The differentiation mode.
        memory: Bytes on the device for what is kept at most, while one step is differentiated; what
            kernels need for themselves comes on top.
        offloaded: Bytes put elsewhere.
        evaluations: How often the gradient of the objective is computed, forwards and backwards.
        time: The time of a meta-gradient, relative to that of ``memory="graph"``; without the transfer
            of what is put elsewhere.
    """

    mode: Explicit
    memory: int
    offloaded: int
    evaluations: int
    time: float


@dataclass(frozen=True)
class MemoryPlan:
    """What each policy takes; printed, it is a table. See :func:`torchopt.plan`.

    Attributes:
        steps: How many inner steps there are.
        carry: Bytes of the parameters and the state of the optimizer.
        graph: Bytes that the graph of a step keeps.
        policies: The policies, and what they take.
    """

    steps: int
    carry: int
    graph: int
    policies: tuple[PolicyCost, ...]

    def within(self, memory: int) -> Explicit:
        """Return the fastest policy that keeps at most so many bytes on the device.

        One that puts something elsewhere, at costs that are not measured, is taken if no other fits.

        Raises:
            ValueError: If none does.
            TypeError: If ``memory`` is no number.
        """
        checks.check("memory", memory, _BYTES)
        fitting = [cost for cost in self.policies if cost.memory <= memory]
        if not fitting:
            least = min(cost.memory for cost in self.policies)
            raise ValueError(
                f"no policy keeps at most {memory} bytes, the least is {least}: split the batch of a "
                f"step by `micro_batches`, or wrap blocks of the model in `torchopt.remat`."
            )
        return min(fitting, key=lambda cost: (cost.offloaded > 0, cost.time)).mode

    def __str__(self) -> str:
        """Return a table."""
        rows = [_HEADINGS, *map(_row, self.policies)]
        carry, graph = size(self.carry), size(self.graph)
        summary = f"{self.steps} steps; a carry {carry}, the graph of a step {graph}"
        return "\n".join([summary, *table(rows, right={1, 2, 3, 4})])

    __repr__ = __str__


_BYTES = checks.of_type((int, float), "a number of bytes, such as `2**30`")
_HEADINGS = ("policy", "kept", "elsewhere", "gradients", "time")


def _row(cost: PolicyCost) -> tuple[str, str, str, str, str]:
    name = f"memory={cost.mode.memory!r}"
    if cost.mode.carries is not None:
        name += f", carries={cost.mode.carries}"
    if cost.mode.offload:
        name += f", {cost.mode.offload}"
    elsewhere = size(cost.offloaded) if cost.offloaded else "-"
    return name, size(cost.memory), elsewhere, str(cost.evaluations), f"{cost.time:.2f}"


def plan_of(problem: InnerProblem) -> MemoryPlan:
    """Measure a step of a problem, and say what each policy would take."""
    with leaving_no_trace(), untracked():
        measured = _measure(problem)
    costs = tuple(_cost(mode, problem.steps, measured) for mode in _MODES)
    return MemoryPlan(problem.steps, measured.carry, measured.graph, costs)


@dataclass(frozen=True)
class _Measured:
    carry: int
    graph: int
    plain: float  # seconds of a step without a graph
    tracked: float  # seconds of a step with a graph, and its backward pass


def _measure(problem: InnerProblem) -> _Measured:
    start = problem.start()
    batches = [problem.batch(index) for index in range(min(2, problem.steps))]

    def step(index: int, carry: Iterate) -> Iterate:
        return problem.stepped(index, carry, batches[index])

    carry, _ = _timed(lambda: step(0, start))  # warm: compiled kernels, caches
    carry, plain = _timed(lambda: step(0, start))
    saved = _Storages(tensors_of((start, problem.args, batches)))
    with torch.enable_grad(), torch.autograd.graph.saved_tensors_hooks(saved.pack, lambda t: t):
        first = step(0, _leaves(start))
        after_first = saved.total
        if len(batches) > 1:
            # The graph of a step grows by what the step before left to it.
            step(1, first)
            after_first = saved.total - after_first
    with torch.enable_grad():
        _, tracked = _timed(lambda: _differentiated(step, start))
    return _Measured(sum(local(t).nbytes for t in tensors_of(carry)), after_first, plain, tracked)


def _differentiated(step: Callable[[int, Iterate], Iterate], start: Iterate) -> None:
    begun = _leaves(start)
    results = [t for t in tensors_of(step(0, begun)[:2]) if t.requires_grad]
    leaves = [t for t in tensors_of(begun[:2]) if t.requires_grad]
    torch.autograd.grad(results, leaves, list(map(torch.ones_like, results)), allow_unused=True)


def _leaves(start: Iterate) -> Iterate:
    def leaf(x: Any) -> Any:
        if not isinstance(x, torch.Tensor):
            return x
        return x.detach().requires_grad_(x.is_floating_point())

    return pytree.map_leaves(leaf, start)


class _Storages:
    """Counts the bytes of storages, each once."""

    def __init__(self, known: list[torch.Tensor]) -> None:
        self.total = 0
        self._known = {local(t).untyped_storage()._cdata for t in known}

    def pack(self, tensor: torch.Tensor) -> torch.Tensor:
        storage = local(tensor).untyped_storage()
        if storage._cdata not in self._known:
            self._known.add(storage._cdata)
            self.total += storage.nbytes()
        return tensor.detach()  # without its node, which would hold it


def _timed(function: Callable[[], Any]) -> tuple[Any, float]:
    began = time.perf_counter()
    result = function()
    for t in tensors_of(result)[:1]:
        if t.is_cuda:
            torch.cuda.synchronize(t.device)
    return result, time.perf_counter() - began


def _cost(mode: Explicit, steps: int, of: _Measured) -> PolicyCost:
    if mode.memory == "graph":
        kept = steps * of.graph
        evaluations, seconds = steps, steps * of.tracked
        now = of.graph if mode.offload else kept
    else:
        free = _checkpoints.slots(mode.kept, steps)
        spine = _checkpoints.spine(0, steps, free)
        again = _checkpoints.advances(steps, free) - (spine[-1] if spine else 0)
        kept = free * of.carry
        evaluations = 2 * steps + again
        seconds = steps * of.tracked + (steps + again) * of.plain
        # The carry and its cotangent, besides.
        now = 2 * of.carry + of.graph + (0 if mode.offload else kept)
    return PolicyCost(
        mode,
        now,
        kept if mode.offload else 0,
        evaluations,
        seconds / (steps * of.tracked) if steps and of.tracked else 1.0,
    )
