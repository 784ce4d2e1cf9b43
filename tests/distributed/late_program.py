"""A worker whose main function has returned does for the first time what it is asked for."""

import json

import torch

import torchopt
from torchopt import native
from torchopt.distributed import auto_init_rpc, remote_map, world


def adapt(x):
    """The loss after two steps of an optimizer, whose kernels are loaded by the first call."""
    solution = torchopt.minimize(
        lambda p: ((p - x) ** 2).sum(), x.detach() * 0, solver=torchopt.adam(0.1), steps=2
    )
    return (solution.params * x).sum()


def nested(x):
    """A worker that asks the first rank to do it."""
    return remote_map(adapt, [x], executor="rpc", workers=["worker0"])[0]


def forth(x):
    """A worker that asks itself, by way of the group."""
    return remote_map(adapt, [x], executor="rpc", workers=["worker1"])[0]


def live(x):
    return native.is_live()


@auto_init_rpc(worker_name_format=lambda world_rank, **_: f"worker{world_rank}")
def main():
    if world.get_world_rank() != 0:
        return
    with world._NEWS:  # until the other one waits at its end
        while "worker1" not in world._AT_END:
            world._NEWS.wait(1.0)
    x = torch.tensor([0.5, -1.0, 2.0], dtype=torch.float64, requires_grad=True)
    found = []
    for function in (adapt, nested, forth):
        (value,) = remote_map(function, [x], executor="rpc", workers=["worker1"])
        (there,) = torch.autograd.grad(value, x)
        (here,) = torch.autograd.grad(adapt(x), x)
        found.append(float((there - here).abs().max()))
    found += remote_map(live, [x], executor="rpc", workers=["worker1"])
    print("FOUND", json.dumps(found))


if __name__ == "__main__":
    main()
