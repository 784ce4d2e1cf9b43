"""Functions that workers import."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from typing import NamedTuple

import torch
from torch import nn

from torchopt.distributed import _process


def cubic(x, w):
    return (x**3 * w).sum(), x * w**2


def player_one(a, b):
    return torch.tanh(a @ b) + 0.3 * (a * a).sum() * b.sum()


def player_two(a, b):
    return torch.sin(b @ a) * (b * b).sum()


class Result(NamedTuple):
    loss: torch.Tensor
    logits: list[torch.Tensor]
    label: str
    correct: torch.Tensor


def with_structure(data, scale):
    loss = (data["x"] ** 2 * scale).sum()
    return Result(loss, [data["x"] * 3, data["x"].sin()], "task", (data["x"] > 0).sum())


def unused(x, y):
    return (x**2).sum()


def noisy(x, scale):
    return (x * torch.rand_like(x) * scale).sum()


def dropped(net, x):
    return net(x).square().mean()


def fails(x):
    raise KeyError(f"no such thing as {x.shape}")


class AwkwardError(Exception):
    def __init__(self, a, b):
        super().__init__(f"{a} and {b}")


def fails_awkwardly(x):
    raise AwkwardError("this", "that")


def process_of(x):
    return os.getpid()


def serves_late(*args):
    """What a worker runs, as if to start it took long."""
    time.sleep(0.5)
    _process._serve(*args)


def slow(x, seconds):
    time.sleep(seconds)
    return (x**2).sum()


def kills_itself(x):
    os.kill(os.getpid(), signal.SIGKILL)


def end_this_process(how):
    os.kill(os.getpid(), how)


def first_dies(x, path, how, kill=end_this_process):
    """The first process that comes here dies or stops; another one finds its mark and answers."""
    try:
        with open(path, "x"):
            pass
    except FileExistsError:
        return torch.sin(x).sum() + (x**3).sum()
    kill(how)


def recurrent(net, x):
    return net(x)[0].square().sum()


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(3, 3)
        self.b = nn.Linear(3, 3)
        self.b.weight = self.a.weight

    def forward(self, x):
        return self.b(torch.tanh(self.a(x)))


def in_default_dtype(size):
    return torch.ones(size)


def matmul(a, b):
    return a @ b


def threads_of(x):
    return torch.get_num_threads()


def value_of(p):
    return p.detach().clone()


def meet(path, what):
    if what != "nothing":
        with open(path, what[0]) as pipe:
            pipe.write("x") if what == "write" else pipe.read()
    return os.getpid()


def noisy_layer(weight, x):
    return nn.functional.dropout(torch.tanh(x @ weight.T), 0.3).sum(1) * torch.rand(2).double()


def with_label(x, net):
    return net(x).square().sum(), "a label"


def first_dies_later(x, path, how):
    """The value, and then once the end of the process that evaluates it."""
    if multiprocessing.parent_process() is not None:
        try:
            with open(path, "x"):
                os.kill(os.getpid(), how)
        except FileExistsError:
            pass
    return (x**2).sum()


def trains_its_own(seed):
    torch.manual_seed(seed)
    net = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        net(torch.ones(4, 2)).square().mean().backward()
        optimizer.step()
    return net.weight.detach()


def adapts(w, x):
    (g,) = torch.autograd.grad((w * x).sin().sum(), w, create_graph=True)
    return ((w - 0.1 * g) * x).square().sum()


def inverse(x):
    return torch.linalg.inv(x @ x.T + torch.eye(4)).sum()


def leaves(x):
    raise SystemExit(3)
