"""The imbalance example: its data, its weights against the closed form, its claim, and a tiny run."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from examples.imbalance import PRESETS, Config, example_weights, load, run, train
from examples.tools.digits import Data

_TINY = Config(common=20, rare=4, clean=2, steps=20, batch=10, width=8, seeds=2)


def test_parts_have_so_many_of_each_class_and_test_images_are_in_no_other() -> None:
    parts = load(_TINY)
    train_part, clean, test = parts
    counts = [part.y.bincount().tolist() for part in parts]
    assert counts[0] == [20, 4]
    assert counts[1] == [2, 2]
    assert min(counts[2]) > 100
    seen = {tuple(image) for image in train_part.x.tolist()}
    assert {tuple(image) for image in clean.x.tolist()} <= seen
    assert not seen & {tuple(image) for image in test.x.tolist()}


@pytest.mark.parametrize("lr", [0.01, 1.0])
def test_weights_are_rectified_products_of_gradients(lr: float) -> None:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(64, 8), nn.Tanh(), nn.Linear(8, 2)).double()
    train_part, clean, _ = (Data(part.x.double(), part.y) for part in load(_TINY))

    def gradient(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        parts = torch.autograd.grad(cross_entropy(net(x), y), net.parameters())
        return torch.cat([part.flatten() for part in parts])

    towards = gradient(*clean)
    products = torch.stack(
        [
            towards @ gradient(x[None], y[None])
            for x, y in zip(train_part.x, train_part.y, strict=True)
        ]
    )
    assert products.min() < 0 < products.max()
    expected = products.clamp(min=0) / products.clamp(min=0).sum()
    found = example_weights(net, train_part, clean, lr)
    torch.testing.assert_close(found, expected.to(found.dtype), rtol=1e-6, atol=1e-8)


def test_weights_are_zero_where_no_image_helps() -> None:
    torch.manual_seed(0)
    net = nn.Linear(64, 2)
    _, clean, _ = load(_TINY)
    opposite = Data(clean.x, 1 - clean.y)
    found = example_weights(
        net, Data(clean.x[:1], 1 - clean.y[:1]), Data(clean.x[:1], clean.y[:1]), 0.1
    )
    assert found.tolist() == [0.0]
    assert example_weights(net, clean, clean, 0.1).sum() == pytest.approx(1.0)
    assert example_weights(net, opposite, clean, 0.1).isfinite().all()


@pytest.mark.parametrize("rate", [0.3, 0.7])
def test_resampling_draws_the_rare_class_at_its_rate(rate: float) -> None:
    _, rare = train(replace(_TINY, steps=100, batch=50), rate, False)
    assert rare == pytest.approx(rate, abs=0.03)


@pytest.mark.slow
def test_learned_weights_are_as_good_as_the_best_rate() -> None:
    last = {name: float(curve[:, -1].mean()) for name, curve in run(PRESETS["default"]).items()}
    best = max(score for name, score in last.items() if name.startswith("resampled"))
    assert last["reweighted"] > last["plain"] + 0.04
    assert last["reweighted"] > best - 0.01
