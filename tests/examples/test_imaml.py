"""The implicit MAML example: its meta-gradient."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import nn
from torch.nn.functional import cross_entropy

import torchopt
from examples.imaml import Config, implicit_reader
from examples.maml import Params, make_network
from examples.tools import letters
from examples.tools.report import Report
from examples.tools.tasks import Tasks

_TINY = Config(
    ways=3,
    queries=2,
    test_queries=3,
    channels=4,
    inner_steps=3,
    warmup=4,
    meta_batch=3,
    iterations=3,
    test_tasks=4,
)


def _start(images: torch.Tensor) -> tuple[nn.Module, Params]:
    network, _ = make_network(_TINY.ways, _TINY.channels, 0)
    network.double()
    letters.learn_features(network, images, 5, 0, Report())
    return network, {name: p.detach() for name, p in network.named_parameters()}


def _tasks(images: torch.Tensor, count: int) -> Tasks:
    generator = torch.Generator().manual_seed(3)
    x, y, query_x, query_y = letters.sample(images, count, 3, 1, 2, generator)
    return Tasks(x.double(), y, query_x.double(), query_y)


def test_meta_gradient_equals_backpropagation_through_converged_descent(
    images: dict[str, torch.Tensor],
) -> None:
    config = replace(_TINY, inner_lr=0.018, inner_steps=16, penalty=50.0, cg_steps=16)
    network, params = _start(images["train"])
    for name, module in network.named_children():
        if isinstance(module, nn.ReLU):  # descent may end at a kink, which has no derivative
            setattr(network, name, nn.Softplus())
    tasks = _tasks(images["train"], 2)
    start = {name: p.clone().requires_grad_() for name, p in params.items()}
    call = torch.func.functional_call
    outer = torch.zeros((), dtype=torch.float64)
    for x, y, query_x, query_y in zip(*tasks, strict=True):
        near = start
        for _ in range(config.inner_steps):
            distance = sum((p - start[name]).square().sum() for name, p in near.items())
            loss = cross_entropy(call(network, near, x), y) + 25 * distance
            grads = torch.autograd.grad(loss, tuple(near.values()), create_graph=True)
            steps = zip(near.items(), grads, strict=True)
            near = {name: p - config.inner_lr * g for (name, p), g in steps}
        outer = outer + cross_entropy(call(network, near, query_x), query_y) / 2
    expected = torch.autograd.grad(outer, tuple(start.values()))

    read = implicit_reader(network, config)
    grads, loss = torchopt.meta_grad_and_value(
        lambda params: cross_entropy(read(params, tasks).flatten(0, 1), tasks.query_y.flatten())
    )(params)
    torch.testing.assert_close(loss, outer.detach())
    for g, e in zip(grads.values(), expected, strict=True):
        assert e.abs().max() > 1e-5
        torch.testing.assert_close(g, e, rtol=1e-5, atol=1e-8)
