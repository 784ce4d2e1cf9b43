"""The runtimes that are compared: each runs the meta-step in processes of its own, and is measured.

A session is a fresh process that controls one runtime with some workers, or is rank 0 of its ranks.
"""

from __future__ import annotations

import functools
import multiprocessing
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any

import torch
import torch.distributed.autograd
from torch import distributed
from torch.distributed import rpc

from benchmarks._distributed import (
    Size,
    Tensors,
    cpu,
    lower_peak,
    peak,
    serial,
    start,
    task_loss,
    tasks,
)
from examples.tools.workers import ExecutorName, executor_of, joined, ranks
from torchopt.distributed import Executor, remote_map
from torchopt.distributed.spmd import psum, pvary, task_map

dist_autograd: Any = distributed.autograd

SPMD, PLAIN, SERIAL = "SPMD: task_map", "as the paper: RPC, distributed autograd", "serial"
EXECUTORS: dict[str, ExecutorName] = {
    "process executor": "process",
    "RPC executor": "rpc",
    "Ray executor": "ray",
}
PAYLOADS = (1, 1 << 16, 1 << 20)  # numbers sent and returned by a call whose latency is measured


@dataclass
class Report:
    """What a session measured.

    Attributes:
        gradient: The meta-gradient, flat.
        workers: By round, the CPU seconds of the busiest process that adapts to tasks.
        controller: By round, those of the process that controls, where it does nothing else.
        wall: By round, the seconds of a meta-step.
        memory: Peak MiB of the largest process that adapts, and of the controller.
        calls: By number of payload, seconds of a call.
        derivatives: The same of a call with its derivative.
    """

    gradient: list[float]
    workers: list[float] = field(default_factory=list)
    controller: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)
    memory: tuple[float, float] = (0.0, 0.0)
    calls: list[float] = field(default_factory=list)
    derivatives: list[float] = field(default_factory=list)

    @property
    def critical(self) -> list[float]:
        """By round, the CPU seconds of the path through a worker and the controller."""
        return [a + b for a, b in zip(self.workers, self.controller, strict=True)]


@dataclass(frozen=True)
class Plan:
    """What a session measures: rounds of the meta-step, and so many calls for a latency."""

    size: Size
    rounds: int
    calls: int = 0


def measure(runtime: str, workers: int, plan: Plan) -> Report:
    """Measure a runtime in fresh processes.

    Raises:
        RuntimeError: If they failed; what happened is on stderr.
    """
    ours, theirs = multiprocessing.get_context("spawn").Pipe(duplex=False)
    process = multiprocessing.get_context("spawn").Process(
        target=_session, args=(theirs, runtime, workers, plan)
    )
    process.start()
    theirs.close()
    try:
        report: Report = ours.recv()
    except EOFError:
        process.join()
        raise RuntimeError(
            f"{runtime} with {workers} workers failed (exit code {process.exitcode}), see stderr."
        ) from None
    process.join()
    return report


def _session(connection: Connection, runtime: str, workers: int, plan: Plan) -> None:
    torch.set_num_threads(1)
    if runtime == SERIAL:
        found = _serial(plan)
    elif runtime == SPMD:
        with ranks(workers, _spmd, plan), joined():
            found = _spmd_reports(plan)
    elif runtime == PLAIN:
        with ranks(workers, _plain_worker):
            _join_plain()
            found = _plain(plan, workers)
            rpc.shutdown()
    else:
        with executor_of(EXECUTORS[runtime], workers) as executor:
            found = _executor(plan, executor)
    connection.send(found)


def _serial(plan: Plan) -> Report:
    step = serial(plan.size)
    report = Report(_flat(step()).tolist())
    lower_peak()
    _rounds(report, step, [os.getpid()], plan.rounds, controls=False)
    report.memory = peak(), 0.0
    return report


def _rounds(
    report: Report, step: Callable[[], Any], pids: Sequence[int], rounds: int, controls: bool
) -> None:
    """Measure meta-steps by the clocks of the processes, seen from outside."""
    for _ in range(rounds):
        before, own, began = [cpu(pid) for pid in pids], cpu(os.getpid()), time.perf_counter()
        step()
        report.wall.append(time.perf_counter() - began)
        report.controller.append(cpu(os.getpid()) - own if controls else 0.0)
        report.workers.append(max(cpu(p) - b for p, b in zip(pids, before, strict=True)))


def _latency(function: Callable[[], Any], calls: int) -> float:
    """Return the median seconds of a call."""
    seconds = []
    for _ in range(calls + 3):
        began = time.perf_counter()
        function()
        seconds.append(time.perf_counter() - began)
    return float(torch.tensor(seconds[3:]).median())


def _flat(tensors: Sequence[torch.Tensor]) -> torch.Tensor:
    return torch.cat([t.flatten() for t in tensors])


def _differentiate(results: Sequence[torch.Tensor], by: Sequence[torch.Tensor]) -> torch.Tensor:
    return _flat(torch.autograd.grad(torch.stack(list(results)).mean(), by))


# One controller and an executor's workers


