"""Runs with a folder of checkpoints that are killed, and go on when the same program runs again."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.func import functional_call

import torchopt
from torchopt.diff import Explicit, _resume

STEPS = 9
BATCH = 8


class Assigned(nn.Module):
    """A layer that assigns a buffer, which its output depends on."""

    mean: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(6))

    def forward(self, x: Tensor) -> Tensor:
        self.mean = 0.9 * self.mean + 0.1 * x.detach().mean(0)
        return x - self.mean


class Double(torch.autograd.Function):
    """Twice its input; a custom function makes the first run look at second derivatives, too."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return 2 * x

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        return 2 * g

    @staticmethod
    def jvp(ctx: Any, t: Tensor) -> Any:
        return 2 * t


def run(
    kind: str, folder: str | None, diff: Explicit, on: Callable[[], None] = lambda: None
) -> Any:
    """Return all that a program finds and leaves: solution, gradients, buffers and random states.

    Args:
        kind: Which program.
        folder: The folder of checkpoints.
        diff: The mode.
        on: What is called at each evaluation of the objective.
    """
    torch.manual_seed(0)
    middle = {"network": nn.BatchNorm1d(6), "assigned": Assigned()}.get(kind, nn.Identity())
    net = nn.Sequential(nn.Linear(3, 6), middle, nn.Tanh(), nn.Dropout(0.3), nn.Linear(6, 2))
    start = {k: v.detach().clone().requires_grad_() for k, v in net.named_parameters()}
    lr = torch.tensor(0.05, requires_grad=True)
    weights = torch.zeros(BATCH, requires_grad=True)  # closed over
    late = torch.tensor(0.3, requires_grad=True)  # read from the middle on
    x, y = torch.randn(STEPS, BATCH, 3), torch.randn(STEPS, BATCH, 2)
    shift = torch.zeros(STEPS, 2, requires_grad=True)  # in the batches
    generator = torch.Generator().manual_seed(1)

    def drawn(step: int) -> Any:
        chosen = torch.randint(STEPS, (), generator=generator)
        return x[chosen], y[chosen], shift[step], torch.tensor(step)

    hooks = {on}  # in a set, as a run is also known by the functions that the objective reads

    def objective(p: Any, batch: Any) -> Tensor:
        for hook in hooks:
            hook()
        inputs, targets, moved, step = batch
        out = functional_call(net, p, (inputs,)) + moved
        if kind == "late" and step >= STEPS // 2:
            out = Double.apply(out) * late
        return (weights.exp() * (out - targets).square().mean(1)).mean()

    stacked = (x, y, shift, torch.arange(STEPS))
    solution = torchopt.minimize(
        objective,
        start,
        solver=torchopt.adam(lr),
        steps=STEPS,
        batches=drawn if kind == "assigned" else stacked,
        diff=diff,
        checkpoint=folder,
    )
    wanted = [*start.values(), lr, weights, shift, *([late] if kind == "late" else [])]
    outer = sum(p.square().sum() for p in solution.params.values())
    gradients = torch.autograd.grad(outer, wanted)
    random = [torch.get_rng_state(), generator.get_state()]
    found = [*solution.params.values(), solution.stats.last_value, *gradients]
    return [t.detach() for t in [*found, *net.buffers(), *random]]


def die_at(event: int, kind: str, folder: str, diff: Explicit, result: str) -> None:
    """Run a program, which kills itself at an event: an evaluation, or a step of writing a file.

    What it finds is written, if there are fewer events.
    """
    _resume.SHARE = 1.0  # so that there is a file of each step
    events = 0

    def count() -> None:
        nonlocal events
        events += 1
        if events == event:
            os.kill(os.getpid(), signal.SIGKILL)

    def counted(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any) -> Any:
            count()
            return function(*args)

        return call

    os.fsync, os.replace = counted(os.fsync), counted(os.replace)
    torch.save(run(kind, folder, diff, count), result)
