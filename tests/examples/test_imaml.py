"""The implicit MAML example: its meta-gradient, the common start, and a run of seconds."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy

import torchopt
from examples.imaml import Config, implicit_reader, run
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


@pytest.mark.filterwarnings("ignore:`Implicit` differentiates a point")  # three steps
def test_tasks_in_a_batch_do_not_see_each_other(images: dict[str, torch.Tensor]) -> None:
    network, params = _start(images["train"])
    read, tasks = implicit_reader(network, _TINY), _tasks(images["test"], 3)
    together = read(params, tasks)
    for i, alone in enumerate(together):
        torch.testing.assert_close(read(params, Tasks(*(t[i : i + 1] for t in tasks)))[0], alone)


@pytest.mark.slow
@pytest.mark.usefixtures("no_pictures")
@pytest.mark.filterwarnings("ignore:`Implicit` differentiates a point")  # one step
def test_both_learn_from_one_start_and_a_run_is_repeatable(
    images: dict[str, torch.Tensor], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(letters, "load", lambda: images)
    config = replace(_TINY, inner_steps=1, warmup=2, meta_batch=2, iterations=2, test_tasks=2)
    first, again = run(config), run(config)
    assert set(first) == {"MAML", "implicit MAML"}
    for name, learned in first.items():
        assert len(learned.curve) == 2
        torch.testing.assert_close(learned.params, again[name].params, rtol=0, atol=0)
    a, b = (learned.params["0.weight"] for learned in first.values())
    assert not torch.equal(a, b)


def test_features_are_learned_and_the_head_is_left(images: dict[str, torch.Tensor]) -> None:
    network, before = make_network(3, 4, 0)
    before = {name: p.clone() for name, p in before.items()}
    random = torch.get_rng_state()
    losses: list[float] = []

    class Losses(Report):
        def progress(self, what: str, total: int) -> Any:
            return contextlib.nullcontext(lambda text: losses.append(float(text.split()[1])))

    letters.learn_features(network, images["train"], 60, 0, Losses())
    assert torch.equal(torch.get_rng_state(), random)
    assert losses[-1] < 0.8 * losses[0]
    assert not torch.equal(network.get_parameter("0.weight"), before["0.weight"])
    assert not network.get_parameter("13.weight").any()