def _executor(plan: Plan, executor: Executor) -> Report:
    params, given = start(plan.size), tasks(plan.size)
    calls = [(params, task, plan.size.steps, plan.size.lr) for task in given]
    columns = list(zip(*calls, strict=True))

    def everywhere(function: Callable[..., Any]) -> list[Any]:
        names = executor.workers
        return remote_map(_called, [function] * len(names), executor=executor, workers=names)

    def step() -> torch.Tensor:
        return _differentiate(remote_map(task_loss, *columns, executor=executor), params)

    pids = everywhere(_pid)
    report = Report(step().tolist())
    everywhere(lower_peak)
    lower_peak()
    _rounds(report, step, pids, plan.rounds, controls=True)
    report.memory = max(everywhere(peak)), peak()
    for count in PAYLOADS if plan.calls else ():
        x = torch.ones(count)
        moving = x.clone().requires_grad_()

        def call(x: torch.Tensor = x) -> Any:
            return remote_map(double, [x], executor=executor)

        def derivative(x: torch.Tensor = moving) -> Any:
            (y,) = remote_map(double, [1 * x], executor=executor)
            return torch.autograd.grad(y, x, y.detach())

        report.calls.append(_latency(call, plan.calls))
        report.derivatives.append(_latency(derivative, plan.calls))
    return report


def _called(function: Callable[[], Any]) -> Any:
    return function()


def _pid() -> int:
    return os.getpid()


def double(x: torch.Tensor) -> torch.Tensor:
    """Return what a call of almost no work returns."""
    return 2 * x


# One program on all ranks


def _spmd(plan: Plan) -> None:
    torch.set_num_threads(1)
    with joined():
        _spmd_reports(plan)


def _spmd_reports(plan: Plan) -> Report:
    params, given = start(plan.size), tasks(plan.size)

    def one(params: Tensors, task: Tensors) -> torch.Tensor:
        # An executor of this process computes the gradient with the value, and keeps no graph.
        rest = [plan.size.steps], [plan.size.lr]
        (loss,) = remote_map(task_loss, [params], [task], *rest, executor="local")
        return loss

    def step() -> torch.Tensor:
        loss = task_map(one, params, given).mean()
        return _flat(torch.autograd.grad(loss, params))

    pids: list[Any] = [None] * distributed.get_world_size()
    distributed.all_gather_object(pids, os.getpid())
    report = Report(step().tolist())
    lower_peak()
    for _ in range(plan.rounds):
        distributed.barrier()
        mine = Report(report.gradient)
        _rounds(mine, step, [os.getpid()], 1, controls=False)
        found: list[Any] = [None] * len(pids)
        distributed.all_gather_object(found, (mine.workers[0], mine.wall[0]))
        report.workers.append(max(seconds for seconds, _ in found))
        report.wall.append(max(wall for _, wall in found))
        report.controller.append(0.0)
    peaks: list[Any] = [None] * len(pids)
    distributed.all_gather_object(peaks, peak())
    report.memory = max(peaks), 0.0
    for count in PAYLOADS if plan.calls else ():
        x = torch.ones(count)
        moving = x.clone().requires_grad_()

        def call(x: torch.Tensor = x) -> Any:
            return psum(x)

        def derivative(x: torch.Tensor = moving) -> Any:
            y = psum(2 * pvary(x))
            return torch.autograd.grad(y, x, y.detach())

        report.calls.append(_latency(call, plan.calls))
        report.derivatives.append(_latency(derivative, plan.calls))
    return report


# As the paper's runtime does it: each rank is a worker, the first one controls


def _join_plain() -> None:
    rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    rpc.init_rpc(f"worker{rank}", rank=rank, world_size=size)


def _plain_worker() -> None:
    torch.set_num_threads(1)
    _join_plain()
    rpc.shutdown()


def _plain(plan: Plan, workers: int) -> Report:
    params, given = start(plan.size), tasks(plan.size)
    names = [f"worker{k}" for k in range(workers)]

    def step() -> torch.Tensor:
        with dist_autograd.context() as context:
            replies = [
                rpc.rpc_async(
                    names[k % workers], task_loss, (params, task, plan.size.steps, plan.size.lr)
                )
                for k, task in enumerate(given)
            ]
            loss = torch.stack([reply.wait() for reply in replies]).mean()
            dist_autograd.backward(context, [loss])
            grads = dist_autograd.get_gradients(context)
            return _flat([grads[p] for p in params])

    def everywhere(function: Callable[..., Any]) -> list[Any]:
        return [rpc.rpc_sync(name, function) for name in names]

    pids = everywhere(_pid)
    report = Report(step().tolist())
    everywhere(lower_peak)
    _rounds(report, step, pids, plan.rounds, controls=False)
    report.memory = max(everywhere(peak)), 0.0
    for count in PAYLOADS if plan.calls else ():
        x = torch.ones(count)
        moving = x.clone().requires_grad_()

        def derivative(x: torch.Tensor = moving) -> Any:
            with dist_autograd.context() as context:
                loss = rpc.rpc_sync(names[-1], double, (x,)).sum()
                dist_autograd.backward(context, [loss])
                return dist_autograd.get_gradients(context)[x]

        call = functools.partial(rpc.rpc_sync, names[-1], double, (x,))
        report.calls.append(_latency(call, plan.calls))
        report.derivatives.append(_latency(derivative, plan.calls))
    return report
