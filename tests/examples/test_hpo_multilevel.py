"""Hyperparameters by the engine: the loss, its claim, a killed run, and a run of seconds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from killing import check_killed_run_goes_on_as_if_uninterrupted
from results import check_is_one_sentence, check_is_picture
from rich.console import Console
from torch.nn.functional import cross_entropy

from torchopt.examples.hpo_multilevel import main
from torchopt.examples.hpo_multilevel.config import PRESETS, Config
from torchopt.examples.hpo_multilevel.problems import (
    Parts,
    Reader,
    Tuning,
    load_parts,
    score,
    start_of,
    training_loss,
)
from torchopt.examples.hpo_multilevel.program import evaluations
from torchopt.examples.hpo_multilevel.search import random_search, train

_TINY = PRESETS["test"]
_QUIET = Console(quiet=True)


def _hyperparameters(config: Config) -> dict[str, torch.Tensor]:
    return start_of(torch.full((65,), config.penalty), config.smoothing, config.noise)


def test_training_loss_is_smoothed_cross_entropy_with_weight_decay() -> None:
    torch.manual_seed(0)
    data, net = load_parts(_TINY).train, Reader(5)
    penalties = torch.linspace(0.1, 0.4, 65)
    found = training_loss(net, start_of(penalties, 0.2, 1e-9), data)
    expected = cross_entropy(net(data.x), data.y, label_smoothing=0.2)
    for i in range(64):
        expected = expected + 0.5 * penalties[i] * net.hidden.weight[:, i].square().sum()
    expected = expected + 0.5 * penalties[64] * net.last.weight.square().sum()
    torch.testing.assert_close(found, expected)


def test_noise_is_of_the_asked_deviation_and_the_loss_feels_every_hyperparameter() -> None:
    torch.manual_seed(0)
    data, net = load_parts(_TINY).train, Reader(5)
    hyperparameters = {
        name: value.requires_grad_() for name, value in _hyperparameters(_TINY).items()
    }
    loss = training_loss(net, hyperparameters, data)
    for gradient in torch.autograd.grad(loss, list(hyperparameters.values())):
        assert (gradient != 0).all()
    seen: list[torch.Tensor] = []
    handle = net.hidden.register_forward_pre_hook(lambda _, args: seen.append(args[0]))
    training_loss(net, start_of(torch.ones(65), 0.1, 0.3), data)
    handle.remove()
    assert (seen[0] - data.x).std().item() == pytest.approx(0.3, rel=0.05)


@pytest.mark.slow
def test_the_engine_finds_better_hyperparameters_than_the_start(tmp_path: Path) -> None:
    config = Config(steps=1200, networks=3)
    parts = load_parts(config)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        engine = Tuning(config, parts, tmp_path, _QUIET)
        engine.run()
    trials = [
        train(config, parts, hyperparameters, networks=3, seed=5).score
        for hyperparameters in (_hyperparameters(config), engine.found)
    ]
    assert trials[1].validation < 0.9 * trials[0].validation
    assert trials[1].test < trials[0].test


def test_cost_counts_gradients_and_products(tmp_path: Path) -> None:
    parts = load_parts(_TINY)
    unrolled = Tuning(replace(_TINY, unroll_steps=4, type="unroll"), parts, tmp_path, _QUIET)
    assert evaluations(unrolled.plan()) == 1 + 4 + 2 * 4
    one_step = Tuning(replace(_TINY, unroll_steps=4, type="darts"), parts, tmp_path, _QUIET)
    assert evaluations(one_step.plan()) == 1 + 4 + 2


def test_random_search_is_repeatable_and_searches() -> None:
    parts = load_parts(_TINY)
    before = torch.get_rng_state()
    first, second = (random_search(_TINY, parts, 3) for _ in range(2))
    assert torch.equal(torch.get_rng_state(), before)
    assert [trial.score for trial in first] == [trial.score for trial in second]
    assert len({trial.score.validation for trial in first}) == 3
    for trial in first:
        penalties = trial.hyperparameters["log_penalties"].exp()
        assert 1e-5 <= penalties.min() <= penalties.max() <= 0.11
        assert len(penalties.unique()) == 2


def test_score_is_of_the_parts_that_it_names() -> None:
    parts, net = load_parts(_TINY), Reader(5)
    found = score(net, Parts(parts.train, parts.train, parts.test))
    assert found.validation == cross_entropy(net(parts.train.x), parts.train.y).item()
    assert found.test == cross_entropy(net(parts.test.x), parts.test.y).item()
    assert 0 <= found.accuracy <= 1


@pytest.mark.slow
@pytest.mark.usefixtures("few_threads")
@pytest.mark.processes
def test_killed_run_goes_on_as_if_uninterrupted(tmp_path: Path) -> None:
    check_killed_run_goes_on_as_if_uninterrupted("hpo_multilevel", tmp_path, at=7)


@pytest.mark.usefixtures("few_threads")
@pytest.mark.parametrize(
    "mode",
    [
        "unroll",
        *(pytest.param(m, marks=pytest.mark.slow) for m in ("darts", "sama", "neumann", "cg")),
    ],
)
def test_command_writes_a_table_and_a_picture(
    mode: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    before = torch.get_rng_state()
    options = ["--preset=test", f"--type={mode}", "--threads=1"]
    assert main([f"--runs={tmp_path}", "--name=it", *options]) == 0
    assert torch.equal(torch.get_rng_state(), before)
    out = capsys.readouterr().out
    for text in ("hyperparameters -> network", f"engine, {mode}", "random, best of", "s left", "%"):
        assert text in out
    check_is_picture(tmp_path / "it" / "hyperparameters.png")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--smoothing=0.5"], "below one half"),
        (["--noise=0"], "`noise` is 0"),
        (["--train-images=1000"], "1797 in all"),
        (["--steps=3001"], "multiples"),
        (["--resume"], "start without --resume"),
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
