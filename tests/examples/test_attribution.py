"""The attribution example: its scores by formulas and by retraining, and a run of seconds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch

import torchopt
from examples.attribution import Config, Training, all_scores
from examples.tools.digits import Data, split_digits
from examples.tools.statistics import rank_correlation
from torchopt.diff import DifferentiationMode, Explicit, Implicit, OneStep

_TINY = Config(width=6, steps=12, batch=20, images=100, targets=3, subsets=6)


def _prepare(config: Config, dtype: torch.dtype = torch.float64) -> tuple[Training, Data]:
    targets, data, _ = split_digits(config.seed, config.targets, config.images)
    return Training(config, Data(data.x.to(dtype), data.y)), Data(targets.x.to(dtype), targets.y)


def _scores(
    training: Training, targets: Data, params: Callable[..., Any], *args: Any
) -> torch.Tensor:
    def losses(w: torch.Tensor) -> torch.Tensor:
        return training.losses(params(w, *args), targets)

    found: torch.Tensor = torch.func.jacrev(losses)(training.ones)
    return found


@pytest.mark.parametrize(
    "memory",
    ["step", *(pytest.param(m, marks=pytest.mark.slow) for m in ("graph", "sqrt", "tree"))],
)
def test_metagradient_equals_finite_differences_of_retraining(memory: str) -> None:
    training, targets = _prepare(replace(_TINY, width=3, steps=10, lr=0.5))
    scores = _scores(training, targets, training.run, Explicit(memory=memory))
    eps, places = 1e-5, torch.tensor([3, 17, 40, 88])
    up = training.ones + eps * torch.eye(100, dtype=torch.float64)[places]
    found = (training.changes(targets, up) - training.changes(targets, 2 - up)).T / (2 * eps)
    assert scores[:, places].abs().min() > 1e-7
    torch.testing.assert_close(scores[:, places], found, rtol=1e-5, atol=1e-10)


def test_image_of_no_batch_has_no_score_and_its_loss_no_change() -> None:
    training, targets = _prepare(replace(_TINY, steps=10, batch=5, images=300))
    unseen = torch.ones(300).scatter(0, training.batches.flatten(), 0.0).bool()
    assert 0 < unseen.sum() < 300
    scores = _scores(training, targets, training.run, Explicit())
    assert torch.equal(scores.abs().sum(0) == 0, unseen)
    weights = (~unseen).double()[None]
    assert training.changes(targets, weights).abs().max() < 1e-12


def test_trainings_side_by_side_are_those_one_by_one() -> None:
    training, targets = _prepare(_TINY)
    weights = (torch.rand(4, 100, generator=torch.Generator().manual_seed(0)) > 0.2).double()
    before = training.losses(training.run(training.ones), targets)
    for row, change in zip(weights, training.changes(targets, weights), strict=True):
        after = training.losses(training.run(row), targets)
        torch.testing.assert_close(change, (after - before).detach())


def test_scores_at_the_end_equal_formulas() -> None:
    training, targets = _prepare(replace(_TINY, width=2))
    params = {name: p.detach() for name, p in training.run(training.ones).items()}
    flat = torch.cat([p.flatten() for p in params.values()])

    def unflatten(flat: torch.Tensor) -> dict[str, torch.Tensor]:
        parts = flat.split([p.numel() for p in params.values()])
        named = zip(params.items(), parts, strict=True)
        return {name: part.view_as(p) for (name, p), part in named}

    def jacobian(data: Data) -> torch.Tensor:
        found: torch.Tensor = torch.func.jacrev(lambda v: training.losses(unflatten(v), data))(flat)
        return found.detach()

    def at(mode: DifferentiationMode) -> torch.Tensor:
        return _scores(training, targets, training.at, mode, params)

    wanted, own, count = jacobian(targets), jacobian(training.data), len(training.data.y)
    products = at(OneStep(step_size=0.3, hvp="reverse"))
    torch.testing.assert_close(products, -0.3 / count * wanted @ own.T)
    hessian = torch.func.hessian(lambda v: training.losses(unflatten(v), training.data).mean())(
        flat
    )
    damped = hessian.detach() + 0.5 * torch.eye(len(flat), dtype=torch.float64)
    influence = at(Implicit(linear_solve=torchopt.linear_solve.solve_minres(ridge=0.5, rtol=1e-12)))
    expected = -wanted @ torch.linalg.solve(damped, own.T) / count
    torch.testing.assert_close(influence, expected, rtol=1e-7, atol=1e-12)


def test_rank_correlation_of_a_permutation_equals_the_formula() -> None:
    generator = torch.Generator().manual_seed(0)
    n = 30
    permutations = torch.stack([torch.randperm(n, generator=generator) for _ in range(4)], 1)
    difference = permutations - torch.arange(n)[:, None]
    expected = 1 - 6 * difference.square().sum(0).double() / (n * (n**2 - 1))
    x = torch.linspace(-3, 5, n, dtype=torch.float64)[:, None].expand(n, 4)
    found = rank_correlation(x.exp(), permutations.double() ** 3)  # any increasing functions
    torch.testing.assert_close(found, expected)
    assert expected.abs().min() > 1e-3


def test_ties_share_their_mean_rank() -> None:
    x, y = torch.tensor([1.0, 2.0, 2.0, 7.0]), torch.tensor([4.0, 9.0, 0.0, 9.0])
    ranks = torch.tensor([[1, 2.5, 2.5, 4], [2, 3.5, 1, 3.5]])  # by hand
    expected = torch.corrcoef(ranks.double())[0, 1]
    torch.testing.assert_close(rank_correlation(x[:, None], y[:, None])[0], expected)


@pytest.mark.slow
def test_metagradient_predicts_what_retraining_does_and_gradient_products_do_not() -> None:
    training, targets = _prepare(Config(steps=100, images=400, targets=4), torch.float32)
    scores = all_scores(training, targets)
    order = torch.rand(30, 400, generator=torch.Generator().manual_seed(0)).argsort(-1)
    for left_out in (8, 40):
        weights = (order >= left_out).float()
        changes = training.changes(targets, weights)
        predicted = {name: (weights - 1) @ of.T for name, of in scores.items()}
        assert rank_correlation(predicted["metagradient"], changes).mean() >= 0.9
        assert rank_correlation(predicted["gradient products"], changes).mean() < 0.8
    ranking = scores["metagradient"].argsort(1)
    for places, sign in ((ranking, 1), (ranking.flip(1), -1)):  # helpful, harmful
        weights = torch.ones(4, 400).scatter(1, places[:, :8], 0.0)
        assert (sign * training.changes(targets, weights).diagonal() > 0).all()


def test_trainings_of_a_seed_start_the_same() -> None:
    first, second = _prepare(_TINY)[0], _prepare(replace(_TINY, activation="ReLU"))[0]
    assert torch.equal(first.batches, second.batches)
    assert all(torch.equal(p, second.start[name]) for name, p in first.start.items())
