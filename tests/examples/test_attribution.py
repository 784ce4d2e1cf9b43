"""The attribution example: its scores by retraining, and its claim."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from examples.attribution import Config, Training, gradient_products, score
from examples.tools.digits import Data, split_digits
from examples.tools.statistics import rank_correlation
from torchopt.diff import Explicit

_TINY = Config(width=6, steps=12, batch=20, images=100, targets=3, subsets=6)


def _prepare(config: Config, dtype: torch.dtype = torch.float64) -> tuple[Training, Data]:
    targets, data, _ = split_digits(config.seed, config.targets, config.images)
    return Training(config, Data(data.x.to(dtype), data.y)), Data(targets.x.to(dtype), targets.y)


def test_metagradient_equals_finite_differences_of_retraining() -> None:
    training, targets = _prepare(replace(_TINY, width=3, steps=10, lr=0.5))
    scores = score(training, targets, training.run, Explicit("tree"))
    eps, places = 1e-5, torch.tensor([3, 17, 40, 88])
    up = training.ones + eps * torch.eye(100, dtype=torch.float64)[places]
    found = (training.changes(targets, up) - training.changes(targets, 2 - up)).T / (2 * eps)
    assert scores[:, places].abs().min() > 1e-7
    torch.testing.assert_close(scores[:, places], found, rtol=1e-5, atol=1e-10)


@pytest.mark.slow
def test_metagradient_predicts_what_retraining_does_and_gradient_products_do_not() -> None:
    training, targets = _prepare(Config(steps=100, images=400, targets=4), torch.float32)
    scores = {
        "metagradient": score(training, targets, training.run, Explicit()),
        "gradient products": gradient_products(training, targets),
    }
    order = torch.rand(30, 400, generator=torch.Generator().manual_seed(0)).argsort(-1)
    ranking = scores["metagradient"].argsort(1)
    rows = [(order >= left_out).float() for left_out in (8, 40)]
    for places in (ranking, ranking.flip(1)):  # helpful, harmful
        rows.append(torch.ones(4, 400).scatter(1, places[:, :8], 0.0))
    changes = training.changes(targets, torch.cat(rows)).split([*map(len, rows)])
    for weights, change in zip(rows[:2], changes[:2], strict=True):
        predicted = {name: (weights - 1) @ of.T for name, of in scores.items()}
        assert rank_correlation(predicted["metagradient"], change).mean() >= 0.9
        assert rank_correlation(predicted["gradient products"], change).mean() < 0.8
    assert (changes[2].diagonal() > 0).all()
    assert (changes[3].diagonal() < 0).all()
