"""The imbalance example: its weights against the closed form, its claim."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from examples.imbalance import PRESETS, Config, example_weights, load, run
from examples.tools.digits import Data

_TINY = Config(common=20, rare=4, clean=2, steps=20, batch=10, width=8, seeds=2)


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


@pytest.mark.slow
def test_learned_weights_are_as_good_as_the_best_rate() -> None:
    curves = run(replace(PRESETS["quick"], steps=150))
    last = {name: float(curve[:, -1].mean()) for name, curve in curves.items()}
    best = max(score for name, score in last.items() if name.startswith("resampled"))
    assert last["reweighted"] > last["plain"] + 0.04
    assert last["reweighted"] > best - 0.01
