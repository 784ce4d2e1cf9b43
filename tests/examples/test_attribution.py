"""The attribution example: its scores by formulas and by retraining, and a run of seconds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from results import check_is_one_sentence, check_is_picture

import torchopt
from torchopt.diff import Explicit, Implicit, OneStep
from torchopt.examples.attribution import main
from torchopt.examples.attribution.config import PRESETS, Config
from torchopt.examples.attribution.retraining import (
    draw_subsets,
    predict,
    retrain,
    spearman,
    without,
)
from torchopt.examples.attribution.scores import at_point, metagradient, ways
from torchopt.examples.attribution.training import Training, load_digits, prepare
from torchopt.examples.tools.digits import Data

_TINY = PRESETS["test"]


def _prepare(config: Config) -> tuple[Training, Data]:
    data, targets, _ = load_digits(config)
    return prepare(config, Data(data.x.double(), data.y)), Data(targets.x.double(), targets.y)


@pytest.mark.parametrize(
    "memory",
    ["step", *(pytest.param(m, marks=pytest.mark.slow) for m in ("graph", "sqrt", "tree"))],
)
def test_metagradient_equals_finite_differences_of_retraining(memory: str) -> None:
    training, targets = _prepare(replace(_TINY, steps=15, lr=0.5))
    scores = metagradient(training, targets, Explicit(memory=memory))
    eps, places = 1e-5, torch.tensor([3, 17, 40, 88])
    up = training.all_images + eps * torch.eye(100, dtype=torch.float64)[places]
    found = (retrain(training, targets, up).change - retrain(training, targets, 2 - up).change).T
    assert scores[:, places].abs().min() > 1e-7
    torch.testing.assert_close(scores[:, places], found / (2 * eps), rtol=1e-5, atol=1e-10)


def test_image_of_no_batch_has_no_score_and_its_loss_no_change() -> None:
    training, targets = _prepare(replace(_TINY, steps=10, batch=5, images=300))
    unseen = torch.ones(300).scatter(0, training.order.flatten(), 0.0).bool()
    assert 0 < unseen.sum() < 300
    scores = metagradient(training, targets, Explicit())
    assert torch.equal(scores.abs().sum(0) == 0, unseen)
    weights = (~unseen).double()[None]
    assert retrain(training, targets, weights).change.abs().max() < 1e-12


def test_trainings_side_by_side_are_those_one_by_one() -> None:
    training, targets = _prepare(_TINY)
    weights = draw_subsets(training.all_images, 0.2, 4, torch.Generator().manual_seed(0))
    found = retrain(training, targets, weights)
    before = training.losses(training.trained(), targets)
    for row, change in zip(weights, found.change, strict=True):
        after = training.losses(training.run(row), targets)
        torch.testing.assert_close(change, (after - before).detach())


def test_scores_at_the_end_equal_formulas() -> None:
    training, targets = _prepare(replace(_TINY, width=2))
    params = training.trained()
    flat = torch.cat([p.flatten() for p in params.values()])

    def unflatten(flat: torch.Tensor) -> tuple[torch.Tensor, ...]:
        parts = flat.split([p.numel() for p in params.values()])
        named = zip(params.items(), parts, strict=True)
        return {name: part.view_as(p) for (name, p), part in named}

    def jacobian(data: Data) -> torch.Tensor:
        found: torch.Tensor = torch.func.jacrev(lambda v: training.losses(unflatten(v), data))(flat)
        return found.detach()

    wanted, own, count = jacobian(targets), jacobian(training.data), len(training.data.y)
    products = at_point(training, params, targets, OneStep(step_size=0.3, hvp="reverse"))
    torch.testing.assert_close(products, -0.3 / count * wanted @ own.T)
    hessian = torch.func.hessian(lambda v: training.losses(unflatten(v), training.data).mean())(
        flat
    )
    damped = hessian.detach() + 0.5 * torch.eye(len(flat), dtype=torch.float64)
    solve = torchopt.linear_solve.solve_minres(ridge=0.5, rtol=1e-12)
    influence = at_point(training, params, targets, Implicit(linear_solve=solve))
    expected = -wanted @ torch.linalg.solve(damped, own.T) / count
    torch.testing.assert_close(influence, expected, rtol=1e-7, atol=1e-12)


def test_subsets_leave_out_so_many_and_chosen_ones() -> None:
    generator = torch.Generator().manual_seed(0)
    like = torch.ones(50, dtype=torch.float64)
    drawn = draw_subsets(like, 0.1, 200, generator)
    assert drawn.dtype == torch.float64
    assert (drawn == 0).sum(1).tolist() == [5] * 200
    assert (drawn == 0).any(0).all()
    places = torch.tensor([[1, 4], [0, 2]])
    chosen = without(places, like[:5])
    assert chosen.tolist() == [[1, 0, 1, 1, 0], [0, 1, 0, 1, 1]]
    scores = torch.tensor([[1.0, 2.0, 4.0, 8.0, 16.0]], dtype=torch.float64)
    assert predict(scores, chosen).tolist() == [[-18.0], [-5.0]]


def test_rank_correlation_of_a_permutation_equals_the_formula() -> None:
    generator = torch.Generator().manual_seed(0)
    n = 30
    permutations = torch.stack([torch.randperm(n, generator=generator) for _ in range(4)], 1)
    difference = permutations - torch.arange(n)[:, None]
    expected = 1 - 6 * difference.square().sum(0).double() / (n * (n**2 - 1))
    x = torch.linspace(-3, 5, n, dtype=torch.float64)[:, None].expand(n, 4)
    found = spearman(x.exp(), permutations.double() ** 3)  # any increasing functions
    torch.testing.assert_close(found, expected)
    assert expected.abs().min() > 1e-3


def test_ties_share_their_mean_rank() -> None:
    x, y = torch.tensor([1.0, 2.0, 2.0, 7.0]), torch.tensor([4.0, 9.0, 0.0, 9.0])
    ranks = torch.tensor([[1, 2.5, 2.5, 4], [2, 3.5, 1, 3.5]])  # by hand
    expected = torch.corrcoef(ranks.double())[0, 1]
    torch.testing.assert_close(spearman(x[:, None], y[:, None])[0], expected)


@pytest.mark.slow
def test_metagradient_predicts_what_retraining_does_and_gradient_products_do_not() -> None:
    config = replace(PRESETS["default"], targets=4, subsets=30, memory="graph")
    data, targets, _ = load_digits(config)
    training = prepare(config, data)
    found = ways(training, targets)
    scores = found["metagradient"]()
    truth = {}
    for fraction in (0.01, 0.1):
        generator = torch.Generator().manual_seed(0)
        weights = draw_subsets(training.all_images, fraction, config.subsets, generator)
        truth[fraction] = retrain(training, targets, weights)
        assert truth[fraction].agreement(scores).mean() >= 0.9
    assert truth[0.1].agreement(found["gradient products"]()).mean() < 0.6
    order = scores.argsort(1)
    for places, sign in ((order, 1), (order.flip(1), -1)):  # helpful, harmful
        weights = without(places[:, :20], training.all_images)
        assert (sign * retrain(training, targets, weights).change.diagonal() > 0).all()


def test_trainings_of_a_seed_start_the_same_and_leave_the_random_state_alone() -> None:
    before = torch.get_rng_state()
    data = load_digits(_TINY)[0]
    first, second = prepare(_TINY, data), prepare(replace(_TINY, activation="relu"), data)
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.equal(first.order, second.order)
    assert all(torch.equal(p, second.start[name]) for name, p in first.start.items())
    assert not any(p.requires_grad for p in first.trained().values())


@pytest.mark.usefixtures("few_threads")
def test_command_writes_tables_and_pictures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main([f"--runs={tmp_path}", "--name=it", "--preset=test", "--threads=1"]) == 0
    out = capsys.readouterr().out
    for text in ("metagradient", "influence, 0.01", "20 % left out", "with ReLU", "harm most"):
        assert text in out
    assert (tmp_path / "it" / "result.json").exists()
    for name in ("predictions.png", "images.png"):
        check_is_picture(tmp_path / "it" / name)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--width=0"], "`width` is 0"),
        (["--subsets=1"], "`subsets` is 1"),
        (["--steps=9"], "`steps` is 9"),
        (["--images=1790"], "`images` is 1790"),
        (["--batch=1001"], "`batch` is 1001"),
    ],
)
def test_bad_settings_are_one_sentence(
    options: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([f"--runs={tmp_path}", *options]) == 1
    check_is_one_sentence(capsys.readouterr().err, message)


def test_every_preset_is_a_valid_configuration() -> None:
    assert set(PRESETS) == {"default", "full", "test"}
    assert PRESETS["default"] == Config()
