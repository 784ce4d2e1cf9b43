"""MAML as two levels: its steps equal those of plain PyTorch and of the functional program."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

import torchopt
from examples.maml_multilevel import Config, make_engine, run
from examples.maml_sinusoid import make_network, predict
from examples.tools.report import Report
from examples.tools.tasks import sample_waves

_TINY = Config(shots=5, queries=5, width=8, meta_batch=3, iterations=8, save_every=3, test_tasks=20)


@pytest.mark.parametrize("steps", [1, 3])
def test_meta_gradient_is_that_of_backpropagation_by_hand(steps: int) -> None:
    config = replace(_TINY, inner_steps=steps, inner_lr=0.05)
    engine = make_engine(config, Report())
    meta, adaptation = engine.problems
    found: dict[str, torch.Tensor] = {}
    start = {name: p.detach().clone().requires_grad_() for name, p in meta.params.items()}
    type(meta).grad_callback = lambda self: found.update(  # type: ignore[method-assign]
        {name: p.grad.clone() for name, p in self.params.items()}
    )
    for _ in range(steps):
        engine.train_step()
    engine.sink.close()
    generator = torch.Generator().manual_seed(config.seed)
    tasks = sample_waves(3, 5, 5, generator, torch.float64)
    losses = []
    for x, y, query_x, query_y in zip(*tasks, strict=True):
        params = list(start.values())
        for _ in range(steps):
            loss = _square_error(params, x, y)
            grads = torch.autograd.grad(loss, params, create_graph=True)
            params = [p - config.inner_lr * g for p, g in zip(params, grads, strict=True)]
        losses.append(_square_error(params, query_x, query_y))
    expected = torch.autograd.grad(torch.stack(losses).mean(), tuple(start.values()))
    assert len(found) == len(expected)
    for g, e in zip(found.values(), expected, strict=True):
        assert e.abs().max() > 1e-3
        torch.testing.assert_close(g, e, rtol=1e-10, atol=1e-12)
    # The displacements are those of the tasks, each with its own.
    first = adaptation.params["0.weight"]
    assert not torch.equal(first[0], first[1])


def _square_error(params: list[torch.Tensor], x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    w1, b1, w2, b2, w3, b3 = params
    hidden = ((x @ w1.T + b1).relu() @ w2.T + b2).relu()
    return (hidden @ w3.T + b3 - y).square().mean()


def test_each_step_is_that_of_the_functional_program() -> None:
    found = run(_TINY)
    network, params = make_network(_TINY.width, _TINY.seed, torch.float64)
    sgd = torchopt.sgd(_TINY.inner_lr)

    def meta_loss(params, tasks):  # type: ignore[no-untyped-def]
        outputs = predict(network, params, tasks, sgd, _TINY.inner_steps)
        return (outputs - tasks.query_y).square().mean()

    lr = torchopt.schedule.linear_schedule(_TINY.outer_lr, 0.0, _TINY.iterations)
    outer, generator = torchopt.adam(lr), torch.Generator().manual_seed(_TINY.seed)
    state, losses = outer.init(params), []
    for _ in range(_TINY.iterations):
        tasks = sample_waves(3, 5, 5, generator, torch.float64)
        grads, loss = torchopt.meta_grad_and_value(meta_loss)(params, tasks)
        updates, state = outer.update(grads, state, params=params)
        params = torchopt.apply_updates(params, updates, inplace=False)
        losses.append(loss.item())
    assert found.losses == pytest.approx(losses, rel=1e-12)
    torch.testing.assert_close(found.start, params, rtol=1e-10, atol=1e-12)


@pytest.mark.slow
def test_learned_start_is_better_than_the_first() -> None:
    config = Config(width=16, meta_batch=8, iterations=150, inner_lr=0.02, outer_lr=1e-2)
    losses = run(config).losses
    assert sum(losses[-30:]) < 0.8 * sum(losses[:30])
