"""What runs on each of two hosts, whose link is then cut; see ``test_two_hosts.py``."""

from __future__ import annotations

import sys
import time
from datetime import timedelta

import torch
import torch.distributed as dist

from torchopt.distributed import spmd
from torchopt.errors import WorkerLostError

LIMIT = 5.0


def third_order(loss, x):
    value = loss(x)
    for _ in range(2):
        (g,) = torch.autograd.grad(value, x, create_graph=True)
        value = (g**2).sum()
    return torch.autograd.grad(value, x)[0]


def main() -> None:
    torch.set_num_threads(1)
    dist.init_process_group("gloo", timeout=timedelta(seconds=LIMIT))
    rank, size = dist.get_rank(), dist.get_world_size()
    x = torch.tensor([0.5, -1.0, 2.0], dtype=torch.float64, requires_grad=True)
    data = [torch.tensor([1.0, 2.0, 3.0]).double() * (k + 1) for k in range(size)]

    def of(x, d):
        return ((x * d).sin().sum()) ** 2

    def shared(x):
        return spmd.psum(of(spmd.pvary(x), data[rank]))

    found = third_order(shared, x)
    expected = third_order(lambda x: sum(of(x, d) for d in data), x)
    print("difference", float((found - expected).abs().max() / expected.abs().max()), flush=True)
    print("ready", flush=True)
    assert sys.stdin.readline() == "the link is down\n"
    began = time.monotonic()
    try:
        value = shared(x)
    except WorkerLostError as error:
        print("lost", time.monotonic() - began, error, flush=True)
    else:
        print("a number", float(value.detach()), flush=True)


if __name__ == "__main__":
    main()
