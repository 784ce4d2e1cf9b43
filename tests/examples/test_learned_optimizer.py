"""The learned optimizer's example: its tasks, resumed meta-training, its claim, and a tiny run."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from pathlib import Path

import pytest
import torch

import torchopt
from examples.learned_optimizer import (
    PRESETS,
    TESTS,
    Config,
    curves,
    meta_train,
    run,
)
from examples.tools.report import Report
from examples.tools.trainings import begin, draw, go_on, loss_of, vary

_TINY = Config(steps=10, truncation=5, batch=4, tasks=2, hidden=4, episodes=2, test_tasks=2)


def _generator() -> torch.Generator:
    return torch.Generator().manual_seed(0)


def test_a_training_is_that_of_adam_by_hand() -> None:
    network = (torch.tanh, (8, 6))
    ours = draw(network, range(5, 10), _generator(), number=3, steps=6, batch=10)
    tx = torchopt.adam(0.02)
    _, carry = go_on(tx, ours, begin(tx, ours), 0, 2)
    losses, (weights, _) = go_on(tx, ours, carry, 2, 4)
    params = {name: w[1].clone().requires_grad_() for name, w in ours.weights.items()}
    adam = torch.optim.Adam(params.values(), 0.02)
    for x, y in zip(ours.x[1], ours.y[1], strict=True):
        adam.zero_grad()
        loss_of(network, params, (x, y)).backward()
        adam.step()
    for name, p in params.items():
        torch.testing.assert_close(weights[name][1], p.detach(), rtol=1e-4, atol=1e-5)
    expected = loss_of(network, params, (ours.test_x, ours.test_y[1]))
    torch.testing.assert_close(losses[1], expected.detach(), rtol=1e-4, atol=1e-5)


def test_tasks_have_their_digits_and_no_test_image_is_trained_on() -> None:
    low, high = (
        draw((torch.relu, (4,)), d, _generator(), number=2, steps=300, batch=10)
        for d in (range(5), range(5, 10))
    )
    images = [{tuple(image) for image in t.flatten(0, -2).tolist()} for t in (low.x, high.x)]
    tests = [{tuple(image) for image in t.test_x.tolist()} for t in (low, high)]
    assert min(map(len, images)) > 550
    assert not (images[0] | tests[0]) & (images[1] | tests[1])
    assert not images[0] & tests[0]
    assert not images[1] & tests[1]
    assert not torch.equal(low.test_y[0], low.test_y[1])  # the labels are shuffled
    pairs = set(zip(low.test_y[0].tolist(), low.test_y[1].tolist(), strict=True))
    assert len(pairs) == 5
    varied = vary(low, _generator())
    assert not torch.equal(varied.x, low.x)
    assert torch.equal(varied.y, low.y)


@pytest.mark.parametrize(
    "estimator", [pytest.param("unroll", marks=pytest.mark.slow), "persistent"]
)
def test_meta_training_that_is_resumed_is_that_of_one_run(estimator: str, tmp_path: Path) -> None:
    config = replace(_TINY, estimator=estimator, save_every=1, pairs=1, steps=4, truncation=2)
    whole, first, resumed = tmp_path / "whole", tmp_path / "first", Report(folder=tmp_path)
    for folder in (whole, first):
        folder.mkdir()
    tasks = draw((torch.relu, (4,)), range(5), _generator(), number=2, steps=5, batch=4)

    def after(report: Report) -> torch.Tensor:
        tx = meta_train(config, report)
        return go_on(tx, tasks, begin(tx, tasks), 0, 5)[0]

    expected = after(Report(folder=whole))
    saved: list[object] = []
    resumed.save = lambda state: saved.append(deepcopy(state))  # type: ignore[method-assign]
    after(resumed)
    Report(folder=first).save(saved[0])  # after one of two episodes
    torch.testing.assert_close(after(Report(folder=first)), expected, rtol=0, atol=0)


@pytest.mark.slow
def test_a_learned_optimizer_beats_a_tuned_adam_on_other_digits() -> None:
    result = run(PRESETS["quick"])
    learned = result.pop("learned")
    assert learned.shape == (3, 30, 10)
    adam = next(losses for name, losses in result.items() if "decaying" not in name)
    assert (learned.mean((1, 2)) < 0.9 * adam.mean((1, 2)))[1:].all()  # the mean over the steps


@pytest.mark.slow
@pytest.mark.parametrize("test", TESTS)
def test_curves_fall(test: str) -> None:
    config = replace(_TINY, steps=20, batch=20)
    falling = curves(config, torchopt.adam(0.03), test, 0)
    assert falling.shape == (6, 4)
    assert falling[:, -1].mean() < 0.9 * falling[:, 0].mean()
