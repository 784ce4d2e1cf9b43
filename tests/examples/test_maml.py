"""MAML on letters and on waves: its meta-steps, its exact resumption, its claim."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy

import torchopt
from examples import maml, maml_sinusoid
from examples.maml import Config
from examples.tools import letters
from examples.tools.report import Report
from examples.tools.tasks import ZERO_ERROR, Tasks

_TINY = Config(
    ways=3,
    queries=2,
    test_queries=3,
    channels=4,
    inner_lr=0.05,
    inner_steps=2,
    meta_batch=3,
    iterations=3,
    test_tasks=4,
    scratch_steps=2,
)
_WAVES = maml_sinusoid.Config(
    shots=5,
    queries=4,
    test_queries=6,
    width=6,
    meta_batch=3,
    iterations=3,
    scratch_steps=2,
    test_tasks=4,
)
Params = dict[str, torch.Tensor]


def _network(seed: int = 1) -> tuple[nn.Module, Params]:
    """Return a network off the symmetric start, where the head is zero and gradients vanish."""
    network, params = maml.make_network(_TINY.ways, _TINY.channels, _TINY.seed)
    generator = torch.Generator().manual_seed(seed)
    noise = {n: 0.1 * torch.randn(p.shape, generator=generator) for n, p in params.items()}
    return network.double(), {n: (p + noise[n]).double() for n, p in params.items()}


@pytest.fixture
def double(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let tasks be in double precision."""
    sample = letters.sample

    def sample_double(*args: Any) -> Tasks:
        x, y, query_x, query_y = sample(*args)
        return Tasks(x.double(), y, query_x.double(), query_y)

    monkeypatch.setattr(letters, "sample", sample_double)


def _loss(network: nn.Module, params: Params, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return cross_entropy(torch.func.functional_call(network, params, x), y)


def _outer_loss(network: nn.Module, params: Params, tasks: Tasks, config: Config) -> torch.Tensor:
    """Return the loss after adaptation, task by task, in plain PyTorch."""
    losses = []
    for x, y, query_x, query_y in zip(*tasks, strict=True):
        near = params
        for _ in range(config.inner_steps):
            grads = torch.autograd.grad(
                _loss(network, near, x, y), tuple(near.values()), create_graph=True
            )
            if config.first_order:
                grads = tuple(g.detach() for g in grads)
            near = {
                n: p - config.inner_lr * g for (n, p), g in zip(near.items(), grads, strict=True)
            }
        losses.append(_loss(network, near, query_x, query_y))
    return torch.stack(losses).mean()


@pytest.mark.usefixtures("double")
@pytest.mark.parametrize("first_order", [False, True])
def test_meta_steps_equal_those_of_plain_pytorch(
    first_order: bool, images: dict[str, torch.Tensor]
) -> None:
    config = replace(_TINY, first_order=first_order)
    network, start = _network()
    read = maml.reader(
        network, lr=config.inner_lr, steps=config.inner_steps, first_order=first_order
    )
    learned, curve = maml.meta_train(read, start, images["train"], config, Report())

    params = {name: p.clone().requires_grad_() for name, p in start.items()}
    outer = torch.optim.Adam(params.values(), config.outer_lr)
    schedule = torch.optim.lr_scheduler.LambdaLR(outer, lambda k: 1 - k / config.iterations)
    generator = torch.Generator().manual_seed(config.seed)
    for _ in range(config.iterations):
        tasks = letters.sample(images["train"], config.meta_batch, 3, 1, 2, generator)
        outer.zero_grad()
        _outer_loss(network, params, tasks, config).backward()
        outer.step()
        schedule.step()
    assert len(curve) == config.iterations
    for name, p in params.items():
        assert (p - start[name]).abs().max() > 1e-3
        torch.testing.assert_close(learned[name], p.detach(), rtol=1e-8, atol=1e-9)


def _run(config: Any, folder: Path, module: ModuleType) -> Any:
    folder.mkdir(exist_ok=True)
    return module.run(config, Report(folder=folder))


@pytest.mark.usefixtures("no_pictures")
@pytest.mark.parametrize("module", [pytest.param(maml, marks=pytest.mark.slow), maml_sinusoid])
def test_resumed_run_is_the_uninterrupted_one(
    module: ModuleType,
    images: dict[str, torch.Tensor],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(letters, "load", lambda omniglot: images)
    config = replace(_TINY if module is maml else _WAVES, meta_batch=2, iterations=6, save_every=2)
    random = torch.get_rng_state()
    whole = _run(config, tmp_path / "whole", module)
    assert torch.equal(torch.get_rng_state(), random)

    # Interrupted one step after the second checkpoint: that step is done again.
    apply, steps = torchopt.apply_updates, 0

    def interrupted(*args: Any, **options: Any) -> Any:
        nonlocal steps
        steps += 1
        if steps > 5:
            raise KeyboardInterrupt
        return apply(*args, **options)

    monkeypatch.setattr(torchopt, "apply_updates", interrupted)
    with pytest.raises(KeyboardInterrupt):
        _run(config, tmp_path / "parts", module)
    steps = 0
    resumed = _run(config, tmp_path / "parts", module)
    assert steps == 2
    torch.testing.assert_close(resumed, whole, rtol=0, atol=0)


@pytest.mark.slow
def test_maml_learns_sinusoids() -> None:
    config = replace(
        maml_sinusoid.Config(),
        width=20,
        inner_lr=0.02,
        outer_lr=5e-3,
        iterations=300,
        meta_batch=10,
        scratch_steps=10,
        test_tasks=200,
    )
    losses, errors = maml_sinusoid.run(config)
    assert sum(losses[-30:]) < 0.8 * sum(losses[:30])
    assert errors["MAML"].mean() < 0.6 * ZERO_ERROR
