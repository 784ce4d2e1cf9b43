"""A controller and three workers, of which one is killed, or one is stopped and then one is killed."""

import json
import os
import signal
import sys
import time

import torch

from distributed import remote_programs as programs
from torchopt.distributed import auto_init_rpc, barrier, remote_map
from torchopt.distributed.world import RpcExecutor


def pid(x):
    return os.getpid()


def first_dies(*args):
    value = programs.first_dies(*args)
    if value is None:
        time.sleep(60)  # the signal may reach another thread first
    return value


def distance(a, b):
    return ((a - b).norm() / b.norm()).item()


def divide(x, w):
    return [x, 2 * x, x, w], [w, w, w + 1, x]


def control(directory, lost):
    found = {}
    x = torch.tensor([0.5, -1.0, 2.0], dtype=torch.float64, requires_grad=True)
    w = torch.tensor([1.5, 0.25, -2.0], dtype=torch.float64, requires_grad=True)
    with RpcExecutor(["worker1", "worker2", "worker3"], patience=2.0) as executor:
        found["workers"] = executor.workers
        pids = dict(zip(executor.workers, remote_map(pid, [x] * 3, executor=executor), strict=True))
        found["own"] = os.getpid() in pids.values()
        for mode in ("eager", "recompute", "retain"):
            values = remote_map(programs.cubic, *divide(x, w), executor=executor, mode=mode)
            here = list(map(programs.cubic, *divide(x, w)))
            errors = []
            losses = [sum(loss + v.sin().sum() for loss, v in vs) for vs in (values, here)]
            first = [torch.autograd.grad(loss, (x, w), create_graph=True) for loss in losses]
            errors += [distance(a, b) for a, b in zip(*first, strict=True)]
            second = [torch.autograd.grad(sum(g.sin().sum() for g in gs), (x, w)) for gs in first]
            errors += [distance(a, b) for a, b in zip(*second, strict=True)]
            found[mode] = max(errors)
        try:
            remote_map(programs.fails, [x], executor=executor)
        except KeyError as error:
            found["error"] = [str(error), error.__cause__.worker, error.__cause__.remote_traceback]

        exact = torch.sin(x).sum() + (x**3).sum()
        for name, worker, how in (
            ("stopped", "worker2", signal.SIGSTOP),
            ("killed", "worker3", signal.SIGKILL),
        ):
            if name not in lost:
                continue
            part = ([x], [os.path.join(directory, name)], [how])
            (loss,) = remote_map(first_dies, *part, executor=executor, workers=[worker])
            (gradient,) = torch.autograd.grad(loss, x)
            (wanted,) = torch.autograd.grad(exact, x, retain_graph=True)
            found[name] = [(loss - exact).abs().item(), (gradient - wanted).abs().max().item()]
            found[name] += [list(executor.workers)]
        if "stopped" in lost:
            os.kill(pids["worker2"], signal.SIGCONT)
    try:
        executor.submit("worker1", pid, x)
    except RuntimeError as error:
        found["closed"] = str(error)
    with RpcExecutor(["worker1"]) as executor:  # the group is still there
        found["again"] = remote_map(pid, [x], executor=executor) == [pids["worker1"]]
    try:
        RpcExecutor(["nobody"])
    except ValueError as error:
        found["nobody"] = str(error)
    return found


@auto_init_rpc()
def main(directory, *lost):
    if os.environ["RANK"] == "0":
        print("FOUND " + json.dumps(control(directory, lost)), flush=True)
        barrier(["worker0", "worker1"])
    elif os.environ["RANK"] == "1":
        barrier(["worker0", "worker1"])


if __name__ == "__main__":
    main(*sys.argv[1:])
